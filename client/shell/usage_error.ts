/** The command line is wrong: exit code 2. The message says how it would be right. */
export class UsageError extends Error {
  override name = 'UsageError';
}
