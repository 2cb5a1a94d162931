import { z } from 'zod';
import { decodeValueMap, ValueError, type ValueMap } from './value.ts';

/** Values by name in a request; the parsed form is canonical. */
export const valueMapSchema = z.unknown().transform((json, context): ValueMap => {
  try {
    return decodeValueMap(json);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    context.addIssue({ code: 'custom', message: error.reason, path: error.path });
    return z.NEVER;
  }
});
