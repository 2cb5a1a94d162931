import type { Finding, Findings } from '../findings.ts';
import { counted, inMs, type Percentiles, percentiles } from '../figures.ts';
import type { AttackTally } from './attacker_process.ts';
import type { CpuSeconds } from './process_cpu.ts';
import type { Experience } from './victim.ts';

/**
 * The greatest allowed slowdown of another user's starts and runs, as the ratio of the p99 under attack to the p99 in
 * calm: for one attack alone, and for several at once.
 */
const MAX_SLOWDOWN = { alone: 5, together: 25 };

/**
 * The greatest private memory of a process, in MiB. A flow of 8 MiB of small values takes 550 MiB in a backend of
 * Postgres, and 420 MiB in PostgREST. PostgREST may process a body of a runner at the same time.
 */
const MAX_MEMORY_MIB = 640;
const MAX_POSTGREST_MIB = 1_024;

interface Measured {
  seed: number;
  minutes: number;
  pressure: number;
  /** The duration of the attack. */
  seconds: number;
  calm: Experience;
  attacked: Experience;
  cpu: { calm: CpuSeconds; attacked: CpuSeconds };
  memory: { calm: { [part: string]: number }; attacked: { [part: string]: number } };
  tallies: AttackTally[];
}

/** The result of a hostile soak; `--json` writes it in this form. */
export interface HostileReport {
  seed: number;
  minutes: number;
  /** The connections that the attacker kept busy. */
  pressure: number;
  hostile_requests_per_second: number;
  start_latency_ms: { calm: Percentiles; attacked: Percentiles };
  run_latency_ms: { calm: Percentiles; attacked: Percentiles };
  /** The slowdown by p99. */
  slowdown: { starts: number; runs: number };
  /** The CPUs that each process kept busy. */
  cpus: { [part: string]: { calm: number; attacked: number } };
  /** The greatest memory of each process in calm and under attack, in MiB. */
  memory_mib: { [part: string]: { calm: number; attacked: number } };
  attacks: AttackTally[];
  findings: { counts: { [check: string]: number }; first: Finding[] };
}

const slowdown = (calm: number[], attacked: number[]): number =>
  Number((percentiles(attacked).p99 / percentiles(calm).p99).toFixed(1));

/** Combines the values of each part in calm and under attack. */
const sideBySide = ({ calm, attacked }: Record<'calm' | 'attacked', { [part: string]: number }>) =>
  Object.fromEntries(
    Object.entries(attacked).map(([part, value]) => [part, { calm: calm[part] ?? 0, attacked: value }]),
  );

const answersOf = ({ statuses }: AttackTally): number => Object.values(statuses).reduce((sum, count) => sum + count, 0);

/** Finds effects of the attack on another user. */
export function judgeHostility({ calm, attacked, memory, tallies }: Measured, findings: Findings): void {
  const maxSlowdown = tallies.length === 1 ? MAX_SLOWDOWN.alone : MAX_SLOWDOWN.together;
  for (const what of ['starts', 'runs'] as const) {
    if (attacked[what].length === 0) findings.add(`no_${what}`, {});
    const times = slowdown(calm[what], attacked[what]);
    if (times > maxSlowdown) findings.add(`${what}_slowed_down`, { times });
  }
  for (const trouble of [...calm.troubles, ...attacked.troubles]) findings.add('trouble', { trouble });
  for (const [part, mib] of Object.entries(memory.attacked)) {
    if (mib > (part.startsWith('PostgREST') ? MAX_POSTGREST_MIB : MAX_MEMORY_MIB)) {
      findings.add('memory', { part, mib });
    }
  }
}

export function makeHostileReport(
  { seed, minutes, pressure, seconds, calm, attacked, cpu, memory, tallies }: Measured,
  findings: Findings,
): HostileReport {
  const rounded = (values: number[]) => percentiles(values.map(Math.round));
  return {
    seed,
    minutes,
    pressure,
    hostile_requests_per_second: Math.round(tallies.reduce((sum, tally) => sum + answersOf(tally), 0) / seconds),
    start_latency_ms: { calm: rounded(calm.starts), attacked: rounded(attacked.starts) },
    run_latency_ms: { calm: rounded(calm.runs), attacked: rounded(attacked.runs) },
    slowdown: { starts: slowdown(calm.starts, attacked.starts), runs: slowdown(calm.runs, attacked.runs) },
    cpus: sideBySide(cpu),
    memory_mib: sideBySide(memory),
    attacks: tallies,
    findings: { counts: findings.counts(), first: findings.list() },
  };
}

/** Formats the report as lines for people. */
export function formatHostileReport(report: HostileReport): string {
  const row = (name: string, text: string) => `  ${name.padEnd(66)}${text}`;
  const { start_latency_ms: starts, run_latency_ms: runs } = report;
  const found = Object.values(report.findings.counts).reduce((sum, count) => sum + count, 0);
  return [
    'Another user, who starts trivial runs',
    row('starts in calm', inMs(starts.calm)),
    row('starts under attack', inMs(starts.attacked)),
    row('runs in calm', inMs(runs.calm)),
    row('runs under attack', inMs(runs.attacked)),
    row('as many times as slow, by p99', `starts ${report.slowdown.starts}, runs ${report.slowdown.runs}`),
    `Attacker: ${report.pressure} connections, ${report.hostile_requests_per_second} requests a second`,
    'CPUs that are kept busy, in calm and under attack',
    ...Object.entries(report.cpus).map(([part, { calm, attacked }]) => row(part, `${calm} → ${attacked}`)),
    'Memory at most, in calm and under attack',
    ...Object.entries(report.memory_mib).map(([part, { calm, attacked }]) => row(part, `${calm} → ${attacked} MiB`)),
    'Attacks, with the answers by status',
    ...report.attacks.map(({ name, statuses, largestAnswer, slowest }) =>
      row(name, `${counted(statuses)}; largest ${largestAnswer} B, slowest ${Math.round(slowest)} ms`)
    ),
    found === 0 ? 'Nothing was found.' : `Found ${found}: ${counted(report.findings.counts)}`,
    ...report.findings.first.map(({ check, detail }) => `  ${check} ${JSON.stringify(detail)}`),
  ].join('\n');
}
