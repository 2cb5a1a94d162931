import type { Findings } from './findings.ts';
import type { Exchange } from './traffic.ts';

/** A fault, from just before it until everything answered again. */
export interface FaultWindow {
  fault: string;
  /** What exactly, e.g. which process. */
  detail: string;
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  /** The routes, as in an exchange, whose requests may find nobody; null for none. */
  excuses: RegExp | null;
}

const overlaps = (window: FaultWindow, { from, to }: Exchange): boolean => window.from <= to && from <= window.to;

/** Whether a request was under way during a fault, whatever fault it was. */
export const isInFault = (windows: readonly FaultWindow[], exchange: Exchange): boolean =>
  windows.some((window) => overlaps(window, exchange));

/** PostgREST 12 answers 400 with an empty code, in place of 503, when it loses the database in the middle of a statement. */
const isDatabaseLost = ({ route, status, code }: Exchange): boolean =>
  status === 400 && code === '' && route.includes(' /rest/v1/');

/**
 * Judges what came back: outside the windows no 5xx and no broken connection; inside them such answers come from those routes only
 * that the fault reaches, and are 503 with Retry-After. Errors always have the one form, and are among those that the kind expects.
 */
export function judgeTraffic(
  exchanges: readonly Exchange[],
  windows: readonly FaultWindow[],
  expected: (kind: string) => readonly string[],
  findings: Findings,
): void {
  for (const exchange of exchanges) {
    const { kind, status, code, unclean } = exchange;
    if (unclean !== null) findings.add('error_unclean', exchange);
    const isLost = isDatabaseLost(exchange);
    if (status === null || status >= 500 || isLost) {
      const during = windows.filter((window) => overlaps(window, exchange));
      const excused = during.some(({ excuses }) => excuses?.test(exchange.route));
      const faults = during.map(({ fault, detail }) => `${fault} ${detail}`);
      if (!excused) findings.add(status === null ? 'no_answer' : 'server_error', { ...exchange, faults });
      else if (status !== null && status !== 503 && !isLost) {
        findings.add('error_not_retriable', { ...exchange, faults });
      } else if (status === null && code === 'TimeoutError') findings.add('no_answer', { ...exchange, faults });
    } else if (status >= 400 && !expected(kind).includes(code ?? '')) {
      findings.add('error_unexpected', exchange);
    }
  }
}
