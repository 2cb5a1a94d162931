const MIN_POLL_MS = 10;
const MAX_POLL_MS = 100;

/**
 * Calls a function until its answer is not undefined. Throws if the time is over. The intervals grow, because each call
 * takes CPU time from the work that is waited for.
 */
export async function waitFor<Answer>(
  ask: () => Promise<Answer | undefined> | Answer | undefined,
  timeoutMs = 100_000,
): Promise<Answer> {
  const began = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const waitedMs = Date.now() - began;
    if (waitedMs > timeoutMs) throw new Error(`there is still no answer after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_POLL_MS, MIN_POLL_MS + waitedMs / 20)));
  }
}
