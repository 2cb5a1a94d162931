import { requireTexts } from './answer.ts';
import type { CreatedWebhook, DeploymentTarget, FlowClient, ScheduleRow } from './flow_client.ts';
import { FlowError } from './flow_error.ts';
import type { Send } from './request.ts';
import { readRows } from './rows.ts';

/** The columns that name what a schedule or webhook starts. */
function targetColumns(target: DeploymentTarget): { deployment_id: string } | { flow: number; tag?: string } {
  if (typeof target === 'string') return { deployment_id: target };
  if (typeof target === 'number') return { flow: target };
  if ('id' in target) return { deployment_id: target.id };
  return { flow: target.flow, ...(target.tag !== undefined && { tag: target.tag }) };
}

/** The methods that have deployments start by themselves, or by others. */
export function makeAutomating(send: Send): Pick<FlowClient, 'schedule' | 'createWebhook'> {
  return {
    schedule: async (target, { cron, timeZone, inputs, policy }, { signal } = {}) => {
      const [row] = await readRows<ScheduleRow>(send, {
        method: 'POST',
        path: '/rest/v1/flow_schedules?select=*',
        headers: { prefer: 'return=representation' },
        body: JSON.stringify({
          ...targetColumns(target),
          cron,
          ...(timeZone !== undefined && { time_zone: timeZone }),
          ...(inputs !== undefined && { inputs }),
          ...(policy !== undefined && { policy }),
        }),
        signal,
      });
      if (row !== undefined) return row;
      throw new FlowError({ code: 'answer_invalid', message: 'The answer holds no schedule.' });
    },
    createWebhook: async (target, webhook, { signal } = {}) => {
      const { body } = await send({
        method: 'POST',
        path: '/rest/v1/rpc/create_webhook',
        body: JSON.stringify({ ...targetColumns(target), ...webhook }),
        signal,
      });
      requireTexts(body, ['id', 'url'], 'making the webhook');
      // SAFETY: the texts that callers need are there.
      return body as CreatedWebhook;
    },
  };
}
