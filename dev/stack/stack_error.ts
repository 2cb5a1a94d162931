export { StackError } from '../../platform/local_stack/running_stacks.ts';

/**
 * Tests whether `parseArgs` has refused an argument. The error's message names the argument. The usage is printed below
 * the message.
 */
export const isUsageError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

/**
 * Shortens the message of `parseArgs` to its first sentence. The second sentence explains positional arguments, which
 * no command here takes.
 */
export const usageFault = ({ message }: Error): string =>
  message.replace(/\. To specify a positional argument .*$/s, '.');
