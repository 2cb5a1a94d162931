import type { Findings } from './findings.ts';
import type { Exchange } from './traffic.ts';

/** A fault with its window, which begins just before the fault and ends when all parts answer again. */
export interface FaultWindow {
  fault: string;
  /** The exact fault, such as the killed process. */
  detail: string;
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  /**
   * The routes whose requests may get no answer; null if all requests must get an answer. The routes are written as in
   * an exchange.
   */
  excuses: RegExp | null;
}

const overlaps = (window: FaultWindow, { from, to }: Exchange): boolean => window.from <= to && from <= window.to;

/** Tests whether a request was under way during any fault. */
export const isInFault = (windows: readonly FaultWindow[], exchange: Exchange): boolean =>
  windows.some((window) => overlaps(window, exchange));

/** PostgREST 12 answers 400 with an empty code, in place of 503, when it loses the database during a statement. */
const isDatabaseLost = ({ route, status, code }: Exchange): boolean =>
  status === 400 && code === '' && route.includes(' /rest/v1/');

/**
 * Judges the outcomes. Outside the windows there is no 5xx and no broken connection. Inside the windows, such outcomes
 * come only from the routes that the fault affects, and each answer among them is a 503 with Retry-After. All errors
 * have the same form. The code of an error is one that the kind of request may get.
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
