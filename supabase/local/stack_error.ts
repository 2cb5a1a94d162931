/** A failure that the person at the terminal can act on: printed as its message alone, without a stack trace. */
export class StackError extends Error {
  override name = 'StackError';
}

/** What `parseArgs` throws at arguments that it does not take: its message says which, and the usage belongs beside it. */
export const isUsageError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
