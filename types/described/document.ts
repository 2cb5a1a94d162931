import { z } from 'zod';
import { nameSchema } from '../connection.ts';

/** The body of `POST /nodes/document`. */
export const readDocumentParamsSchema = z.strictObject({
  /** The address of the document. */
  url: z.string().max(2_000, 'must have at most 2000 characters').refine(
    (url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && new URL(url).username === '',
    'must be an http or https URL without credentials',
  ),
  /** The caller's connection that the request uses. */
  connection: nameSchema.optional(),
});

/** The answer of `POST /nodes/document`. */
export interface ReadDocument {
  text: string;
}
