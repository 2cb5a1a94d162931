import type { z } from 'zod';
import { MAX_BODY_BYTES, parse, readJson } from './body.ts';
import type { RawJson } from '../../platform/database/raw_json.ts';
import { rawMember } from './lossless_body.ts';

/** The parsed body of a start. */
type StartParams<Params> = Omit<Params, 'values'> & {
  /** Raw, so that numbers keep all their digits. */
  values?: RawJson;
};

/** Reads the body of a start. */
export async function readStartBody<Params extends { values?: Record<string, unknown> | undefined }>(
  request: Request,
  schema: z.ZodType<Params>,
): Promise<StartParams<Params>> {
  const { json, text } = await readJson(request, MAX_BODY_BYTES);
  const { values, ...params } = parse(schema, json, 'body');
  // SAFETY: the schema accepts objects only.
  return values === undefined ? params : { ...params, values: rawMember(text, json as object, 'values') };
}
