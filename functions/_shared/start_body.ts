import type { z } from 'zod';
import { startDeploymentParamsSchema } from '../../types/deployment.ts';
import { MAX_BODY_BYTES, parse, readJson } from './body.ts';
import type { Deps } from './deps.ts';
import { losslessJson, parseLossless } from './lossless_body.ts';

type StartParams = z.output<typeof startDeploymentParamsSchema>;

/** The body of a start. Numbers of `values` keep all their digits. */
export async function readStartBody(request: Request): Promise<StartParams> {
  const { json, text } = await readJson(request, MAX_BODY_BYTES);
  const params = parse(startDeploymentParamsSchema, json, 'body');
  if (params.values === undefined) return params;
  // SAFETY: the same text fitted the schema, and the limits of a body.
  return { ...params, values: (parseLossless(text) as StartParams).values };
}

/** Calls what starts. Where there are plain values it gets text, since JSON.stringify does not know their numbers. */
export const callStart = <Result>(
  { rpc, rpcWithJson }: Deps,
  name: string,
  args: Pick<StartParams, 'values'>,
  headers: Record<string, string>,
): Promise<Result> =>
  args.values === undefined ? rpc(name, args, headers) : rpcWithJson(name, losslessJson(args), headers);
