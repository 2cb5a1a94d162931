import type { Context } from 'hono';
import { type AnswerInputResult, inputTokenPathSchema, submitInputParamsSchema } from '../../types/pending_input.ts';
import { MAX_BODY_BYTES, parse, readJson } from '../_shared/body.ts';
import type { Deps } from '../_shared/deps.ts';
import { losslessJson, parseLossless } from '../_shared/lossless_body.ts';

/** The arguments of a submit's RPC. Numbers of `values` keep all their digits. */
async function readSubmit(request: Request): Promise<Record<string, unknown>> {
  const { json, text } = await readJson(request, MAX_BODY_BYTES);
  const { value, values } = parse(submitInputParamsSchema, json, 'body');
  if (values === undefined) return { value };
  // SAFETY: the same text fitted the schema, and the limits of a body. In an array, since an argument null counts as absent.
  return { values: [(parseLossless(text) as { values: unknown }).values] };
}

const answered = (context: Context): Response => {
  const result: AnswerInputResult = { success: true };
  return context.json(result);
};

/**
 * `POST /flow/submit/{token}`: gives a node that waits for it its value. The token is the only credential. `pokeRunner`
 * is called once the value is stored.
 */
export const makeSubmitInput =
  ({ guestRpc }: Pick<Deps, 'guestRpc'>, pokeRunner: () => void) => async (context: Context): Promise<Response> => {
    const { token } = parse(inputTokenPathSchema, context.req.param(), 'path');
    const idempotency_key = context.req.header('idempotency-key');
    const args = { token, ...await readSubmit(context.req.raw), idempotency_key };
    await guestRpc('submit_input', losslessJson(args));
    pokeRunner();
    return answered(context);
  };

/** `DELETE /flow/submit/{token}`: lets the node that waits for the value fail. */
export const makeCancelInput =
  ({ guestRpc }: Pick<Deps, 'guestRpc'>, pokeRunner: () => void) => async (context: Context): Promise<Response> => {
    const { token } = parse(inputTokenPathSchema, context.req.param(), 'path');
    const idempotency_key = context.req.header('idempotency-key');
    await guestRpc('cancel_input', JSON.stringify({ token, idempotency_key }));
    pokeRunner();
    return answered(context);
  };
