import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
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
  /**
   * Node reads the sources, as in `npm run worker`, or a bundle of them, with which it starts in a sixth of the time. Deno
   * reads the bundle too, and starts in half of that.
   */
  runtime?: 'node' | 'bundle in node' | 'deno';
}

const bundles = new Map<string, string>();

/** When and where a bundle was made, and of which files. */
interface BundleRecord {
  madeAt: number;
  /** A copy of the project elsewhere has the bundle too, with addresses of this one. */
  projectDir: string;
  inputs: string[];
}

/** What npm writes whenever it changes packages, whose own files keep the time at which they were published. */
const INSTALLED = 'node_modules/.package-lock.json';
/** How a bundle is made. */
const MAKER = relative(projectDir, fileURLToPath(import.meta.url));

/** Whether a bundle is of the files as they are now. */
function isCurrent(recordFile: string): boolean {
  try {
    const made = JSON.parse(readFileSync(recordFile, 'utf8')) as BundleRecord;
    const isUnchanged = (file: string) => statSync(join(projectDir, file)).mtimeMs < made.madeAt;
    return made.projectDir === projectDir && [INSTALLED, MAKER, ...made.inputs].every(isUnchanged);
  } catch {
    // There is none, or one of its files is gone.
    return false;
  }
}

/** The file of a bundle of the script. It stays for other processes, since making it costs as much as several workers do. */
function bundleOf(script: string): string {
  const known = bundles.get(script);
  if (known !== undefined) return known;
  const folder = join(projectDir, 'node_modules/.cache/flow-test-workers');
  const file = join(folder, `${basename(script, '.ts')}.mjs`);
  const recordFile = `${file}.json`;
  if (!isCurrent(recordFile)) {
    const madeAt = Date.now();
    const source = join(projectDir, script);
    const { outputFiles, metafile } = buildSync({
      absWorkingDir: projectDir,
      entryPoints: [source],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      // Threads for scripts begin with files beside the script's own.
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(source).href) },
      logLevel: 'error',
    });
    mkdirSync(folder, { recursive: true });
    // Other processes may start the one of the same name meanwhile, or make it too.
    const replace = (path: string, contents: Uint8Array | string) => {
      writeFileSync(`${path}.${process.pid}`, contents);
      renameSync(`${path}.${process.pid}`, path);
    };
    replace(file, outputFiles[0]!.contents);
    const record: BundleRecord = { madeAt, projectDir, inputs: Object.keys(metafile.inputs) };
    replace(recordFile, JSON.stringify(record));
  }
  bundles.set(script, file);
  return file;
}

/** Runs a worker on a stack as an operator does, without npm between, so that a signal reaches it at once. */
export function startWorker(options: WorkerOptions): WorkerProcess {
  const { status, env, script = 'worker/main.ts', over = 'PostgREST', runtime = 'node' } = options;
  const commands = {
    'node': () => [
      'node',
      '--import',
      pathToFileURL(join(projectDir, 'worker/typescript.js')).href,
      join(projectDir, script),
    ],
    'bundle in node': () => ['node', bundleOf(script)],
    'deno': () => [denoBinary(), 'run', '--allow-all', `--config=${join(projectDir, 'deno.json')}`, bundleOf(script)],
  };
  const [command, ...args] = commands[runtime]() as [string, ...string[]];
  const child = spawn(command, args, {
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
