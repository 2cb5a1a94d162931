import { FlowError } from '../flow_error.ts';
import { UsageError } from './usage_error.ts';

/** The meanings of the exit codes of `flows`. */
export const exitCodes = {
  0: 'It worked.',
  1: 'It failed: the backend refused it, or there was no answer.',
  2: 'The command line, a file or the environment is wrong. Nothing was changed.',
  3: 'The run failed.',
  4: 'The run was stopped.',
  5: 'The time of --timeout is over; the run continues.',
  130: 'Ctrl-C. A started run continues.',
} as const;

const CODES: Record<string, number> = { run_failed: 3, run_stopped: 4, timed_out: 5, aborted: 130 };

/** The exit code of an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return 2;
  if (!(error instanceof FlowError)) return 1;
  if (error.code === 'value_invalid' || error.code === 'client_invalid') return 2;
  return CODES[error.code] ?? 1;
}
