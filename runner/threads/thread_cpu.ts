import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import process from 'node:process';

/** The clock of Deno and of Node from 24 on, in microseconds. The types of Node 20 lack it. */
interface ThreadClock {
  threadCpuUsage?: () => { user: number; system: number };
}

/** Returns the CPU time of the calling thread in milliseconds; undefined if the runtime can't measure it. */
export function threadCpuMs(): number | undefined {
  const clock = process as ThreadClock;
  if (clock.threadCpuUsage !== undefined) {
    const { user, system } = clock.threadCpuUsage();
    return (user + system) / 1_000;
  }
  if (platform() !== 'linux') return undefined;
  try {
    // The first number is the CPU time in nanoseconds. Source: Linux, Documentation/scheduler/sched-stats.
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}
