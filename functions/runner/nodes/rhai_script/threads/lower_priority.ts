import { platform, setPriority } from 'node:os';

/**
 * Leaves about a quarter of a CPU to the thread where others want it too, and all of it where nobody does. Not more: a script has so
 * much time, whoever else computes meanwhile.
 */
const NICENESS = 5;

/**
 * Lets everything else go before the thread that calls this: scripts compute for long, and whoever starts a run waits for
 * milliseconds. Only on Linux: elsewhere a priority is that of the whole process. Where the runtime forbids it, nothing changes.
 */
export function lowerPriorityOfThread(): void {
  if (platform() !== 'linux') return;
  try {
    // Of process 0, Linux takes the calling thread. Source: setpriority(2), "C library/kernel differences".
    setPriority(0, NICENESS);
  } catch {
    // Deno without --allow-sys=setPriority.
  }
}
