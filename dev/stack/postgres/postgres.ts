import { chownSync, existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { runCommand } from '../command.ts';
import { type Part, startPart } from '../parts/part.ts';
import { makeDataDir, type PostgresHome } from './postgres_home.ts';

export type Sql = postgres.Sql;

/** The ports of the stack's servers. If there is a standby, clients use the server that writes. */
export interface DatabasePorts {
  primary: number;
  standby?: number | undefined;
}

/** Makes an address of the stack's server, or of both servers. */
export function databaseUrl(
  role: string,
  password: string,
  { primary, standby }: DatabasePorts,
  database = 'postgres',
): string {
  const login = `${role}:${encodeURIComponent(password)}`;
  if (standby === undefined) return `postgresql://${login}@127.0.0.1:${primary}/${database}`;
  return `postgresql://${login}@127.0.0.1:${primary},127.0.0.1:${standby}/${database}?target_session_attrs=read-write`;
}

/** Makes a postgres.js client that ignores notices. End it after use. */
export const connect = (url: string, options: postgres.Options<Record<string, never>> = {}): Sql =>
  postgres(url, { max: 1, onnotice: () => {}, ...options }) as Sql;

/** Runs initdb. The superuser is supabase_admin, as on the platform. */
async function initDatabase(options: PostgresOptions): Promise<void> {
  const { home, dataDir, password, signal } = options;
  makeDataDir(dataDir, home);
  // The file is beside the data, because the server's user may not be able to read TMPDIR.
  const passwordFile = `${dataDir}.password`;
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
  try {
    if (home.uid !== undefined && home.gid !== undefined) chownSync(passwordFile, home.uid, home.gid);
    await runCommand(home.bin('initdb'), [
      `--pgdata=${dataDir}`,
      '--username=supabase_admin',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-sync',
    ], { name: 'initdb', cwd: dataDir, uid: home.uid, gid: home.gid, signal });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Tests whether the folder holds a database cluster. */
export const isInitialised = (dataDir: string): boolean => existsSync(join(dataDir, 'PG_VERSION'));

interface PostgresOptions {
  home: PostgresHome;
  dataDir: string;
  port: number;
  /** The superuser's password, used when the data folder is made. */
  password: string;
  /** More server settings, such as `{ fsync: 'off' }` if a crash may lose the data. */
  settings?: Record<string, string>;
  /** Ends initdb, but not the server, which the caller stops as a part. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts the server on 127.0.0.1, and makes its data folder on first use. The server is ready when `waitUntilReady`
 * resolves.
 */
export async function startPostgres(options: PostgresOptions): Promise<Part> {
  const { home, dataDir, port } = options;
  if (!isInitialised(dataDir)) await initDatabase(options);

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
    cwd: dataDir,
    uid: home.uid,
    gid: home.gid,
    // SIGINT asks for a fast shutdown: it ends sessions and keeps committed work.
    stopSignal: 'SIGINT',
    readyText: 'ready to accept connections',
  });
}
