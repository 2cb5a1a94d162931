import { z } from 'zod';
import { valueSchema } from './values/value_schema.ts';

/**
 * The path of a route that answers a pending input. A malformed token is replaced by the empty token, so that it gets
 * the same answer as an unknown token.
 */
export const inputTokenPathSchema = z.object({
  token: z.string().transform((text) => /^fi_[A-Za-z0-9_-]{43}$/.test(text) ? text : ''),
});

/** The body of a submission: exactly one of the two members. */
export const submitInputParamsSchema = z.strictObject({
  /** The value with its tag. */
  value: valueSchema.optional(),
  /** The value as readable JSON. */
  values: z.unknown().optional(),
}).refine(({ value, values }) => (value === undefined) !== (values === undefined), {
  message: 'exactly one of value and values must be given',
  path: ['value'],
});

/** The answer to a submission, and to a cancellation. */
export interface AnswerInputResult {
  success: true;
}
