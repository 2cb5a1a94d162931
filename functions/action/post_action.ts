import type { Context } from 'hono';
import { type ActionPostParams, actionPostParamsSchema, type ActionPostResult } from '../../types/action.ts';
import type { DescribedDeployment } from '../../types/deployment_description.ts';
import type { StartResult } from '../../types/deployment.ts';
import type { ValueMap } from '../../types/values/value.ts';
import { ApiError, apiError, isErrorOf } from '../../platform/api_error.ts';
import { readBody } from '../_shared/body.ts';
import type { Deps } from '../_shared/deps.ts';
import { toActionTransaction } from './action_transaction.ts';
import { blockchainHeader } from './blockchains.ts';
import { NO_PAYER, payerOf } from './inputs.ts';
import type { PublicAddress } from '../../platform/public_address.ts';
import { orderIdOf } from './order.ts';
import { readAction } from './read_action.ts';
import { readValues } from './values.ts';

/** The limit of the body, in bytes. A body holds the texts of a form. */
const MAX_ACTION_BODY_BYTES = 65_536;
const MAX_MESSAGE_CHARACTERS = 500;

/** Returns the flow's message to the signer: the output `message`, if it is a text. */
function messageOf(output: ValueMap): string | undefined {
  const { message } = output;
  if (message === undefined || !('S' in message)) return undefined;
  // Does not cut a surrogate pair in two.
  return message.S.slice(0, MAX_MESSAGE_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
}

/** Rewords the refusal of a start for the buyer. Returns other errors unchanged. */
function inWords(error: unknown): unknown {
  const say = (message: string, refusal: ApiError) =>
    new ApiError(refusal.status, { ...refusal.toBody(), message }, { headers: refusal.headers, cause: error });
  if (isErrorOf(error, 'start_limit_reached') || isErrorOf(error, 'queue_full')) {
    return say('Too many people use this action right now. Try again in a minute.', error);
  }
  // The database names the parameter as in the body of a start: `values.<name>`.
  if (isErrorOf(error, 'inputs_invalid')) return say(error.message.replace(/^values\./, ''), error);
  return error;
}

interface PostActionOptions {
  address: PublicAddress;
  pokeRunner: (flowRunId: string) => void;
  readOutput: (run: StartResult, gone: AbortSignal) => Promise<ValueMap>;
  makeKey: (request: unknown) => Promise<string>;
}

/**
 * `POST /action/{deployment_id}` or `/action/{flow_id}/{tag}`: starts the deployment as the caller with this public
 * key, and answers with the run's transaction. A repeated request of the same order within a minute returns the same
 * run. Without an order, each request starts a separate run. Account and values can't replace the order: anybody may
 * know them, so they do not identify the caller.
 */
export const makePostAction =
  ({ rpc }: Deps, { address, pokeRunner, readOutput, makeKey }: PostActionOptions) =>
  async (context: Context): Promise<Response> => {
    const params: ActionPostParams = await readBody(context.req.raw, actionPostParamsSchema, MAX_ACTION_BODY_BYTES);
    const deployment: DescribedDeployment = await readAction(context, rpc);
    const { account } = params;
    const payer = payerOf(deployment.inputs);
    if (payer === undefined) throw apiError('action_failed', NO_PAYER);
    const query = context.req.queries();
    const values = readValues(deployment.inputs, payer, params, query);
    const id = deployment.deployment_id;
    const orderId = orderIdOf(query);
    const repeats = orderId !== undefined && { idempotency_key: await makeKey([id, orderId, account, values]) };
    const run = await rpc<StartResult>('start_deployment', { id, values, public_key: account, ...repeats })
      .catch((error: unknown) => {
        throw inWords(error);
      });
    pokeRunner(run.flow_run_id);
    const output = await readOutput(run, context.req.raw.signal);
    const { transaction } = output;
    const message = messageOf(output);
    const answer: ActionPostResult = {
      type: 'transaction',
      transaction: toActionTransaction(transaction !== undefined && 'S' in transaction ? transaction.S : '', account),
      ...(message !== undefined && { message }),
      links: { next: { type: 'post', href: `${address.path}/sent?token=${run.token}` } },
    };
    return context.json(answer, 200, blockchainHeader(deployment.cluster));
  };
