/** A fault in the command line, with exit code 2. The message describes the accepted form. */
export class UsageError extends Error {
  override name = 'UsageError';
}
