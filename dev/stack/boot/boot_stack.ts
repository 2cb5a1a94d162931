import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { StackStatus } from '../../../platform/local_stack/running_stacks.ts';
import type { StackKeys } from '../keys.ts';
import { applyMigrations } from '../migrations.ts';
import type { Part } from '../parts/part.ts';
import { runTogether } from '../parts/part_set.ts';
import { assertPortsFree, databasePort } from '../ports.ts';
import { startCluster } from '../postgres/cluster.ts';
import { databaseUrl } from '../postgres/postgres.ts';
import { dataDirOf, loadStackKeys, makeSocketDir, removeData } from '../stack_dir.ts';
import type { StackOptions } from '../stack_options.ts';
import { makeStatus, platformEnv } from '../stack_status.ts';
import { makeStackGateway, type StackGateway } from './boot_gateway.ts';
import { FUNCTIONS_REST, makePartBoots } from './boot_parts.ts';

/** What a boot has started. A boot that is halted has started some of it. */
export interface Started {
  socketDir?: string;
  gateway?: StackGateway;
  /** Starts a part, or the gateway, again. */
  boots: Map<string, () => Promise<unknown>>;
}

interface BootSetup {
  options: StackOptions;
  dir: string;
  dataDir: string;
  halt: AbortController;
  keep: (part: Part) => Part;
  /** Reports the progress of a part. */
  track: <T>(name: string, task: Promise<T>) => Promise<T>;
  /** Called with the folder of the sockets, before a part uses it. */
  onSocketDir: (socketDir: string) => void;
}

export interface BootedStack {
  status: StackStatus;
  keys: StackKeys;
  /** Connects as the superuser; for tests and tools only. */
  superuserUrl: string;
}

/** Boots all parts of a stack, and records in `started` what must be ended. */
export async function bootStack(
  { options, dir, dataDir, halt, keep, track, onSocketDir }: BootSetup,
  started: Started,
): Promise<BootedStack> {
  const { port, log = () => {}, chain: hasChain = false } = options;
  await assertPortsFree(port, { chain: hasChain });
  if (options.reset) await removeData(dir);
  const keys = await loadStackKeys(dir, dataDir);
  const databasePorts = { primary: databasePort(port), standby: options.standbyPort };
  const status = makeStatus(port, databasePorts, keys, hasChain);
  const urlFor = (role: string) => databaseUrl(role, keys.dbPassword, databasePorts);
  const sockets = started.socketDir = makeSocketDir();
  const socketPath = (name: string) => join(sockets, `${name}.sock`);
  onSocketDir(sockets);

  const bootDatabase = () =>
    startCluster({
      dataDir: dataDirOf(dir),
      port: databasePorts.primary,
      dbPassword: keys.dbPassword,
      settings: options.postgresSettings,
      log,
      signal: halt.signal,
      onPart: keep,
    });
  const cluster = await track('Postgres', bootDatabase());
  halt.signal.throwIfAborted();

  // The functions can call their PostgREST only by TCP, so their calls pass through the gateway. Other callers can
  // reach the gateway, too, so the path is secret.
  const functionsRestPath = randomBytes(16).toString('hex');
  const env = {
    ...platformEnv(status, keys),
    REST_URL: `${options.functionEnv?.SUPABASE_URL ?? status.API_URL}/${functionsRestPath}/v1`,
    CONSOLE_URL: status.CONSOLE_URL,
    WALLET_KEYS: keys.walletKeys,
    // The runner may call private addresses, because flows under development call services on the same machine.
    ALLOW_PRIVATE_NETWORK: '1',
    ...options.functionEnv,
  };
  const siteUrl = `${status.API_URL}/console/`;
  const parts = makePartBoots({ options, dir, keys, env, siteUrl, urlFor, socketPath, keep, log });
  const migrateAndBootRest = async () => {
    const migrated = applyMigrations(cluster.url('postgres'), {
      seed: true,
      supabaseProject: options.supabaseProject,
      signal: halt.signal,
      log,
    });
    await track('migrations', migrated);
    await Promise.all([track('PostgREST', parts.rest()), track(FUNCTIONS_REST, parts.functionsRest())]);
  };
  await runTogether(
    [
      migrateAndBootRest(),
      ...hasChain ? [track('chain', parts.chain())] : [],
      ...[...parts.functions].map(([name, boot]) => track(`function ${name}`, boot())),
    ],
    halt,
  );

  const gateway = started.gateway = makeStackGateway({
    port,
    keys,
    socketPath,
    functionSocket: (name) => parts.functions.has(name) ? socketPath(name) : undefined,
    functionsRestPath,
    bootAuth: parts.auth,
    bootStorage: parts.storage,
    authRates: options.authRates,
    spoolDir: join(dir, 'spool'),
    apiUrl: status.API_URL,
    log,
  });
  await track('gateway', gateway.boot());
  for (const [name, boot] of parts.functions) started.boots.set(`function ${name}`, boot);
  started.boots.set('Postgres', bootDatabase).set('PostgREST', parts.rest).set(FUNCTIONS_REST, parts.functionsRest)
    .set('Auth', parts.auth).set('Storage', parts.storage).set('gateway', gateway.boot);
  if (hasChain) started.boots.set('chain', parts.chain);
  return { status, keys, superuserUrl: urlFor('supabase_admin') };
}
