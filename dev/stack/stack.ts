import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { platform } from 'node:os';
import { join } from 'node:path';
import { stackDir, type StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { startAuthPart } from './auth/auth_part.ts';
import { makeBootProgress } from './parts/boot_progress.ts';
import { litesvmLibrary, startChainPart } from '../chain/part.ts';
import { startCluster } from './postgres/cluster.ts';
import { type ConsoleServer, makeConsoleServer } from './console/serve.ts';
import { denoBinary, functionNames, projectFunctionsDir, startFunction } from './functions.ts';
import { startGateway } from './gateway.ts';
import { type AuthRates, HOSTED_AUTH_RATES } from './gateway/auth_rates.ts';
import type { StackKeys } from './keys.ts';
import { applyMigrations } from './migrations.ts';
import type { Part } from './parts/part.ts';
import { makePartSet, PartCrash, runTogether } from './parts/part_set.ts';
import { assertPortsFree, chainPort, databasePort } from './ports.ts';
import { databaseUrl } from './postgres/postgres.ts';
import { preparePostgres } from './postgres/postgres_home.ts';
import { postgrestBinary, startPostgrest, waitForPostgrest } from './postgrest.ts';
import { makeRestarts } from './parts/restarts.ts';
import { dataDirOf, loadStackKeys, makeSocketDir, removeData, storageDirOf } from './stack_dir.ts';
import { StackError } from './stack_error.ts';
import { claimStack } from './stack_record.ts';
import { makeStatus, platformEnv } from './stack_status.ts';
import { startedOnDemand } from './parts/started_on_demand.ts';
import { startStoragePart } from './storage/part.ts';
import { startSweeper, type Sweeper } from './sweeper.ts';

/** The PostgREST that the functions call. */
const FUNCTIONS_REST = 'PostgREST of the functions';
/** How long a halted boot may take to end before its database is stopped. */
const HALT_GRACE_MS = 1_000;
/** How often a stack checks that its folder still exists. */
const FOLDER_CHECK_MS = 1_000;

export interface StackOptions {
  port: number;
  /** The folder of the database and the keys; default: the project's .stack/<port>. */
  dir?: string;
  /** Start with an empty database and new keys. */
  reset?: boolean;
  /** The folder of the Supabase project that has the migrations; default: this project. */
  supabaseProject?: string;
  /** The Edge Functions; default: those of this project. */
  functionsDir?: string;
  /** A folder of additional Edge Functions. */
  extraFunctionsDir?: string;
  /** Serve changed function sources without a restart; default true. */
  watch?: boolean;
  /** Also serve a Solana chain, which is empty at each start; default false. */
  chain?: boolean;
  /** At intervals, poke the runner (ask it to look for queued runs) and sweep the database; default true. */
  sweep?: boolean;
  /** Called with each line to show: notices, and the output of the Edge Functions. */
  log?: (line: string) => void;
  /** Called with a line for each ready part of a boot that takes longer than a few seconds. */
  onProgress?: (line: string) => void;
  /** Stops the stack, also during its boot. */
  signal?: AbortSignal;
  /** Called once when a part ends after the boot and is not restarted. The other parts are stopped by then. */
  onCrash?: (description: string) => void;
  /**
   * The limits of requests to Auth by address within five minutes; null for no limits. Default: as on hosted Supabase.
   */
  authRates?: AuthRates | null;
  /** The environment of the Edge Functions, beyond the variables of the platform. */
  functionEnv?: Record<string, string>;
  /**
   * The port of a standby, which a test starts and promotes. Then the clients of the database get the address of both
   * servers.
   */
  standbyPort?: number;
  /** Postgres settings, such as `{ fsync: 'off' }` if the data may be lost. */
  postgresSettings?: Record<string, string>;
}

export interface Stack {
  status: StackStatus;
  keys: StackKeys;
  /** Connects as the superuser; for tests and tools only. */
  superuserUrl: string;
  /** The processes of the stack, by name. */
  parts: readonly Pick<Part, 'name' | 'pid'>[];
  /**
   * Ends a part, or the `gateway`, and starts it again. The part gets the given signal, or else its usual stop signal.
   * Resolves when the part answers again. Such a restart does not count as a restart after a crash. For tests only.
   */
  restart: (name: string, signal?: NodeJS.Signals) => Promise<void>;
  /** Ends a part for good, by a signal. For tests only. */
  end: (name: string, signal: NodeJS.Signals) => Promise<void>;
  /** Builds the console in the background. Without this call, the console is built on the first request. */
  buildConsole: () => void;
  stop: () => Promise<void>;
  /** Stops the stack and deletes its database and keys. */
  remove: () => Promise<void>;
}

/** Waits for the end of a task, but at most for `timeoutMs`. */
async function waitAtMost(task: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => timer = setTimeout(resolve, timeoutMs));
  await Promise.race([task.catch(() => {}), timeout]);
  clearTimeout(timer);
}

