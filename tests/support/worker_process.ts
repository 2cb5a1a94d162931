import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { denoBinary } from '../../supabase/local/functions.ts';
import { projectDir } from '../../supabase/local/paths.ts';
import type { StackStatus } from '../../supabase/local/stack.ts';
import { waitFor } from './wait.ts';

/** A running `npm run worker`. */
export interface WorkerProcess {
  process: ChildProcess;
  /** The events that it has logged. */
  events: () => { event: string; [field: string]: unknown }[];
  /** Resolves when it has begun to look for work. */
  ready: () => Promise<true>;
  /** Sends a signal, and resolves with the exit code or signal. */
  end: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals>;
}

export interface WorkerOptions {
  status: StackStatus;
  /** Settings, as the environment gives them. */
  env?: Record<string, string>;
  /** The script to run; the worker itself unless given. */
  script?: string;
  /** Whether it calls through PostgREST, as it does unless given, or Postgres itself. */
  over?: 'PostgREST' | 'Postgres' | undefined;
  /** Deno starts in an eighth of the time; Node is what `npm run worker` uses. */
  runtime?: 'node' | 'deno';
}

/** Runs a worker on a stack as an operator does, without npm between, so that a signal reaches it at once. */
export function startWorker(options: WorkerOptions): WorkerProcess {
  const { status, env, script = 'worker/main.ts', over = 'PostgREST', runtime = 'node' } = options;
  const [command, args] = runtime === 'node'
    ? ['node', ['--import', pathToFileURL(join(projectDir, 'worker/typescript.js')).href]] as const
    : [denoBinary(), ['run', '--allow-all', `--config=${join(projectDir, 'deno.json')}`]] as const;
  const child = spawn(command, [...args, join(projectDir, script)], {
    cwd: projectDir,
    env: {
      ...process.env,
      SUPABASE_URL: status.API_URL,
      SUPABASE_ANON_KEY: status.ANON_KEY,
      SUPABASE_SERVICE_ROLE_KEY: status.SERVICE_ROLE_KEY,
      ALLOW_PRIVATE_NETWORK: '1',
      SUPABASE_DB_URL: over === 'Postgres' ? status.DB_URL : '',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => output += chunk);
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => output += chunk);
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code ?? -1))
  );
  const events = () =>
    output.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}')).map((line) => JSON.parse(line));
  return {
    process: child,
    events,
    ready: () =>
      waitFor(() => {
        if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}:\n${output}`);
        return events().some(({ event }) => event === 'worker_started') || undefined;
      }),
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}
