import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { sep } from 'node:path';
import {
  codeOf,
  DEFAULT_PORT,
  explainAccess,
  heldFolders,
  readRecord,
  readStack,
  recordFile,
  runningPorts,
  type StackRecord,
} from '../../platform/local_stack/running_stacks.ts';
import { commandLine, findProcesses } from '../../platform/local_stack/processes.ts';
import { StackError } from './stack_error.ts';

const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** The exclusive use of a stack's folder by this process. */
interface FolderClaim {
  /** Tests whether somebody has deleted the folder meanwhile. */
  isGone: () => boolean;
  update: (change: Partial<Omit<StackRecord, 'pid' | 'commandLine'>>) => void;
  release: () => void;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const draftFile = (dir: string) => `${recordFile(dir)}.${process.pid}`;

/**
 * Writes a record to a new file. The caller makes this file the record in one step, so that nobody reads half of a
 * record.
 */
function writeDraft(dir: string, record: StackRecord): string {
  writeFileSync(draftFile(dir), JSON.stringify(record), { mode: 0o600 });
  return draftFile(dir);
}

/**
 * Chooses the port of a running stack: the named port, else the default port if a stack runs there, else the port of
 * the only running stack. If no stack runs, returns the default port. Throws if several stacks run, but none on the
 * default port.
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
 * Ends the processes that a killed stack (by SIGKILL or a power failure) left running. The processes are found by their
 * command lines.
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
      // Postgres is asked for a fast shutdown; the other parts have nothing to lose, and Deno's watcher ignores
      // SIGTERM.
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

/** Waits for a stopping stack in `dir`, and throws if one is running there. */
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

/**
 * Cleans up after a killed stack in `dir`, and claims the folder for this process's stack. Throws if another stack is
 * running there.
 */
export async function claimStack(dir: string, port: number, dataDir: string): Promise<FolderClaim> {
  await assertUnclaimed(dir, port);
  const killed = readRecord(dir);
  await endLeftovers(dataDir, killed?.socketDir);
  if (killed !== undefined) rmSync(recordFile(dir), { force: true });

  let record: StackRecord = { pid: process.pid, commandLine: commandLine(process.pid), state: 'starting' };
  // A hard link fails if the file exists. So if two starts run concurrently, only one of them gets the folder.
  try {
    linkSync(writeDraft(dir, record), recordFile(dir));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw explainAccess(dir, error);
    await assertUnclaimed(dir, port);
    throw error;
  } finally {
    rmSync(draftFile(dir), { force: true });
  }
  heldFolders.add(dir);
  const isGone = () => !existsSync(recordFile(dir));
  return {
    isGone,
    update: (change) => {
      record = { ...record, ...change };
      // If the folder was deleted, no record is written.
      if (!isGone()) renameSync(writeDraft(dir, record), recordFile(dir));
    },
    release: () => {
      heldFolders.delete(dir);
      rmSync(recordFile(dir), { force: true });
    },
  };
}
