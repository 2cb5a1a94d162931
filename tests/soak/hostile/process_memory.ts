import { readFileSync } from 'node:fs';
import type { Stack } from '../../../dev/stack/stack.ts';

/** Between two looks. */
const LOOK_MS = 250;

/** The greatest memory that each part of a stack was seen to have, in MiB. */
export interface MemoryWatch {
  /** The greatest since the last call. */
  takePeaks: () => { [part: string]: number };
  stop: () => void;
}

/**
 * The children of a process, on Linux, by one small file: whoever looks shares an event loop with the gateway, and a look at all
 * processes takes milliseconds of it.
 */
export function childrenOf(pid: number | undefined): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** MiB that a process has to itself and does not share: what Postgres' backends have in common counts once, in none. */
function ownMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^RssAnon:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Watches a stack's processes, on Linux; elsewhere it sees none. */
export function watchMemory(stack: Stack): MemoryWatch {
  let peaks: { [part: string]: number } = {};
  const see = (part: string, pid: number) => peaks[part] = Math.max(peaks[part] ?? 0, Math.round(ownMiB(pid)));
  const look = () => {
    const postgres = stack.parts.find(({ name }) => name === 'Postgres')?.pid;
    for (const { name, pid } of stack.parts) if (name !== 'Postgres') see(name, pid);
    see('gateway, and this program', process.pid);
    for (const pid of childrenOf(postgres)) see('a backend of Postgres', pid);
  };
  const timer = process.platform === 'linux' ? setInterval(look, LOOK_MS) : undefined;
  return {
    takePeaks() {
      const taken = peaks;
      peaks = {};
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
