import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { makeDeps } from '../functions/_shared/deps.ts';
import { writeLog } from '../functions/runner/log_line.ts';
import { workUntilStopped } from '../functions/runner/queue/long_lived.ts';
import { makeRunnerWorker } from '../functions/runner/runner_worker.ts';
import { readRunnerSettings } from '../functions/runner/settings.ts';
import { stackDir } from '../supabase/local/paths.ts';
import { DEFAULT_PORT, parsePort } from '../supabase/local/ports.ts';
import { loadWalletKeys } from '../supabase/local/stack_dir.ts';
import { isUsageError, StackError } from '../supabase/local/stack_error.ts';
import { readStack } from '../supabase/local/stack_record.ts';
import { spawnNodeScriptThread } from './node_script_thread.ts';

// By itself V8 lets the heap of a busy process grow to several times what lives in it, and keeps it: with this, ten thousand runs
// later a worker is as large as after the first ones, and as fast (docs/performance.md, P9).
setFlagsFromString('--heap-growing-percent=20');

const USAGE = `npm run worker [-- [--port <N>] [--concurrency <N>]]

Executes queued runs until it is told to end (SIGTERM, SIGINT): it then finishes or hands back what it holds.
Any number of workers may run side by side.

  --port         the local stack's port; default ${DEFAULT_PORT}
  --concurrency  runs to execute at a time; default RUNNER_CONCURRENCY, else 16

For another project, the environment of its Edge Functions: SUPABASE_URL, SUPABASE_ANON_KEY or SUPABASE_PUBLISHABLE_KEYS,
SUPABASE_SERVICE_ROLE_KEY or SUPABASE_SECRET_KEYS, and WALLET_KEYS where wallets are stored with their keys.`;

type Environment = (name: string) => string | undefined;

/** The environment of the process; without a project in it, that of the local stack. */
async function findProject(env: Environment, port: number): Promise<Environment> {
  if (env('SUPABASE_URL') !== undefined) return env;
  const stack = readStack(stackDir(port))?.status;
  if (stack === undefined) throw new StackError(`No stack runs on port ${port}: start one with npm start.\n\n${USAGE}`);
  const local: Record<string, string> = {
    SUPABASE_URL: stack.API_URL,
    SUPABASE_ANON_KEY: stack.ANON_KEY,
    SUPABASE_SERVICE_ROLE_KEY: stack.SERVICE_ROLE_KEY,
    WALLET_KEYS: await loadWalletKeys(stackDir(port)),
    ALLOW_PRIVATE_NETWORK: '1',
  };
  return (name) => env(name) ?? local[name];
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { port: { type: 'string' }, concurrency: { type: 'string' } } });
  const given: Environment = (name) =>
    name === 'RUNNER_CONCURRENCY' ? values.concurrency ?? process.env[name] : process.env[name];
  const env = await findProject(given, parsePort(values.port));
  const settings = readRunnerSettings(env, false);
  const { config, serviceRpc } = makeDeps({ env, fetch, waitUntil: () => {} });

  // A run that calls flows, or has many nodes under way, listens to one signal many times over: no leak, and no line for the log.
  setMaxListeners(0);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  writeLog('info', { event: 'worker_started', url: config.supabaseUrl, concurrency: settings.runnerConcurrency });
  await workUntilStopped({
    worker: makeRunnerWorker({ rpc: serviceRpc, settings, env, spawnScriptThread: spawnNodeScriptThread }),
    pollMs: settings.pollMs,
    log: writeLog,
    stop: stop.signal,
  });
  writeLog('info', { event: 'worker_stopped' });
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const { message } = error as Error;
  console.error(isUsageError(error) ? `${message}\n\n${USAGE}` : message);
  process.exitCode = 1;
}
