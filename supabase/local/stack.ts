import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuthServer, startAuth } from './auth.ts';
import { startCluster } from './cluster.ts';
import { functionNames, startFunction } from './functions.ts';
import { startGateway } from './gateway.ts';
import { loadKeys, type StackKeys } from './keys.ts';
import { applyMigrations } from './migrations.ts';
import type { Part } from './part.ts';
import { projectDir, stackDir } from './paths.ts';
import { assertPortsFree, databasePort } from './ports.ts';
import { databaseUrl } from './postgres.ts';
import { preparePostgres } from './postgres_home.ts';
import { startPostgrest, waitForPostgrest } from './postgrest.ts';
import { StackError } from './stack_error.ts';
import { startSweeper } from './sweeper.ts';

/** What a client needs to know of a running stack, in the names of `supabase status -o json`. */
export interface StackStatus {
  API_URL: string;
  DB_URL: string;
  FUNCTIONS_URL: string;
  ANON_KEY: string;
  SERVICE_ROLE_KEY: string;
  PUBLISHABLE_KEY: string;
  SECRET_KEY: string;
  JWT_SECRET: string;
}

export interface StackOptions {
  port: number;
  /** Where the database and the keys are kept; default: the project's .stack/<port>. */
  dir?: string;
  /** Serve changed function sources without a restart; default true. */
  watch?: boolean;
  /** Called with each line worth showing: notices, and what the Edge Functions print. */
  log?: (line: string) => void;
  /** Stops the stack, while it boots too. */
  signal?: AbortSignal;
  /** Called once when a part ends by itself; the rest is stopped by then. */
  onCrash?: (description: string) => void;
  /** Environment of the Edge Functions, beyond what the platform sets. */
  functionEnv?: Record<string, string>;
  /** Postgres settings, e.g. `{ fsync: 'off' }` where the data may be lost. */
  postgresSettings?: Record<string, string>;
}

export interface Stack {
  status: StackStatus;
  keys: StackKeys;
  /** Connects as the superuser; for tests and tools only. */
  superuserUrl: string;
  stop: () => Promise<void>;
}

/** What `npm run status` reads, and what a later start needs to clean up after a killed one. */
interface StackRecord {
  pid: number;
  partPids: number[];
  status: StackStatus;
}

const recordFile = (dir: string) => join(dir, 'stack.json');

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** The status of the running stack on `port`, or undefined when none is ready there. */
export function readStatus(port: number): StackStatus | undefined {
  const file = recordFile(stackDir(port));
  if (!existsSync(file)) return undefined;
  const record: StackRecord = JSON.parse(readFileSync(file, 'utf8'));
  return isAlive(record.pid) ? record.status : undefined;
}

/** Ends what a killed stack (SIGKILL, power) left running; a process counts as ours only by its command line. */
async function stopLeftovers(dir: string): Promise<void> {
  if (!existsSync(recordFile(dir))) return;
  const record: StackRecord = JSON.parse(await readFile(recordFile(dir), 'utf8'));
  if (isAlive(record.pid)) return;
  for (const pid of record.partPids) {
    const command = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
    if (command.includes(projectDir) && isAlive(pid)) process.kill(pid, 'SIGTERM');
  }
  await rm(recordFile(dir), { force: true });
}

/** What the platform gives every Edge Function, both key generations included. */
const platformEnv = (apiUrl: string, dbUrl: string, keys: StackKeys): Record<string, string> => ({
  SUPABASE_URL: apiUrl,
  SUPABASE_DB_URL: dbUrl,
  SUPABASE_ANON_KEY: keys.anonKey,
  SUPABASE_SERVICE_ROLE_KEY: keys.serviceRoleKey,
  SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishableKey }),
  SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secretKey }),
});

