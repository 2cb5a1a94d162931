/**
 * Does work whose signal is aborted, with a TimeoutError, when its time is over. Not AbortSignal.timeout, which keeps what the work
 * holds until then, however soon it is done.
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
