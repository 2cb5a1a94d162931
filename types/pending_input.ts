import { z } from 'zod';
import type { Value } from './values/value.ts';
import { valueSchema } from './values/value_schema.ts';

/** The path of a route that answers a pending input. Text of another form becomes an empty token: it is unknown like any other. */
export const inputTokenPathSchema = z.object({
  token: z.string().transform((text) => /^fi_[A-Za-z0-9_-]{43}$/.test(text) ? text : ''),
});

/** The body of a submit: one of the two. */
export const submitInputParamsSchema = z.strictObject({
  /** The value, with its tag. */
  value: valueSchema.optional(),
  /** The value as plain JSON. */
  values: z.unknown().optional(),
}).refine(({ value, values }) => (value === undefined) !== (values === undefined), {
  message: 'exactly one of value and values must be given',
  path: ['value'],
});

/** What a client sends: a value with its tag, or plain JSON. */
export type SubmitInputParams = { value: Value } | { values: unknown };

/** The answer to a submit, and to a cancel. */
export interface AnswerInputResult {
  success: true;
}
