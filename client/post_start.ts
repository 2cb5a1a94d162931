import type { StartResult } from '../types/deployment.ts';
import { randomKey } from './random_key.ts';
import { requireTexts } from './read_answer.ts';
import type { RequestHeaders, Send } from './request.ts';

interface StartRequest {
  path: string;
  body: string;
  headers?: RequestHeaders;
  /** Random by default. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Posts a request that starts a run, and returns its answer. The key makes it repeatable. `what` is for errors. */
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
  // SAFETY: the answer has the texts.
  return answer as StartResult;
}
