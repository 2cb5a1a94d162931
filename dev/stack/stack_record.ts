import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { stackDir, stacksDir } from './paths.ts';
import { DEFAULT_PORT } from './ports.ts';
import { commandLine, findProcesses } from './processes.ts';
import { StackError } from './stack_error.ts';
import type { StackStatus } from './stack_status.ts';

const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/**
 * The record that a stack keeps in its folder while it lives: `npm run status` reads it, and so does a later start when
 * the stack was killed.
 */
interface StackRecord {
  pid: number;
  /** Distinguishes the process from a later one with the same id. */
  commandLine: string;
  state: 'starting' | 'ready' | 'stopping';
  /** The folder of its parts' sockets, which their command lines contain. */
  socketDir?: string;
  status?: StackStatus;
}

/** The exclusive use of a stack's folder by this process. */
export interface FolderClaim {
  /** Whether somebody has deleted the folder meanwhile. */
  isGone: () => boolean;
  update: (change: Partial<Omit<StackRecord, 'pid' | 'commandLine'>>) => void;
  release: () => void;
}

const recordFile = (dir: string) => join(dir, 'stack.json');

/** The folders for which this process holds a claim. */
const held = new Set<string>();

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';

/** A clear error for a folder that this user may not read or write; other errors are returned unchanged. */
const explainAccess = (dir: string, error: unknown): unknown =>
  ['EACCES', 'EPERM'].includes(codeOf(error))
    ? new StackError(
      `${dir} belongs to another user (${codeOf(error)}): go on as that user, or choose another port: -- --port <N>`,
    )
    : error;

function readRecord(dir: string): StackRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordFile(dir), 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw explainAccess(dir, error);
  }
}

const draftFile = (dir: string) => `${recordFile(dir)}.${process.pid}`;

/** Writes a record to another file, which is then put in place at once, so that nobody reads half of a record. */
function writeDraft(dir: string, record: StackRecord): string {
  writeFileSync(draftFile(dir), JSON.stringify(record), { mode: 0o600 });
  return draftFile(dir);
}

/**
 * In a restarted container this process may have the id and the command line of the old one. Then only the claims held
 * here count.
 */
const isAlive = (dir: string, { pid, commandLine: expected }: StackRecord): boolean =>
  pid === process.pid ? held.has(dir) : expected !== '' && commandLine(pid) === expected;

/** The state of the stack that lives in `dir`, if one does. */
export function readStack(dir: string): Pick<StackRecord, 'pid' | 'state' | 'status'> | undefined {
  const record = readRecord(dir);
  return record !== undefined && isAlive(dir, record) ? record : undefined;
}

/** The status of the stack on `port`, or undefined when none is ready there. */
export function readStatus(port: number): StackStatus | undefined {
  const stack = readStack(stackDir(port));
  return stack?.state === 'ready' ? stack.status : undefined;
}

/** The ports on which stacks of this project are ready, in order. */
export function runningPorts(): number[] {
  const folders = existsSync(stacksDir) ? readdirSync(stacksDir, { withFileTypes: true }) : [];
  // Others are those of demos, which end soon.
  const ports = folders.filter((folder) => folder.isDirectory() && /^\d+$/.test(folder.name)).flatMap(({ name }) => {
    try {
      const stack = readStack(join(stacksDir, name));
      return stack?.state === 'ready' ? [Number(new URL(stack.status!.API_URL).port)] : [];
    } catch (error) {
      // This user could not use another user's stack.
      if (error instanceof StackError) return [];
      throw error;
    }
  });
  return ports.toSorted((a, b) => a - b);
}

/**
 * The port of the stack that is meant: the named one, else the default port where a stack runs there, else that of the
 * only one that runs. Without any it is the default port. Throws where several run elsewhere.
 */
export function chooseRunningPort(named: number | undefined): number {
  if (named !== undefined) return named;
  const ports = runningPorts();
  if (ports.includes(DEFAULT_PORT) || ports.length === 0) return DEFAULT_PORT;
  if (ports.length === 1) return ports[0]!;
  throw new StackError(`Several stacks run, on ports ${ports.join(', ')}. Name one: -- --port ${ports[0]}`);
}

const isServer = (commandLine: string, dataDir: string): boolean =>
  /(^|\/)(postgres|initdb) /.test(commandLine) && `${commandLine} `.includes(`${dataDir} `);

/**
 * Ends the processes that a killed stack (SIGKILL, an empty battery) left running. It finds them by their command
 * lines.
 */
async function endLeftovers(dataDir: string, socketDir: string | undefined): Promise<void> {
  const isLeftover = (line: string) =>
    isServer(line, dataDir) || (socketDir !== undefined && line.includes(socketDir + sep));
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  const asked = new Set<number>();
  for (let left = findProcesses(isLeftover); left.length > 0; left = findProcesses(isLeftover)) {
    const isOverdue = Date.now() > deadline;
    for (const pid of left) {
      if (asked.has(pid) && !isOverdue) continue;
      asked.add(pid);
      // Postgres is asked for a fast shutdown; the other parts have nothing to lose, and Deno's watcher ignores SIGTERM.
      const signal = isServer(commandLine(pid), dataDir) && !isOverdue ? 'SIGINT' : 'SIGKILL';
      try {
        process.kill(pid, signal);
      } catch (error) {
        if (codeOf(error) === 'ESRCH') continue;
        throw new StackError(`Process ${pid}, left by a former stack, can't be ended: ${(error as Error).message}`);
      }
    }
    await sleep(POLL_MS);
  }
  if (socketDir !== undefined) await rm(socketDir, { recursive: true, force: true });
}

/** Waits for a stack in `dir` that is stopping; refuses while one lives there. */
async function assertUnclaimed(dir: string, port: number): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  for (let other = readStack(dir); other !== undefined; other = readStack(dir)) {
    if (other.state === 'stopping' && Date.now() < deadline) {
      await sleep(POLL_MS);
      continue;
    }
    const doing = other.state === 'ready' ? 'running' : other.state;
    throw new StackError(
      `A stack is already ${doing} on port ${port} (process ${other.pid}). ` +
        'Stop it, or choose another port: npm start -- --port <N>',
    );
  }
}

/** Takes `dir` for this process's stack, after cleaning up behind a killed one; refuses while another stack lives there. */
export async function claimStack(dir: string, port: number, dataDir: string): Promise<FolderClaim> {
  await assertUnclaimed(dir, port);
  const killed = readRecord(dir);
  await endLeftovers(dataDir, killed?.socketDir);
  if (killed !== undefined) rmSync(recordFile(dir), { force: true });

  let record: StackRecord = { pid: process.pid, commandLine: commandLine(process.pid), state: 'starting' };
  // A hard link fails where a file exists, so that of two starts at once only one gets the folder.
  try {
    linkSync(writeDraft(dir, record), recordFile(dir));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw explainAccess(dir, error);
    await assertUnclaimed(dir, port);
    throw error;
  } finally {
    rmSync(draftFile(dir), { force: true });
  }
  held.add(dir);
  const isGone = () => !existsSync(recordFile(dir));
  return {
    isGone,
    update: (change) => {
      record = { ...record, ...change };
      // When the folder is gone, no record is written.
      if (!isGone()) renameSync(writeDraft(dir, record), recordFile(dir));
    },
    release: () => {
      held.delete(dir);
      rmSync(recordFile(dir), { force: true });
    },
  };
}
