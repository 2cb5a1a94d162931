import type { WriteLog } from './log_line.ts';

/** Hosted Supabase drops further lines of a function that has written 100 lines in 10 s. */
const MAX_FAILURES = 50;
const PERIOD_MS = 10_000;

/** The log of a worker that works in slices. Runs that succeed have no lines of their own. */
interface SliceLog {
  write: WriteLog;
  /** Writes one line with the counts of all events since the last call, if there were any. */
  endSlice: () => void;
}

/**
 * Makes a log that counts events, and writes a line for each warning and error, at most 50 in 10 seconds. So a function
 * that executes hundreds of runs a second stays below the limit of the platform, and no count is lost.
 */
export function makeSliceLog(write: WriteLog, now: () => number): SliceLog {
  let counts: Record<string, number> = {};
  let unlogged = 0;
  let periodEndsAt = 0;
  let failures = 0;

  /** True if another failure may be written in this period. */
  const mayWrite = (): boolean => {
    if (now() >= periodEndsAt) {
      periodEndsAt = now() + PERIOD_MS;
      failures = 0;
    }
    failures += 1;
    return failures <= MAX_FAILURES;
  };
  return {
    write: (level, fields) => {
      const name = fields.event === 'run_finished' ? `run_${fields.status}` : fields.event;
      counts[name] = (counts[name] ?? 0) + 1;
      if (level === 'info') return;
      if (mayWrite()) write(level, fields);
      else unlogged += 1;
    },
    endSlice: () => {
      if (Object.keys(counts).length === 0) return;
      write('info', { event: 'slice_ended', counts, unlogged });
      counts = {};
      unlogged = 0;
    },
  };
}
