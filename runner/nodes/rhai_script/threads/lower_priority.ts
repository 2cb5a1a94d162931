import { platform, setPriority } from 'node:os';

/** Gives the thread about a quarter of a busy CPU. A higher niceness would starve scripts, whose time is limited. */
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
    // Deno throws without --allow-sys=setPriority. The thread then keeps its priority.
  }
}
