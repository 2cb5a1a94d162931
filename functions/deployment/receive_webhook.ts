import type { Context } from 'hono';
import type { ReceivedWebhook } from '../../types/deployment.ts';
import { apiError, isErrorOf } from '../_shared/api_error.ts';
import { MAX_BODY_BYTES, readJsonText } from '../_shared/body.ts';
import type { Deps } from '../_shared/deps.ts';
import { makeKnownTokens } from './known_tokens.ts';

const TOKEN = /^fh_[\w-]{43}$/;

/** Who takes turns with others: each token that is known to be good by itself, and all that may be made up together. */
const UNKNOWN = 'a webhook';

/**
 * `POST /deployment/hook/{token}`: starts the deployment of an incoming webhook. The database gets the body as it was sent, and
 * all headers: it has the secret, so it checks the signature. `pokeRunner` is called once the run is queued.
 */
export const makeReceiveWebhook = ({ rpcFor }: Deps, pokeRunner: (flowRunId: string) => void) => {
  const known = makeKnownTokens();
  return async (context: Context): Promise<Response> => {
    const token = context.req.param('token') ?? '';
    // The answer that the database gives for a token which it does not know.
    if (!TOKEN.test(token)) throw apiError('webhook_not_found', 'There is no such webhook.');
    const request = context.req.raw;
    const body = await readJsonText(request, MAX_BODY_BYTES);
    const receive = rpcFor(known.has(token) ? token : UNKNOWN);
    try {
      const run = await receive<ReceivedWebhook>('receive_webhook', {
        token,
        body,
        headers: Object.fromEntries(request.headers),
      });
      known.add(token);
      pokeRunner(run.flow_run_id);
      return context.json(run, 202);
    } catch (error) {
      if (isErrorOf(error, 'webhook_not_found')) known.forget(token);
      throw error;
    }
  };
};
