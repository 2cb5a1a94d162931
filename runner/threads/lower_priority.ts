import { platform, setPriority } from 'node:os';

/**
 * Limits the thread to about a quarter of a busy CPU. With a higher niceness, scripts would use up their limited time
 * without getting the CPU.
 */
const NICENESS = 5;

/**
 * Lowers the priority of the calling thread, so that scripts that compute for long do not delay the answers to starts
 * of runs. Works only on Linux, because elsewhere the priority applies to the whole process. Has no effect if the
 * runtime forbids it.
 */
export function lowerPriorityOfThread(): void {
  if (platform() !== 'linux') return;
  try {
    // For process 0, Linux uses the calling thread. Source: setpriority(2), "C library/kernel differences".
    setPriority(0, NICENESS);
  } catch {
    // Deno throws without --allow-sys=setPriority. The thread then keeps its priority.
  }
}
