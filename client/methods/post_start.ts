import type { StartResult } from '../../types/deployment.ts';
import { randomKey } from '../requests/random_key.ts';
import { requireTexts } from '../requests/read_answer.ts';
import type { RequestHeaders, Send } from '../requests/request.ts';

interface StartRequest {
  path: string;
  body: string;
  headers?: RequestHeaders;
  /** The idempotency key, random by default. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Sends a request that starts a run, and returns its answer. The idempotency key allows the client to repeat the
 * request. `what` names the request in errors.
 */
export async function postStart(send: Send, request: StartRequest, what: string): Promise<StartResult> {
  const { path, body, headers, idempotencyKey = randomKey(), signal } = request;
  const { body: answer } = await send({
    method: 'POST',
    path,
    headers: { 'idempotency-key': idempotencyKey, ...headers },
    body,
    isRepeatable: true,
    signal,
  });
  requireTexts(answer, ['flow_run_id', 'token'], what);
  // SAFETY: `requireTexts` has checked both members.
  return answer as StartResult;
}
