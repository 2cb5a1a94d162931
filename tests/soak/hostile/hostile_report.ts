import type { Finding, Findings } from '../findings.ts';
import { counted, inMs, type Percentiles, percentiles } from '../figures.ts';
import type { AttackTally } from './attacker_process.ts';
import type { Experience } from './victim.ts';

/** As many times as slow as in calm may another user's starts and runs be, by their p99. */
const MAX_SLOWDOWN = 5;

/** What a process may have to itself, in MiB. */
const MAX_MEMORY_MIB = 512;

interface Measured {
  seed: number;
  minutes: number;
  calm: Experience;
  attacked: Experience;
  memory: { calm: { [part: string]: number }; attacked: { [part: string]: number } };
  tallies: AttackTally[];
}

/** What a hostile soak has come to; `--json` writes it as it is. */
export interface HostileReport {
  seed: number;
  minutes: number;
  start_latency_ms: { calm: Percentiles; attacked: Percentiles };
  run_latency_ms: { calm: Percentiles; attacked: Percentiles };
  /** The greatest memory of each process in calm and under attack, in MiB. */
  memory_mib: { [part: string]: { calm: number; attacked: number } };
  attacks: AttackTally[];
  findings: { counts: { [check: string]: number }; first: Finding[] };
}

const slowdown = (calm: number[], attacked: number[]): number => percentiles(attacked).p99 / percentiles(calm).p99;

/** Finds what another user must not feel. */
export function judgeHostility({ calm, attacked, memory }: Measured, findings: Findings): void {
  for (const what of ['starts', 'runs'] as const) {
    if (attacked[what].length === 0) findings.add(`no_${what}`, {});
    const times = slowdown(calm[what], attacked[what]);
    if (times > MAX_SLOWDOWN) findings.add(`${what}_slowed_down`, { times: Number(times.toFixed(1)) });
  }
  for (const trouble of [...calm.troubles, ...attacked.troubles]) findings.add('trouble', { trouble });
  for (const [part, mib] of Object.entries(memory.attacked)) {
    if (mib > MAX_MEMORY_MIB) findings.add('memory', { part, mib });
  }
}

export function makeHostileReport(
  { seed, minutes, calm, attacked, memory, tallies }: Measured,
  findings: Findings,
): HostileReport {
  const rounded = (values: number[]) => percentiles(values.map(Math.round));
  return {
    seed,
    minutes,
    start_latency_ms: { calm: rounded(calm.starts), attacked: rounded(attacked.starts) },
    run_latency_ms: { calm: rounded(calm.runs), attacked: rounded(attacked.runs) },
    memory_mib: Object.fromEntries(
      Object.entries(memory.attacked).map(([part, mib]) => [part, { calm: memory.calm[part] ?? 0, attacked: mib }]),
    ),
    attacks: tallies,
    findings: { counts: findings.counts(), first: findings.list() },
  };
}

/** The report as lines for people. */
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
