/**
 * Does work with a signal that is aborted, with a TimeoutError, when its time is over. AbortSignal.timeout would keep
 * in memory what the work holds until that time, even if the work is done sooner.
 */
export async function withTimeLimit<Result>(
  limitMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const overdue = new AbortController();
  const timer = setTimeout(() => overdue.abort(new DOMException('Timed out', 'TimeoutError')), limitMs);
  try {
    return await work(overdue.signal);
  } finally {
    clearTimeout(timer);
  }
}
