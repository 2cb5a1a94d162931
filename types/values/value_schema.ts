import { z } from 'zod';
import { decodeValue, type Value, ValueError } from './value.ts';

/** A value with its tag, as a request carries it: the parsed form is canonical. */
export const valueSchema = z.unknown().transform((json, context): Value => {
  try {
    return decodeValue(json);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    context.addIssue({ code: 'custom', message: error.reason, path: error.path });
    return z.NEVER;
  }
});