/**
 * Boots the whole stack: Postgres, Auth, Storage, PostgREST, the Edge Functions and the gateway in front of them, and a
 * chain if `chain` is set. Auth and Storage start at their first request. Resolves when all other parts answer. If a
 * part fails, rejects with a StackError and leaves nothing running.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  if (platform() === 'win32') {
    throw new StackError('The local stack runs on Linux and macOS; on Windows, run it in WSL.');
  }
  options.signal?.throwIfAborted();
  // Missing programs are reported before anything is made.
  denoBinary();
  postgrestBinary();
  const { port, log = () => {}, functionsDir = projectFunctionsDir, chain: hasChain = false } = options;
  if (hasChain) litesvmLibrary();
  const dir = options.dir ?? stackDir(port);
  await mkdir(dir, { recursive: true }).catch((error) => {
    throw new StackError(`The stack keeps its database and keys in ${dir}, which can't be made: ${error.message}`);
  });
  const dataDir = (await preparePostgres()).dataDir(dataDirOf(dir));
  const claim = await claimStack(dir, port, dataDir);

  const halt = new AbortController();
  const restarts = makeRestarts({ log, onGiveUp: (description) => halt.abort(new PartCrash(description)) });
  const set = makePartSet(halt, restarts.revive);
  const folderCheck = setInterval(() => {
    if (claim.isGone()) halt.abort(new PartCrash(''));
  }, FOLDER_CHECK_MS).unref();
  /**
   * Describes why the stack could not continue. If the stack's folder was deleted, the parts fail in many ways that
   * would not reveal the cause.
   */
  const describeCrash = (crash: PartCrash): string =>
    isGone
      ? `${dir} was deleted while its stack ran. The database and the keys were in it. npm start makes new ones`
      : crash.message;
  let socketDir: string | undefined;
  let gateway: Server | undefined;
  let sweeper: Sweeper | undefined;
  let console: ConsoleServer | undefined;
  let isGone = false;
  const boots = new Map<string, () => Promise<unknown>>();
  const { track, end: endProgress } = makeBootProgress(options.onProgress ?? (() => {}));

  const boot = async (): Promise<Pick<Stack, 'status' | 'keys' | 'superuserUrl'>> => {
    await assertPortsFree(port, { chain: hasChain });
    if (options.reset) await removeData(dir);
    const keys = await loadStackKeys(dir, dataDir);
    const dbPort = databasePort(port);
    const databasePorts = { primary: dbPort, standby: options.standbyPort };
    const status = makeStatus(port, databasePorts, keys, hasChain);
    const urlFor = (role: string) => databaseUrl(role, keys.dbPassword, databasePorts);
    const sockets = socketDir = makeSocketDir();
    const socketPath = (name: string) => join(sockets, `${name}.sock`);
    claim.update({ socketDir: sockets });

    const bootDatabase = () =>
      startCluster({
        dataDir: dataDirOf(dir),
        port: dbPort,
        dbPassword: keys.dbPassword,
        settings: options.postgresSettings,
        log,
        signal: halt.signal,
        onPart: set.keep,
      });
    const cluster = await track('Postgres', bootDatabase());
    halt.signal.throwIfAborted();

    const makeBootRest = (name: string, socket: string, poolSize: number) => async () => {
      await rm(socketPath(socket), { force: true });
      const rest = set.keep(startPostgrest({
        name,
        databaseUrl: urlFor('authenticator'),
        jwtSecret: keys.jwtSecret,
        socketPath: socketPath(socket),
        poolSize,
      }));
      await waitForPostgrest(rest, socketPath(socket));
    };
    // One PostgREST serves /rest/v1, and another serves the functions. So expensive filters of callers cannot use up
    // the database connections that starts of runs need.
    const bootRest = makeBootRest('PostgREST', 'rest', 10);
    const bootFunctionsRest = makeBootRest(FUNCTIONS_REST, 'functions-rest', 20);
    // The functions can call their PostgREST only by TCP, so their calls pass through the gateway. Other callers can
    // reach the gateway, too, so the path is secret.
    const functionsRestPath = randomBytes(16).toString('hex');
    const bootAuth = async () => {
      await rm(socketPath('auth'), { force: true });
      await set.keep(startAuthPart({
        databaseUrl: urlFor('supabase_auth_admin'),
        jwtSecret: keys.jwtSecret,
        siteUrl: `${status.API_URL}/console/`,
        socketPath: socketPath('auth'),
        onLine: (line) => log(`[auth] ${line}`),
      })).waitUntilReady();
    };
    const bootStorage = async () => {
      await rm(socketPath('storage'), { force: true });
      await set.keep(startStoragePart({
        databaseUrl: urlFor('supabase_storage_admin'),
        jwtSecret: keys.jwtSecret,
        dir: storageDirOf(dir),
        socketPath: socketPath('storage'),
        onLine: (line) => log(`[storage] ${line}`),
      })).waitUntilReady();
    };
    const env = {
      ...platformEnv(status, keys),
      REST_URL: `${options.functionEnv?.SUPABASE_URL ?? status.API_URL}/${functionsRestPath}/v1`,
      CONSOLE_URL: status.CONSOLE_URL,
      WALLET_KEYS: keys.walletKeys,
      // The runner may call private addresses, because flows under development call services on the same machine.
      ALLOW_PRIVATE_NETWORK: '1',
      ...options.functionEnv,
    };
    const dirs = [functionsDir, ...(options.extraFunctionsDir === undefined ? [] : [options.extraFunctionsDir])];
    const functions = dirs.flatMap((dir) => functionNames(dir).map((name) => ({ name, dir })));
    const bootFunction = async ({ name, dir }: { name: string; dir: string }) => {
      const onLine = (line: string) => log(`[${name}] ${line}`);
      const socket = socketPath(name);
      const watch = options.watch ?? true;
      // A killed function leaves its socket behind.
      await rm(socket, { force: true });
      await set.keep(startFunction({ name, functionsDir: dir, socketPath: socket, env, watch, onLine }))
        .waitUntilReady();
    };
    const bootChain = async () => {
      const onLine = (line: string) => log(`[chain] ${line}`);
      await set.keep(startChainPart(chainPort(port), socketPath('chain'), onLine)).waitUntilReady();
    };
    const migrateAndBootRest = async () => {
      const { supabaseProject } = options;
      const migrated = applyMigrations(cluster.url('postgres'), {
        seed: true,
        supabaseProject,
        signal: halt.signal,
        log,
      });
      await track('migrations', migrated);
      await Promise.all([track('PostgREST', bootRest()), track(FUNCTIONS_REST, bootFunctionsRest())]);
    };
    await runTogether(
      [
        migrateAndBootRest(),
        ...hasChain ? [track('chain', bootChain())] : [],
        ...functions.map((served) => track(`function ${served.name}`, bootFunction(served))),
      ],
      halt,
    );

    const authSocket = startedOnDemand({ name: 'Auth', socketPath: socketPath('auth'), boot: bootAuth, log });
    const storageSocket = startedOnDemand({
      name: 'Storage',
      socketPath: socketPath('storage'),
      boot: bootStorage,
      log,
    });
    const served = console = makeConsoleServer({
      apiUrl: status.API_URL,
      publishableKey: keys.publishableKey,
      log: (line) => log(`[console] ${line}`),
    });
    const bootGateway = async () =>
      void (gateway = await startGateway({
        port,
        keys,
        restSocket: socketPath('rest'),
        functionsRest: { path: functionsRestPath, socket: socketPath('functions-rest') },
        functionSocket: (name) => functions.some((one) => one.name === name) ? socketPath(name) : undefined,
        authSocket,
        storageSocket,
        authRates: options.authRates === undefined ? HOSTED_AUTH_RATES : options.authRates,
        spoolDir: join(dir, 'spool'),
        console: served,
      }));
    await track('gateway', bootGateway());
    for (const one of functions) boots.set(`function ${one.name}`, () => bootFunction(one));
    boots.set('Postgres', bootDatabase).set('PostgREST', bootRest).set(FUNCTIONS_REST, bootFunctionsRest);
    boots.set('Auth', bootAuth).set('Storage', bootStorage).set('gateway', bootGateway);
    if (hasChain) boots.set('chain', bootChain);
    for (const [name, bootAgain] of boots) restarts.allow(name, bootAgain);
    halt.signal.throwIfAborted();
    if (options.sweep ?? true) sweeper = startSweeper(status, log);
    claim.update({ state: 'ready', status });
    return { status, keys, superuserUrl: urlFor('supabase_admin') };
  };

  const closeGateway = async () => {
    const server = gateway;
    gateway = undefined;
    if (server === undefined) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  const restart = async (name: string, signal?: NodeJS.Signals) => {
    const boot = boots.get(name);
    if (boot === undefined) {
      throw new StackError(`The stack has no part ${name}; it has: ${[...boots.keys()].join(', ')}`);
    }
    if (name === 'gateway') await closeGateway();
    else await set.stop(name, signal);
    await boot();
  };
  const endAll = async () => {
    clearInterval(folderCheck);
    endProgress();
    isGone = claim.isGone();
    claim.update({ state: 'stopping' });
    halt.abort();
    sweeper?.stop();
    await Promise.all([closeGateway(), console?.close()]);
    await set.stopUsers();
    // The tasks of a halted boot can end only while their database is running, because a client that loses its database
    // may wait for ever.
    await waitAtMost(booting, HALT_GRACE_MS);
    await closeGateway();
    await set.stopDatabase();
    if (socketDir !== undefined) await rm(socketDir, { recursive: true, force: true });
    claim.release();
  };
  let ending: Promise<void> | undefined;
  const stop = (): Promise<void> => ending ??= endAll();

  const halted = once(halt.signal, 'abort').then(async () => {
    await stop();
    throw halt.signal.reason;
  });
  const haltOnRequest = () => halt.abort(options.signal?.reason);
  if (options.signal?.aborted) haltOnRequest();
  options.signal?.addEventListener('abort', haltOnRequest);
  const booting = boot().finally(endProgress);
  try {
    const booted = await Promise.race([booting, halted]);
    halted.catch((reason) => reason instanceof PartCrash && options.onCrash?.(describeCrash(reason)));
    const remove = async () => {
      await stop();
      await removeData(dir);
      await rm(dir, { recursive: true, force: true });
    };
    return { ...booted, parts: set.parts, restart, end: set.stop, buildConsole: () => console?.build(), stop, remove };
  } catch (error) {
    const cause = halt.signal.aborted ? halt.signal.reason : error;
    await stop();
    throw cause instanceof PartCrash ? new StackError(describeCrash(cause)) : cause;
  }
}
