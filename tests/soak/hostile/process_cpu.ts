import { readFileSync } from 'node:fs';
import type { Stack } from '../../../dev/stack/stack.ts';
import { childrenOf } from './process_memory.ts';

/** Of a clock tick, in which Linux counts what processes take: its ABI has 100 a second. */
const TICK_SECONDS = 0.01;

/** Seconds of computing, by part of the stack. */
export type CpuSeconds = { [part: string]: number };

/** Seconds that a process has computed; with those of its ended children if asked for. None of a process that is gone. */
function secondsOf(pid: number, withEndedChildren = false): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may hold blanks: utime and stime, then those of ended children. Source: proc_pid_stat(5).
    const times = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, withEndedChildren ? 15 : 13);
    return times.reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_SECONDS;
  } catch {
    return 0;
  }
}

/** What each part of a stack has computed since it began, and the attacker beside it. On Linux; elsewhere nothing is known. */
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

/** CPUs that each part has kept busy between two readings that are so many seconds apart. */
export const spentCpu = (before: CpuSeconds, after: CpuSeconds, seconds: number): CpuSeconds =>
  Object.fromEntries(
    Object.entries(after).map(([part, total]) => [part, Number(((total - (before[part] ?? 0)) / seconds).toFixed(2))]),
  );
