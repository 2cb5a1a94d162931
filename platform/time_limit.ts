/**
 * Does work within a time limit. At the limit, the work's signal is aborted with a TimeoutError. AbortSignal.timeout is
 * not used, because it would keep the work's objects in memory until the limit, even if the work ends sooner.
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
