import { readFileSync } from 'node:fs';
import type { Stack } from '../../../dev/stack/stack.ts';
import { childrenOf } from './process_memory.ts';

/** A clock tick, the unit of Linux for CPU time: its ABI has 100 a second. */
const TICK_SECONDS = 0.01;

/** Seconds of CPU time, by part of the stack. */
export type CpuSeconds = { [part: string]: number };

/** Returns a process's CPU time in seconds, optionally with its ended children; zero for an ended process. */
function secondsOf(pid: number, withEndedChildren = false): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The fields come after the name, which may contain blanks: utime and stime, then cutime and cstime for ended
    // children. Source: proc_pid_stat(5).
    const times = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, withEndedChildren ? 15 : 13);
    return times.reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_SECONDS;
  } catch {
    return 0;
  }
}

/** Returns the CPU time of each part of a stack since its start, and of the attacker. Only on Linux. */
export function readCpuSeconds(stack: Stack, attackerPid: number | undefined): CpuSeconds {
  if (process.platform !== 'linux') return {};
  const seconds = Object.fromEntries(
    stack.parts.map(({ name, pid }) => [name, secondsOf(pid, name === 'Postgres')]),
  );
  const postgres = stack.parts.find(({ name }) => name === 'Postgres')?.pid;
  for (const pid of childrenOf(postgres)) seconds.Postgres! += secondsOf(pid);
  seconds['gateway, and this program'] = secondsOf(process.pid);
  seconds['the attacker itself'] = attackerPid === undefined ? 0 : secondsOf(attackerPid);
  return seconds;
}

/** Returns the CPUs that each part kept busy between two readings with this interval. */
export const spentCpu = (before: CpuSeconds, after: CpuSeconds, seconds: number): CpuSeconds =>
  Object.fromEntries(
    Object.entries(after).map(([part, total]) => [part, Number(((total - (before[part] ?? 0)) / seconds).toFixed(2))]),
  );
