import { spawnSync } from 'node:child_process';
import { chownSync, existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { type Part, startPart } from './part.ts';
import { makeDataDir, type PostgresHome } from './postgres_home.ts';
import { StackError } from './stack_error.ts';

export type Sql = postgres.Sql;

/** A connection address of the stack's server. */
export const databaseUrl = (role: string, password: string, port: number, database = 'postgres'): string =>
  `postgresql://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

/** A postgres.js client that reports no notices; end it after use. */
export const connect = (url: string, options: postgres.Options<Record<string, never>> = {}): Sql =>
  postgres(url, { max: 1, onnotice: () => {}, ...options }) as Sql;

/** Runs initdb: the superuser is supabase_admin, as on the platform. */
async function initDatabase(home: PostgresHome, dataDir: string, password: string): Promise<void> {
  makeDataDir(dataDir, home);
  const passwordFile = join(tmpdir(), `flow-stack-${randomUUID()}`);
  await writeFile(passwordFile, password, { mode: 0o600 });
  try {
    if (home.uid !== undefined && home.gid !== undefined) chownSync(passwordFile, home.uid, home.gid);
    const run = spawnSync(home.bin('initdb'), [
      `--pgdata=${dataDir}`,
      '--username=supabase_admin',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-sync',
    ], { uid: home.uid, gid: home.gid, encoding: 'utf8' });
    if (run.status !== 0) throw new StackError(`initdb failed: ${run.error?.message ?? run.stderr.trim()}`);
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Ends the server that a killed stack left behind on this data folder. */
async function stopLeftover(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
  const command = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  if (!command.includes(dataDir)) return;
  process.kill(pid, 'SIGINT');
  for (let waited = 0; existsSync(pidFile) && waited < 10_000; waited += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether the folder holds a database cluster. */
export const isInitialised = (dataDir: string): boolean => existsSync(join(dataDir, 'PG_VERSION'));

export interface PostgresOptions {
  home: PostgresHome;
  dataDir: string;
  port: number;
  /** Password of the superuser, used when the data folder is made. */
  password: string;
  /** Further server settings, e.g. `{ fsync: 'off' }` where a crash may lose the data. */
  settings?: Record<string, string>;
}

/** Starts the server on 127.0.0.1, making its data folder on first use; it is there when `waitUntilReady` resolves. */
export async function startPostgres(options: PostgresOptions): Promise<Part> {
  const { home, dataDir, port } = options;
  if (isInitialised(dataDir)) await stopLeftover(dataDir);
  else await initDatabase(home, dataDir, options.password);

  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    wal_level: 'logical',
    timezone: 'UTC',
    ...options.settings,
  };
  return startPart({
    name: 'Postgres',
    command: home.bin('postgres'),
    args: ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    uid: home.uid,
    gid: home.gid,
    // Fast shutdown: sessions are ended, committed work is kept.
    stopSignal: 'SIGINT',
    readyText: 'ready to accept connections',
  });
}
