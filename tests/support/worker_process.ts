import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { denoBinary } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { waitFor } from './wait.ts';

/** A running `npm run worker`. */
export interface WorkerProcess {
  process: ChildProcess;
  /** Returns the events that it has logged. */
  events: () => { event: string; [field: string]: unknown }[];
  /** Resolves when it has begun to look for work. */
  ready: () => Promise<true>;
  /** Sends a signal, and resolves with the exit code or signal. */
  end: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals>;
}

export interface WorkerOptions {
  status: StackStatus;
  /** Settings, as environment variables. */
  env?: Record<string, string>;
  /** The script to run; the worker itself by default. */
  script?: string;
  /**
   * The way in which the worker calls the database: through PostgREST, the default, or over connections to Postgres.
   */
  over?: 'PostgREST' | 'Postgres' | undefined;
  /**
   * The runtime. `node` runs the sources, as `npm run worker` does. `bundle in node` runs a bundle, which starts in a
   * sixth of the time. `deno` runs the same bundle, and starts in a twelfth of the time.
   */
  runtime?: 'node' | 'bundle in node' | 'deno';
}

const bundles = new Map<string, string>();

/** The facts about a bundle: when and where it was made, and from which files. */
interface BundleRecord {
  madeAt: number;
  /**
   * The project's folder, whose paths are in the bundle. A copy of the project in another folder has a copy of the
   * bundle, which must not be used there.
   */
  projectDir: string;
  inputs: string[];
}

/**
 * The file that npm writes whenever it changes packages. Its time tells whether packages have changed: files in
 * packages keep the time of their publication.
 */
const INSTALLED = 'node_modules/.package-lock.json';
/** The file that makes bundles. */
const MAKER = relative(projectDir, fileURLToPath(import.meta.url));

/** True if a bundle is made of the present files. */
function isCurrent(recordFile: string): boolean {
  try {
    const made = JSON.parse(readFileSync(recordFile, 'utf8')) as BundleRecord;
    const isUnchanged = (file: string) => statSync(join(projectDir, file)).mtimeMs < made.madeAt;
    return made.projectDir === projectDir && [INSTALLED, MAKER, ...made.inputs].every(isUnchanged);
  } catch {
    // There is no bundle, or one of its files is gone.
    return false;
  }
}

/**
 * Returns the bundle of the script. The bundle is kept for other processes, because making it takes as long as starting
 * several workers.
 */
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
      // The thread for scripts loads a file beside its source, so the bundle needs the source's address.
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(source).href) },
      logLevel: 'error',
    });
    mkdirSync(folder, { recursive: true });
    // Replace the files in one step, because other processes may start or make the same bundle meanwhile.
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

/** Runs a worker on a stack as an operator does, but without npm, so that signals reach it at once. */
export function startWorker(options: WorkerOptions): WorkerProcess {
  const { status, env, script = 'runner/worker/main.ts', over = 'PostgREST', runtime = 'node' } = options;
  const commands = {
    'node': () => [
      'node',
      '--import',
      pathToFileURL(join(projectDir, 'platform/loader/typescript.js')).href,
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
