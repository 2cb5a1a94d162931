import type { Context } from 'hono';
import { apiError } from '../../platform/api_error.ts';
import type { EndedRun } from '../../types/flow_run.ts';
import { requestLimits } from '../../types/limits/requests.ts';
import { readPreferredWait } from '../_shared/waiting/prefer_wait.ts';
import type { RunWaiter } from '../_shared/waiting/run_waiter.ts';
import { webhookResponse, WebhookResponseError } from './webhook_response.ts';

const failed = (message: string, flow_run_id: string) =>
  apiError('webhook_answer_failed', message, { details: { flow_run_id } });

/** Makes the response of an ended run. The sender learns neither errors nor the output of a failed run. */
function responseOf({ status, output }: EndedRun, flowRunId: string): Response {
  if (status !== 'succeeded') {
    throw failed(status === 'failed' ? 'The run has failed.' : 'The run was stopped.', flowRunId);
  }
  try {
    return webhookResponse(output?.M ?? {});
  } catch (error) {
    if (!(error instanceof WebhookResponseError)) throw error;
    throw failed(`The output \`response\` of the run is not a valid answer: ${error.message}.`, flowRunId);
  }
}

/**
 * Answers a request to a webhook that responds: with the output of the run, or with 202 when the time is over. The time
 * is that of `Prefer: wait=N`, by default the longest.
 */
export async function answerWebhook(
  context: Context,
  flowRunId: string,
  waiter: RunWaiter<EndedRun>,
): Promise<Response> {
  const preferred = readPreferredWait(context.req.header('prefer'));
  const seconds = preferred ?? requestLimits.start_wait_seconds.value;
  const ended = seconds === 0 ? undefined : await waiter.wait(flowRunId, seconds, context.req.raw.signal);
  const response = ended === undefined ? context.json({ flow_run_id: flowRunId }, 202) : responseOf(ended, flowRunId);
  if (preferred !== undefined) response.headers.set('preference-applied', `wait=${preferred}`);
  return response;
}
