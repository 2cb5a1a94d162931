import { type ChildProcess, spawn } from 'node:child_process';
import { projectDir } from '../../dev/stack/paths.ts';
import { findProcesses } from '../../platform/local_stack/processes.ts';
import { npmScript } from './npm_script.ts';
import { waitFor } from './wait.ts';

/** A running `npm start`. */
export interface NpmStart {
  /** The process of npm. It leads a process group, as in a terminal. */
  process: ChildProcess;
  output: () => string;
  /** Resolves when the stack prints that it is ready. */
  ready: () => Promise<true>;
  /** Resolves with npm's exit code or signal. Waits until npm and all processes that write to its output have ended. */
  ended: Promise<number | NodeJS.Signals>;
}

interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `npm start -- --port <port> …` as a person would. */
export function npmStart(port: number, ...args: string[]): NpmStart {
  const child = spawn('npm', ['--silent', 'start', '--', '--port', String(port), ...args], {
    cwd: projectDir,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => output += chunk);
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => output += chunk);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code ?? -1));
  });
  const ready = () =>
    waitFor(() => {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${output}`);
      return output.includes('\nReady after ') || undefined;
    });
  return { process: child, output: () => output, ready, ended };
}

/** Runs `npm run --silent status` with `-- --json`, or with other arguments. */
export function npmStatus(port: number, ...args: string[]): Promise<CommandResult> {
  const format = args.length > 0 ? args : ['--json'];
  const child = spawn(process.execPath, npmScript('status', ...format, '--port', String(port)), { cwd: projectDir });
  const result: CommandResult = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => result.stdout += chunk);
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => result.stderr += chunk);
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...result, code })));
}

/** Returns the processes of the stack on a port: `npm start`, its children, and Postgres, found by its data folder. */
export const stackProcesses = (port: number, dataDir: string): number[] =>
  findProcesses((line) => line.includes(`start --port ${port}`) || line.includes(dataDir));
