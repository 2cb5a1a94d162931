import { readFileSync } from 'node:fs';
import type { Stack } from '../../../dev/stack/stack.ts';

/** The interval between two measurements. */
const LOOK_MS = 250;

/** The greatest observed memory of each part of a stack, in MiB. */
interface MemoryWatch {
  /** Returns the greatest values since the last call. */
  takePeaks: () => { [part: string]: number };
  stop: () => void;
}

/**
 * Returns the children of a process from one small file, on Linux only. Listing all processes would take milliseconds,
 * and would block the gateway, which runs in this process.
 */
export function childrenOf(pid: number | undefined): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Returns the private memory of a process in MiB. Memory that Postgres' backends share is not counted. */
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
