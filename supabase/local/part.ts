import { type ChildProcess, spawn } from 'node:child_process';
import { StackError } from './stack_error.ts';

const OUTPUT_LINES_KEPT = 20;
const STOP_GRACE_MS = 5_000;
const READY_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 10;

/** How to start one process of the stack. */
export interface PartOptions {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** Sent first when the part is stopped; SIGKILL follows after 5 s. */
  stopSignal?: NodeJS.Signals;
  /** A line that contains this text says that the process is ready. */
  readyText?: string;
  /** Called with each line that the process prints, but for the one that says that it is ready. */
  onLine?: (line: string) => void;
}

/** One running process of the stack. */
export interface Part {
  name: string;
  pid: number;
  /** Resolves when the process is gone, whoever ended it. */
  exited: Promise<void>;
  /** True from the moment that `stop` was called: an exit is then no crash. */
  isStopping(): boolean;
  /** How the process ended and the last lines that it printed. */
  describeExit(): string;
  /** Resolves when `isReady` answers true; rejects when the process ends first or the time is over. */
  waitUntil(isReady: () => Promise<boolean> | boolean, timeoutMs?: number): Promise<void>;
  /** Resolves when the process has printed its `readyText`; rejects as `waitUntil` does. */
  waitUntilReady(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a process in a group of its own, so that a Ctrl-C in the terminal reaches it through the stack's orderly stop only. */
export function startPart(options: PartOptions): Part {
  const child: ChildProcess = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    uid: options.uid,
    gid: options.gid,
  });
  const lines: string[] = [];
  let end: string | undefined;
  let stopping = false;
  let saidReady = false;

  const keepLines = (stream: NodeJS.ReadableStream | null) => {
    let rest = '';
    stream?.setEncoding('utf8');
    stream?.on('data', (chunk: string) => {
      const complete = (rest + chunk).split('\n');
      rest = complete.pop() ?? '';
      for (const line of complete) {
        lines.push(line);
        if (lines.length > OUTPUT_LINES_KEPT) lines.shift();
        if (options.readyText !== undefined && line.includes(options.readyText)) saidReady = true;
        else options.onLine?.(line);
      }
    });
  };
  keepLines(child.stdout);
  keepLines(child.stderr);

  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      end ??= `could not be started: ${error.message}`;
      resolve();
    });
    // 'close' rather than 'exit': by then the last output has been read.
    child.once('close', (code, signal) => {
      end ??= signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      resolve();
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
    async stop() {
      stopping = true;
      if (end !== undefined) return;
      child.kill(options.stopSignal ?? 'SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
      await exited;
      clearTimeout(kill);
    },
  };
}
