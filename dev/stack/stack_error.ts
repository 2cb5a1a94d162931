/** A failure that the person at the terminal can act on. It is printed without a stack trace. */
export class StackError extends Error {
  override name = 'StackError';
}

/** Whether `parseArgs` refused an argument. Its message says which one; the usage is printed beside it. */
export const isUsageError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

/** What `parseArgs` refused, in one sentence; its second one is about arguments that no command here takes. */
export const usageFault = ({ message }: Error): string =>
  message.replace(/\. To specify a positional argument .*$/s, '.');
