/** The default limits of nodes' HTTP requests. */
export const HTTP_LIMITS = { timeoutMs: 30_000, maxResponseBytes: 10 * 1_048_576 };
