/** A failure that the person at the terminal can act on: printed as its message alone, without a stack trace. */
export class StackError extends Error {
  override name = 'StackError';
}
