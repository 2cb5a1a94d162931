import type { Context } from 'hono';
import type { ReceivedWebhook } from '../../types/deployment.ts';
import { apiError, isErrorOf } from '../../platform/api_error.ts';
import { MAX_BODY_BYTES, readWebhookText } from '../_shared/body.ts';
import type { Deps } from '../_shared/deps.ts';
import { makeTokenOwners } from '../_shared/token_owners.ts';
import { makeKnownOwners } from '../_shared/known_owners.ts';
import type { RunWaiter } from '../_shared/waiting/run_waiter.ts';
import type { EndedRun } from '../../types/flow_run.ts';
import { answerWebhook } from './webhook_answer.ts';

const TOKEN = /^fh_[\w-]{43}$/;

/** The error for an unknown token. The database raises the same error. */
const notFound = (): Error => apiError('webhook_not_found', 'There is no such webhook.');

/**
 * `POST /deployment/hook/{token}`: starts the deployment of an incoming webhook. The requests for all webhooks of one
 * owner share one turn (see admission.ts). The database holds the secret and verifies the signature, so it receives the
 * unchanged body and all headers. `pokeRunner` is called after the run is queued. If the webhook responds, the answer
 * waits for the run.
 */
export const makeReceiveWebhook = (
  { rpc, serviceRpc }: Deps,
  pokeRunner: (flowRunId: string) => void,
  ends: RunWaiter<EndedRun>,
) => {
  const known = makeKnownOwners();
  const ownerOf = makeTokenOwners((tokens) => serviceRpc('webhook_owners', { tokens }));
  return async (context: Context): Promise<Response> => {
    const token = context.req.param('token') ?? '';
    if (!TOKEN.test(token)) throw notFound();
    const owner = known.of(token) ?? await ownerOf(token);
    if (owner === undefined) throw notFound();
    const request = context.req.raw;
    const body = await readWebhookText(request, MAX_BODY_BYTES);
    try {
      const query = new URL(request.url).search.slice(1);
      const args = { token, body, headers: Object.fromEntries(request.headers), query };
      const { flow_run_id, respond } = await rpc<ReceivedWebhook & { respond?: true }>(
        'receive_webhook',
        args,
        {},
        { turnOf: `webhooks of ${owner}` },
      );
      known.add(token, owner);
      pokeRunner(flow_run_id);
      return respond ? await answerWebhook(context, flow_run_id, ends) : context.json({ flow_run_id }, 202);
    } catch (error) {
      if (isErrorOf(error, 'webhook_not_found')) known.forget(token);
      throw error;
    }
  };
};
