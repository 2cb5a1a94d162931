/** The limits of nodes' HTTP requests, as the runner sets them unless it is told otherwise. */
export const HTTP_LIMITS = { timeoutMs: 30_000, maxResponseBytes: 10 * 1_048_576 };
