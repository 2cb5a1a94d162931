import { requireTexts } from './read_answer.ts';
import type {
  CreatedWebhook,
  DeploymentTarget,
  FlowClient,
  RequestOptions,
  ScheduleRow,
  WebhookRow,
} from './flow_client.ts';
import { FlowError } from './flow_error.ts';
import { exactJson } from '../types/values/json/javascript.ts';
import { readInputs } from './inputs.ts';
import type { FlowRequest, Send } from './request.ts';
import { notFound, readRows } from './rows.ts';

/** Returns the columns that name the target of a schedule or webhook. */
function targetColumns(target: DeploymentTarget): { deployment_id: string } | { flow: number; tag?: string } {
  if (typeof target === 'string') return { deployment_id: target };
  if (typeof target === 'number') return { flow: target };
  if ('id' in target) return { deployment_id: target.id };
  return { flow: target.flow, ...(target.tag !== undefined && { tag: target.tag }) };
}

/** The methods for schedules and incoming webhooks. */
export function makeAutomating(send: Send): Pick<
  FlowClient,
  | 'schedule'
  | 'schedules'
  | 'setScheduleActive'
  | 'deleteSchedule'
  | 'createWebhook'
  | 'webhooks'
  | 'deleteWebhook'
> {
  const list = async <Row>(table: string, { signal }: RequestOptions = {}): Promise<Row[]> =>
    await readRows<Row>(send, {
      path: `/rest/v1/${table}?select=*&order=id.desc&limit=1000`,
      isRepeatable: true,
      signal,
    });

  /** Changes or deletes one row and returns it; undefined if there is no such row. */
  const write = async <Row>(
    table: string,
    id: string,
    request: Pick<FlowRequest, 'method' | 'body' | 'isRepeatable'>,
    { signal }: RequestOptions = {},
  ): Promise<Row | undefined> => {
    const [row] = await readRows<Row>(send, {
      ...request,
      path: `/rest/v1/${table}?select=*&id=eq.${encodeURIComponent(id)}`,
      headers: { prefer: 'return=representation' },
      signal,
    });
    return row;
  };

  const noSchedule = (id: string): FlowError =>
    notFound('schedule_not_found', `There is no schedule ${id}, or it is somebody else's.`);

  return {
    schedule: async (target, { cron, timeZone, values = {}, inputs, policy }, { signal } = {}) => {
      const [row] = await readRows<ScheduleRow>(send, {
        method: 'POST',
        path: '/rest/v1/flow_schedules?select=*',
        headers: { prefer: 'return=representation' },
        body: exactJson({
          ...targetColumns(target),
          cron,
          ...(timeZone !== undefined && { time_zone: timeZone }),
          ...readInputs(values, inputs),
          ...(policy !== undefined && { policy }),
        }),
        signal,
      });
      if (row !== undefined) return row;
      throw new FlowError({ code: 'answer_invalid', message: 'The answer holds no schedule.' });
    },
    schedules: async (options) => await list<ScheduleRow>('flow_schedules', options),
    setScheduleActive: async (id, is_active, options) => {
      const request = { method: 'PATCH', body: JSON.stringify({ is_active }), isRepeatable: true } as const;
      const row = await write<ScheduleRow>('flow_schedules', id, request, options);
      if (row === undefined) throw noSchedule(id);
      return row;
    },
    // Not repeatable: a repeated delete would not find the row and report an error.
    deleteSchedule: async (id, options) => {
      if (await write('flow_schedules', id, { method: 'DELETE' }, options) === undefined) throw noSchedule(id);
    },
    createWebhook: async (target, webhook, { signal } = {}) => {
      const { body } = await send({
        method: 'POST',
        path: '/rest/v1/rpc/create_webhook',
        body: JSON.stringify({ ...targetColumns(target), ...webhook }),
        signal,
      });
      requireTexts(body, ['id', 'url'], 'making the webhook');
      // SAFETY: the body has the texts that callers need.
      return body as CreatedWebhook;
    },
    webhooks: async (options) => await list<WebhookRow>('flow_webhooks', options),
    deleteWebhook: async (id, options) => {
      if (await write('flow_webhooks', id, { method: 'DELETE' }, options) !== undefined) return;
      throw notFound('webhook_not_found', `There is no webhook ${id}, or it is somebody else's.`);
    },
  };
}
