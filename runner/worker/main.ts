import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { readWalletKeys } from '../../platform/secrets/sealed_secrets.ts';
import { writeLog } from '../log_line.ts';
import { workUntilStopped } from '../queue/long_lived.ts';
import { readRunnerSettings, settingFault } from '../settings.ts';
import { connectWorker } from './database.ts';
import { localStackEnvironment } from './local_stack_environment.ts';
import { spawnNodeScriptThread } from './node_script_thread.ts';

// V8 lets the heap of a busy process grow to several times its live data, and keeps it that large. With this flag, a
// worker stays as small after ten thousand runs as after the first runs, and does not become slower.
setFlagsFromString('--heap-growing-percent=20');

const USAGE = `npm run worker [-- [--port <N>] [--concurrency <N>]]

Executes queued runs of a project until it is told to end (SIGTERM, SIGINT). It then finishes or releases the runs that it holds.
Any number of workers may run side by side.

The environment names the project, as for its Edge Functions: SUPABASE_URL, SUPABASE_ANON_KEY or SUPABASE_PUBLISHABLE_KEYS,
SUPABASE_SERVICE_ROLE_KEY or SUPABASE_SECRET_KEYS, and WALLET_KEYS when wallets are stored with their keys, or connections.
With SUPABASE_DB_URL it calls Postgres itself, which is quicker. Then only nodes that use the project's data or make URLs
need SUPABASE_URL and a key.
Without both addresses it works for the local stack that was started in this folder.

  --port         the port of the local stack; default: the default port of npm start
  --concurrency  runs to execute at a time; default: RUNNER_CONCURRENCY, else 16`;

type Environment = (name: string) => string | undefined;

function readArguments(args: string[]): { port?: string; concurrency?: string; help?: boolean } {
  try {
    const options = { port: { type: 'string' }, concurrency: { type: 'string' }, help: { type: 'boolean' } } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${USAGE}`, { cause: error });
  }
}

/** Returns the environment of the process. If it names no project, adds the variables of the local stack. */
function findProject(env: Environment, port: string | undefined): Environment {
  if (env('SUPABASE_URL') !== undefined || env('SUPABASE_DB_URL') !== undefined) return env;
  const local = localStackEnvironment(port);
  return (name) => env(name) ?? local[name];
}

async function main(args: string[]): Promise<void> {
  const { port, concurrency, help } = readArguments(args);
  if (help) return console.log(USAGE);
  const fault = concurrency === undefined ? undefined : settingFault('runnerConcurrency', concurrency);
  if (fault !== undefined) throw new Error(`--concurrency ${fault}, not ${concurrency || 'nothing'}`);
  const given: Environment = (name) =>
    name === 'RUNNER_CONCURRENCY' ? concurrency ?? process.env[name] : process.env[name];
  const env = findProject(given, port);
  const usual = readRunnerSettings(env, false);
  // The runner reads the keys only when a run first needs one. This check finds malformed keys at the start of the
  // worker, before they make a run fail.
  if ((env('WALLET_KEYS') ?? '') !== '') readWalletKeys(env);
  // These modules are loaded only now, because the libraries of Solana take longer to load than the check of the
  // command line.
  const { makeRunnerWebhooks, makeRunnerWorker } = await import('../runner_worker.ts');
  const database = connectWorker(env);
  const settings = { ...usual, ...database.looks };

  // A run that calls flows, or has many nodes under way, adds many listeners to one signal. This is not a leak, so Node
  // must not warn of one.
  setMaxListeners(0);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  writeLog('info', { event: 'worker_started', url: database.url, concurrency: settings.runnerConcurrency });
  const isOver = new AbortController();
  const posted = makeRunnerWebhooks({ rpc: database.rpc, settings }).postUntil(
    AbortSignal.any([stop.signal, isOver.signal]),
  );
  try {
    await workUntilStopped({
      worker: makeRunnerWorker({
        rpc: database.rpc,
        settings,
        env,
        spawnScriptThread: spawnNodeScriptThread,
        makeWatch: database.makeWatch,
      }),
      pollMs: settings.pollMs,
      log: writeLog,
      stop: stop.signal,
    });
  } finally {
    isOver.abort();
    await posted;
    database.close();
  }
  writeLog('info', { event: 'worker_stopped' });
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