/**
 * Boots the whole stack: Postgres, Auth, PostgREST, the Edge Functions and the gateway before them.
 * Resolves when all of it answers; rejects with a StackError, and leaves nothing running, when a part fails.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { port, log = () => {} } = options;
  const dir = options.dir ?? stackDir(port);
  await stopLeftovers(dir);
  await assertPortsFree(port);
  await mkdir(dir, { recursive: true });
  const keys = await loadKeys(join(dir, 'keys.json'));
  const socketDir = mkdtempSync(join(tmpdir(), 'flow-stack-'));
  const socketPath = (name: string) => join(socketDir, `${name}.sock`);

  const dbPort = databasePort(port);
  const urlFor = (role: string) => databaseUrl(role, keys.dbPassword, dbPort);
  const apiUrl = `http://127.0.0.1:${port}`;
  const status: StackStatus = {
    API_URL: apiUrl,
    DB_URL: urlFor('postgres'),
    FUNCTIONS_URL: `${apiUrl}/functions/v1`,
    ANON_KEY: keys.anonKey,
    SERVICE_ROLE_KEY: keys.serviceRoleKey,
    PUBLISHABLE_KEY: keys.publishableKey,
    SECRET_KEY: keys.secretKey,
    JWT_SECRET: keys.jwtSecret,
  };

  const parts: Part[] = [];
  let auth: AuthServer | undefined;
  let gateway: Awaited<ReturnType<typeof startGateway>> | undefined;
  let sweeper: { stop: () => void } | undefined;
  let stopping: Promise<void> | undefined;

  const stop = (): Promise<void> =>
    stopping ??= (async () => {
      sweeper?.stop();
      if (gateway !== undefined) {
        gateway.closeAllConnections();
        gateway.close();
        await once(gateway, 'close');
      }
      await auth?.close().catch(() => {});
      // In reverse order: whatever uses the database ends before it.
      const [database, ...users] = parts;
      await Promise.all(users.map((part) => part.stop()));
      await database?.stop();
      await rm(recordFile(dir), { force: true });
      await rm(socketDir, { recursive: true, force: true });
    })();

  const keep = (part: Part): Part => {
    parts.push(part);
    if (stopping !== undefined) void part.stop();
    void part.exited.then(async () => {
      if (part.isStopping() || stopping !== undefined) return;
      const description = part.describeExit();
      await stop();
      options.onCrash?.(description);
    });
    return part;
  };

  options.signal?.addEventListener('abort', () => void stop());

  try {
    const cluster = await startCluster({
      dataDir: join(dir, 'postgres'),
      port: dbPort,
      dbPassword: keys.dbPassword,
      settings: options.postgresSettings,
      log,
      onPart: keep,
    });

    const names = functionNames();
    const functionEnv = { ...platformEnv(apiUrl, status.DB_URL, keys), ...options.functionEnv };
    const authServer = startAuth({
      databaseUrl: urlFor('supabase_auth_admin'),
      jwtSecret: keys.jwtSecret,
      siteUrl: apiUrl,
    });
    await Promise.all([
      applyMigrations(status.DB_URL, { seed: cluster.isNew }).then(async () => {
        const rest = keep(startPostgrest({
          databaseUrl: urlFor('authenticator'),
          jwtSecret: keys.jwtSecret,
          socketPath: socketPath('rest'),
        }));
        await waitForPostgrest(rest, socketPath('rest'));
      }),
      authServer.then((started) => auth = started),
      ...names.map((name) =>
        keep(startFunction({
          name,
          socketPath: socketPath(name),
          env: functionEnv,
          watch: options.watch ?? true,
          onLine: (line) => log(`[${name}] ${line}`),
        })).waitUntilReady()
      ),
    ]);

    gateway = await startGateway({
      port,
      keys,
      restSocket: socketPath('rest'),
      functionSocket: (name) => names.includes(name) ? socketPath(name) : undefined,
      auth: (await authServer).fetch,
    });
    sweeper = startSweeper(status);
    const record: StackRecord = { pid: process.pid, partPids: parts.map((part) => part.pid), status };
    await writeFile(recordFile(dir), JSON.stringify(record), { mode: 0o600 });
    return { status, keys, superuserUrl: cluster.url('supabase_admin'), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Deletes a stack's database and keys. */
export async function resetStack(port: number): Promise<void> {
  if (readStatus(port) !== undefined) {
    throw new StackError(`The stack on port ${port} is running: stop it before you reset it.`);
  }
  const home = await preparePostgres();
  const dir = stackDir(port);
  await rm(home.dataDir(join(dir, 'postgres')), { recursive: true, force: true });
  await rm(dir, { recursive: true, force: true });
}
