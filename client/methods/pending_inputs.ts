import type { AnswerInputOptions, FlowClient, PendingInput } from '../flow_client.ts';
import { FlowError } from '../flow_error.ts';
import { exactJson } from '../../types/values/json/javascript.ts';
import { readInputs } from './inputs.ts';
import { randomKey } from '../requests/random_key.ts';
import type { FlowRequest, Send } from '../requests/request.ts';
import { readRows } from '../requests/rows.ts';
import { readReference } from './run_reference.ts';

const COLUMNS =
  'id,flow_run_id,node_id,times,root_flow_run_id,url,created_at,expires_at,title,description,json_schema,choices,answered_by,' +
  'flow_name,starter,inputs,may_answer';

/**
 * Extracts the token of an input from its URL, or returns a bare token unchanged. The host of the URL is ignored: the
 * token is sent only to the client's own project.
 */
function tokenOf(url: string): string {
  const token = /(?:^|\/flow\/submit\/)(fi_[A-Za-z0-9_-]{43})$/.exec(url)?.[1];
  if (token !== undefined) return token;
  throw new FlowError({
    code: 'client_invalid',
    message: '`url` must be the URL of a pending input: it ends in /flow/submit/ and a token, fi_….',
  });
}

/** Makes the body of a submission: readable JSON if JSON can represent the value, or else a tagged value. */
function submitBody(value: unknown): string {
  const { values, inputs } = readInputs({ value });
  return exactJson('value' in inputs ? { value: inputs.value } : { values: (values as { value: unknown }).value });
}

/** The methods that list pending inputs and answer them. */
export function makePendingInputs(send: Send): Pick<FlowClient, 'pendingInputs' | 'submitInput' | 'cancelInput'> {
  const answer = async (
    request: Pick<FlowRequest, 'method' | 'body'>,
    url: string,
    { idempotencyKey = randomKey(), token, signal }: AnswerInputOptions = {},
  ): Promise<void> => {
    await send({
      ...request,
      path: `/functions/v1/flow/submit/${tokenOf(url)}`,
      headers: { 'idempotency-key': idempotencyKey, ...(token !== undefined && { 'x-flow-run-token': token }) },
      isRepeatable: true,
      signal,
    });
  };

  return {
    pendingInputs: async (run, { signal } = {}) => {
      const { id, token } = run === undefined ? {} : readReference(run);
      const one = id && encodeURIComponent(id);
      const ofRun = one === undefined ? '' : `&or=(root_flow_run_id.eq.${one},flow_run_id.eq.${one})`;
      return await readRows<PendingInput>(send, {
        path: `/rest/v1/pending_inputs?select=${COLUMNS}${ofRun}&order=id&limit=1000`,
        headers: token === undefined ? {} : { 'x-flow-run-token': token },
        isRepeatable: true,
        signal,
      });
    },
    submitInput: async (url, value, options) => await answer({ method: 'POST', body: submitBody(value) }, url, options),
    cancelInput: async (url, options) => await answer({ method: 'DELETE' }, url, options),
  };
}
