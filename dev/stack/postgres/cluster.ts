import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { StackKeys } from '../keys.ts';
import type { Part } from '../parts/part.ts';
import { projectDir } from '../paths.ts';
import { findFreePort } from '../ports.ts';
import { connect, databaseUrl, isInitialised, type Sql, startPostgres } from './postgres.ts';
import { preparePostgres } from './postgres_home.ts';

const CRASH_NOTICE_MS = 100;

/** The roles that have a password. All roles of a cluster have the same password. */
export type LoginRole =
  | 'supabase_admin'
  | 'postgres'
  | 'authenticator'
  | 'supabase_auth_admin'
  | 'supabase_storage_admin';

/** A running Postgres server in the platform's state. */
export interface Cluster {
  part: Part;
  port: number;
  /** True if this start has made the cluster. A new cluster has no migrations yet. */
  isNew: boolean;
  url: (role: LoginRole, database?: string) => string;
}

interface ClusterOptions {
  /** The folder for the data. If the server's user can't reach it, the data is kept elsewhere. */
  dataDir: string;
  port: number;
  dbPassword: StackKeys['dbPassword'];
  settings?: Record<string, string>;
  log?: (line: string) => void;
  /** Ends a start that is under way. */
  signal?: AbortSignal | undefined;
  /** Receives the process before Postgres is ready, so that the caller can stop the process at any time. */
  onPart?: (part: Part) => void;
}

async function run(url: string, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = connect(url);
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

/**
 * This file exists while a cluster is being made. Without it, a later start would take a half-made cluster for a ready
 * cluster.
 */
const unfinishedMark = (dataDir: string) => `${dataDir}.unfinished`;

async function removeCluster(dataDir: string): Promise<void> {
  // The removal retries, because a child of a killed initdb may still be writing.
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  await rm(unfinishedMark(dataDir), { force: true });
}

/** Deletes a stopped server's data, wherever it is kept. */
export async function deleteData(dataDir: string): Promise<void> {
  await removeCluster((await preparePostgres()).dataDir(dataDir));
}

/** Starts Postgres. Brings a new cluster into the state of a new database of the Supabase platform. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { signal } = options;
  const home = await preparePostgres();
  await mkdir(dirname(options.dataDir), { recursive: true });
  const dataDir = home.dataDir(options.dataDir);
  const notice = home.notice(options.dataDir);
  if (notice !== undefined) options.log?.(notice);
  const url = (role: LoginRole, database?: string) =>
    databaseUrl(role, options.dbPassword, { primary: options.port }, database);

  if (existsSync(unfinishedMark(dataDir))) await removeCluster(dataDir);
  const isNew = !isInitialised(dataDir);
  if (isNew) await writeFile(unfinishedMark(dataDir), '');
  let part: Part | undefined;
  try {
    signal?.throwIfAborted();
    part = await startPostgres({
      home,
      dataDir,
      port: options.port,
      password: options.dbPassword,
      settings: options.settings,
      signal,
    });
    options.onPart?.(part);
    await part.waitUntilReady();
    signal?.throwIfAborted();
    if (isNew) {
      const scripts = ['dev/stack/bootstrap.sql', 'dev/stack/storage/schema.sql'];
      const texts = await Promise.all(scripts.map((script) => readFile(join(projectDir, script), 'utf8')));
      // The password becomes a literal, because utility statements take no parameters. The password is base64url, so it
      // needs no escaping.
      const script = texts.join('\n').replaceAll(':password', `'${options.dbPassword}'`);
      await run(url('supabase_admin'), (sql) => sql.unsafe(script));
      // Loaded here, because loading is slow and only a new cluster needs it.
      const { createAuthSchema } = await import('../auth/auth.ts');
      await run(url('supabase_auth_admin'), createAuthSchema);
      await rm(unfinishedMark(dataDir));
    }
  } catch (error) {
    // If the server crashed, its clients may fail first. So wait until the crash is known, and report it as the cause.
    if (part !== undefined && !signal?.aborted) await Promise.race([part.exited, setTimeout(CRASH_NOTICE_MS)]);
    await part?.stop();
    if (isNew) await removeCluster(dataDir);
    throw error;
  }
  return { part, port: options.port, isNew, url };
}

/**
 * Starts a new cluster that `remove` deletes. The cluster does not sync to disk, because its data is not needed after a
 * crash.
 */
export async function startScratchCluster(
  name: string,
  fromPort?: number,
): Promise<Cluster & { remove: () => Promise<void> }> {
  const dataDir = join(projectDir, '.stack', name);
  const cluster = await startCluster({
    dataDir,
    port: await findFreePort(fromPort),
    dbPassword: 'scratch',
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  return {
    ...cluster,
    remove: async () => {
      await cluster.part.stop();
      await deleteData(dataDir);
    },
  };
}

/** Runs `work` on a new cluster, which is deleted afterwards. */
export async function withScratchCluster<T>(work: (cluster: Cluster) => Promise<T>): Promise<T> {
  const cluster = await startScratchCluster(`scratch-${process.pid}`);
  try {
    return await work(cluster);
  } finally {
    await cluster.remove();
  }
}

/**
 * Makes a copy of the database `template`. By default, the template is the cluster's first database, which is in the
 * platform's state.
 */
export async function createDatabase(cluster: Cluster, name: string, template = 'postgres'): Promise<void> {
  await run(cluster.url('supabase_admin', 'template1'), async (sql) => {
    await sql`create database ${sql(name)} template ${sql(template)} owner postgres`;
  });
}
