/**
 * Does work within a time limit: after it, the work's signal is aborted with a TimeoutError. AbortSignal.timeout would
 * keep the work's objects in memory until that time, even if the work ends sooner.
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
