import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import process from 'node:process';

/** What Deno and Node from 24 on have, and Node's types of 20 lack: microseconds. */
interface ThreadClock {
  threadCpuUsage?: () => { user: number; system: number };
}

/**
 * Milliseconds for which the thread that calls this has computed, without the time in which others had the processor;
 * undefined where the runtime does not tell.
 */
export function threadCpuMs(): number | undefined {
  const clock = process as ThreadClock;
  if (clock.threadCpuUsage !== undefined) {
    const { user, system } = clock.threadCpuUsage();
    return (user + system) / 1_000;
  }
  if (platform() !== 'linux') return undefined;
  try {
    // Nanoseconds on a processor come first. Source: Linux, Documentation/scheduler/sched-stats.
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}
