import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { StackError } from '../stack_error.ts';

const OUTPUT_LINES_KEPT = 20;
const STOP_GRACE_MS = 5_000;
/** This is much longer than a start usually takes, because a busy machine may be many times slower. */
const READY_TIMEOUT_MS = 180_000;
const READY_POLL_MS = 10;

/** How to start one process of the stack. */
export interface PartOptions {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  /** The environment variables of this process that the part inherits; default: all but PG…. */
  inherits?: RegExp;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** Sent first when the part is stopped; SIGKILL follows after 5 s. */
  stopSignal?: NodeJS.Signals;
  /** A line with this text reports that the process is ready. */
  readyText?: string;
  /**
   * A line that matches reports a failure, even if the process stays alive. The process is then killed. The first group
   * describes the failure.
   */
  failurePattern?: RegExp;
  /**
   * A line with this text reports that the process restarts because of an edit. A failure after this line does not end
   * the process.
   */
  restartText?: string;
  /** Lines that match are dropped, because they are noise. */
  noisePattern?: RegExp;
  /**
   * Called with each line that the process prints, once the process is ready. Earlier lines wait, because they belong
   * to the error if the start fails.
   */
  onLine?: (line: string) => void;
}

/** One running process of the stack. */
export interface Part {
  name: string;
  pid: number;
  /** Resolves when the process has ended, for any reason. */
  exited: Promise<void>;
  /** Returns true after `stop` was called: an exit after that is not a crash. */
  isStopping(): boolean;
  /** Describes how the process ended, with its last lines. */
  describeExit(): string;
  /** Resolves when `isReady` returns true. Rejects if the process ends first or the time is over. */
  waitUntil(isReady: () => Promise<boolean> | boolean, timeoutMs?: number): Promise<void>;
  /** Resolves when the process has printed its `readyText`, if it has one. Rejects like `waitUntil`. */
  waitUntilReady(): Promise<void>;
  /** Ends the process by `stopSignal`, or by the given signal. SIGKILL follows after 5 s. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Matches all variables but PG…: a developer's shell may set those for psql, and the parts must not use them. */
const NOT_FOR_DATABASES = /^(?!PG)/;

const inheritedEnv = (names: RegExp): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name)));

/** Describes why a program could not be started. */
const describeStartError = (error: NodeJS.ErrnoException, command: string): string => {
  if (error.code === 'ENOENT' && existsSync(command)) return `${command} is made for another system than this one`;
  return error.message;
};

// Ends the parts when this process exits. If this process gets SIGKILL, the parts keep running.
const living = new Map<ChildProcess, NodeJS.Signals>();
process.once('exit', () => living.forEach((signal, child) => child.kill(signal)));

/**
 * Starts a process in its own group, so that a Ctrl-C in the terminal does not reach the process. The stack gets the
 * Ctrl-C and stops its parts in order.
 */
export function startPart(options: PartOptions): Part {
  const { stopSignal = 'SIGTERM', inherits = NOT_FOR_DATABASES } = options;
  const child: ChildProcess = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: { ...inheritedEnv(inherits), ...options.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    uid: options.uid,
    gid: options.gid,
  });
  living.set(child, stopSignal);
  const lines: string[] = [];
  let end: string | undefined;
  let stopping = false;
  // If there is no `readyText`, no line waits for it.
  let saidReady = options.readyText === undefined;
  let restarting = false;
  let failure: string | undefined;
  const early: string[] = [];

  const takeLine = (line: string) => {
    if (options.noisePattern?.test(line)) return;
    if (options.readyText !== undefined && line.includes(options.readyText)) {
      saidReady = true;
      restarting = false;
      for (const earlyLine of early.splice(0)) options.onLine?.(earlyLine);
      return;
    }
    if (options.restartText !== undefined && line.includes(options.restartText)) restarting = true;
    if (!restarting && !stopping) {
      failure ??= options.failurePattern?.exec(line)?.[1];
      if (failure !== undefined) return void child.kill('SIGKILL');
    }
    lines.push(line);
    if (lines.length > OUTPUT_LINES_KEPT) lines.shift();
    if (saidReady) options.onLine?.(line);
    else early.push(line);
  };
  const takeLines = (stream: NodeJS.ReadableStream | null) => {
    let rest = '';
    stream?.setEncoding('utf8');
    stream?.on('data', (chunk: string) => {
      const complete = (rest + chunk).split('\n');
      rest = complete.pop() ?? '';
      complete.forEach(takeLine);
    });
    stream?.on('end', () => rest !== '' && takeLine(rest));
  };
  takeLines(child.stdout);
  takeLines(child.stderr);

  const exited = new Promise<void>((resolve) => {
    const finish = (how: string) => {
      end ??= how;
      living.delete(child);
      resolve();
    };
    child.once('error', (error) => finish(`could not be started: ${describeStartError(error, options.command)}`));
    // The event 'close' comes after the last output was read, unlike 'exit'.
    child.once('close', (code, signal) => {
      finish(failure ?? (signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`));
    });
  });

  const describeExit = () => [`${options.name} ${end ?? 'is running'}`, ...lines.map((line) => `  ${line}`)].join('\n');

  const waitUntil = async (isReady: () => Promise<boolean> | boolean, timeoutMs = READY_TIMEOUT_MS) => {
    const deadline = Date.now() + timeoutMs;
    while (end === undefined) {
      if (await isReady()) return;
      if (Date.now() > deadline) {
        throw new StackError(`${options.name} was not ready after ${timeoutMs / 1000} s\n${describeExit()}`);
      }
      await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))]);
    }
    throw new StackError(describeExit());
  };

  return {
    name: options.name,
    pid: child.pid ?? -1,
    exited,
    isStopping: () => stopping,
    describeExit,
    waitUntil,
    waitUntilReady: () => waitUntil(() => saidReady),
    async stop(signal = stopSignal) {
      stopping = true;
      if (end !== undefined) return;
      child.kill(signal);
      const kill = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
      await exited;
      clearTimeout(kill);
    },
  };
}
