const POLL_MS = 10;

/** The first answer that is not undefined; throws when there is none in time. */
export async function waitFor<Answer>(
  ask: () => Promise<Answer | undefined> | Answer | undefined,
  timeoutMs = 100_000,
): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`nothing after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
