import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './processes.ts';

/** A failure that the person at the terminal can act on. It is printed without a stack trace. */
export class StackError extends Error {
  override name = 'StackError';
}

/** The folder of the local stacks' data; each stack has a folder in it. */
export const stacksDir = resolve(dirname(fileURLToPath(import.meta.url)), '../../.stack');

/** Returns the folder in which `npm start` stores a stack's database and keys, by its port. */
export const stackDir = (port: number): string => join(stacksDir, String(port));

/** The port of `supabase start`, and so the default here. */
export const DEFAULT_PORT = 54321;

/** The lowest port that Postgres can use, because it never runs as root. */
const FIRST_PORT = 1_024;

/** Reads the port of a command line. Returns the default port if the command line has none. */
export function parsePort(text: string | undefined): number {
  const port = text === undefined ? DEFAULT_PORT : Number(text);
  // The database, the chain and its subscriptions take the ports above.
  if (!Number.isInteger(port) || port < FIRST_PORT || port > 65_532) {
    throw new StackError(
      `--port must be a number from ${FIRST_PORT} to 65532, not ${
        text || 'nothing'
      }: lower ports belong to the system, ` +
        'and the stack may also take the three ports above',
    );
  }
  return port;
}

/** The values that a client needs to know about a running stack, under the names of `supabase status -o json`. */
export interface StackStatus {
  API_URL: string;
  DB_URL: string;
  FUNCTIONS_URL: string;
  /** The web console. */
  CONSOLE_URL: string;
  ANON_KEY: string;
  SERVICE_ROLE_KEY: string;
  PUBLISHABLE_KEY: string;
  SECRET_KEY: string;
  JWT_SECRET: string;
  /** The chain's RPC address, if the stack has a chain. */
  CHAIN_URL?: string;
  /** The chain's address for subscriptions, if the stack has a chain. */
  CHAIN_WS_URL?: string;
}

/**
 * The record that a running stack keeps in its folder. Its readers are `npm run status`, workers, the command `flows`
 * and, if the stack was killed, the next start.
 */
export interface StackRecord {
  pid: number;
  /** Distinguishes the process from a later one with the same id. */
  commandLine: string;
  state: 'starting' | 'ready' | 'stopping';
  /** The folder of the parts' sockets. The command lines of the parts contain this path. */
  socketDir?: string;
  status?: StackStatus;
}

export const recordFile = (dir: string): string => join(dir, 'stack.json');

/** The folders of the stacks that this process runs. */
export const heldFolders = new Set<string>();

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/** Makes a clear error for a folder that this user may not read or write; other errors are returned unchanged. */
export const explainAccess = (dir: string, error: unknown): unknown =>
  ['EACCES', 'EPERM'].includes(codeOf(error))
    ? new StackError(
      `${dir} belongs to another user (${codeOf(error)}): run this as that user, or choose another port: -- --port <N>`,
    )
    : error;

/** Reads the record in a stack's folder, also of a stack that was killed. */
export function readRecord(dir: string): StackRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordFile(dir), 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw explainAccess(dir, error);
  }
}

/**
 * In a restarted container, this process may have the id and the command line of the process that wrote the record. If
 * a record names this process, only `heldFolders` tells whether this process has written the record.
 */
const isAlive = (dir: string, { pid, commandLine: expected }: StackRecord): boolean =>
  pid === process.pid ? heldFolders.has(dir) : expected !== '' && commandLine(pid) === expected;

/** Returns the state of the stack in `dir`; undefined if none runs there. */
export function readStack(dir: string): Pick<StackRecord, 'pid' | 'state' | 'status'> | undefined {
  const record = readRecord(dir);
  return record !== undefined && isAlive(dir, record) ? record : undefined;
}

/** Returns the status of the stack on `port`; undefined if none is ready there. */
export function readStatus(port: number): StackStatus | undefined {
  const stack = readStack(stackDir(port));
  return stack?.state === 'ready' ? stack.status : undefined;
}

/** Returns the ports on which stacks of this project are ready, in order. */
export function runningPorts(): number[] {
  const folders = existsSync(stacksDir) ? readdirSync(stacksDir, { withFileTypes: true }) : [];
  // Only folders that are named by a port count. Other folders belong to demos, which end soon.
  const ports = folders.filter((folder) => folder.isDirectory() && /^\d+$/.test(folder.name)).flatMap(({ name }) => {
    try {
      const stack = readStack(join(stacksDir, name));
      return stack?.state === 'ready' ? [Number(new URL(stack.status!.API_URL).port)] : [];
    } catch (error) {
      // The folder belongs to another user, and so does the stack.
      if (error instanceof StackError) return [];
      throw error;
    }
  });
  return ports.toSorted((a, b) => a - b);
}

/** Returns the file with a stack's keys. */
export const keysFileOf = (dir: string): string => join(dir, 'keys.json');

/** Returns the `WALLET_KEYS` of a stack that has booted before. */
export const readWalletKeysOf = (dir: string): string => JSON.parse(readFileSync(keysFileOf(dir), 'utf8')).walletKeys;
