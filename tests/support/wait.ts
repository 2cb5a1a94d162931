const MIN_POLL_MS = 10;
const MAX_POLL_MS = 100;

/**
 * The first answer that is not undefined; throws when there is none in time. It asks less often the longer it waits, since
 * to ask takes time from what is waited for.
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
    if (waitedMs > timeoutMs) throw new Error(`nothing after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_POLL_MS, MIN_POLL_MS + waitedMs / 20)));
  }
}
