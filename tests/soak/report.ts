import { counted, type Counts, inMs, type Percentiles, percentiles } from './figures.ts';
import type { Finding, Findings } from './findings.ts';
import type { StartRecord } from './starts.ts';
import type { Exchange } from './traffic.ts';
import { type FaultWindow, isInFault } from './windows.ts';

/** The result of a soak; `--json` writes it in this form. */
export interface Report {
  seed: number;
  minutes: number;
  /** The milliseconds from the last answer until each run had ended or waited for a person or program outside. */
  drain_ms: number;
  /** The requests by kind and status. The status is `none` if no answer came. */
  requests: { [kind: string]: Counts };
  /** The error answers, by code. */
  errors: Counts;
  /** The starts by kind of caller. A start that was sent repeatedly counts once. */
  starts: Counts;
  /** The runs by status, including called runs. */
  runs: Counts;
  faults: { [fault: string]: { count: number; window_ms: Percentiles } };
  /** The milliseconds until a start was answered with 200. */
  start_latency_ms: { calm: Percentiles; during_faults: Percentiles };
  /** The milliseconds from the loss of the primary until a later start was answered with 200; null without a loss. */
  starts_refused_ms: number | null;
  /** How often each check found a violation, and the first findings. */
  findings: { counts: Counts; first: Finding[] };
}

function countBy<T>(items: readonly T[], nameOf: (item: T) => string): Counts {
  const counts: Counts = {};
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => a.localeCompare(b)));
}

function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(nameOf(item), [...groups.get(nameOf(item)) ?? [], item]);
  return [...groups].sort(([a], [b]) => a.localeCompare(b));
}

/** Returns how long no start was accepted after the loss of the primary. */
function refusedMs(answeredStarts: readonly Exchange[], windows: readonly FaultWindow[]): number | null {
  const loss = windows.find(({ fault }) => fault === 'primary_lost');
  if (loss === undefined) return null;
  // A start that was sent before the loss may be answered after it.
  return Math.min(...answeredStarts.filter(({ from }) => from > loss.from).map(({ to }) => to)) - loss.from;
}

/** Makes the report of a soak and its findings. */
export function makeReport(
  given: Pick<Report, 'seed' | 'minutes' | 'drain_ms' | 'runs'>,
  exchanges: readonly Exchange[],
  windows: readonly FaultWindow[],
  starts: readonly StartRecord[],
  findings: Findings,
): Report {
  const answeredStarts = exchanges.filter(({ kind, status }) => kind === 'start' && status === 200);
  const latency = (isFaulty: boolean) =>
    percentiles(
      answeredStarts.filter((start) => isInFault(windows, start) === isFaulty).map(({ from, to }) => to - from),
    );
  return {
    ...given,
    requests: Object.fromEntries(
      groupBy(exchanges, ({ kind }) => kind).map((
        [kind, of],
      ) => [kind, countBy(of, ({ status }) => String(status ?? 'none'))]),
    ),
    errors: countBy(exchanges.filter(({ code }) => code !== null), ({ code }) => code ?? ''),
    starts: countBy(starts, ({ caller, isAllowed }) => isAllowed ? caller : `${caller}, not allowed`),
    faults: Object.fromEntries(
      groupBy(windows, ({ fault }) => fault).map((
        [fault, of],
      ) => [fault, { count: of.length, window_ms: percentiles(of.map(({ from, to }) => to - from)) }]),
    ),
    start_latency_ms: { calm: latency(false), during_faults: latency(true) },
    starts_refused_ms: refusedMs(answeredStarts, windows),
    findings: { counts: findings.counts(), first: findings.list() },
  };
}

/** Formats the report as lines for people. */
export function formatReport(report: Report): string {
  const row = (name: string, text: string) => `  ${name.padEnd(30)}${text}`;
  const found = Object.values(report.findings.counts).reduce((sum, count) => sum + count, 0);
  return [
    'Requests',
    ...Object.entries(report.requests).map(([kind, counts]) => row(kind, counted(counts))),
    'Errors by code',
    ...Object.entries(report.errors).map(([code, count]) => row(code, String(count))),
    'Starts',
    ...Object.entries(report.starts).map(([caller, count]) => row(caller, String(count))),
    row('answered in calm', inMs(report.start_latency_ms.calm)),
    row('answered during faults', inMs(report.start_latency_ms.during_faults)),
    ...(report.starts_refused_ms === null ? [] : [row('refused after the loss', `${report.starts_refused_ms} ms`)]),
    'Runs',
    ...Object.entries(report.runs).map(([status, count]) => row(status, String(count))),
    row('drained in', `${report.drain_ms} ms`),
    'Faults, until all answered again',
    ...Object.entries(report.faults).map(([fault, { window_ms }]) => row(fault, inMs(window_ms))),
    found === 0 ? 'The auditor found nothing.' : `The auditor found ${found}: ${counted(report.findings.counts)}`,
    ...report.findings.first.map(({ check, detail }) => `  ${check} ${JSON.stringify(detail)}`),
  ].join('\n');
}
