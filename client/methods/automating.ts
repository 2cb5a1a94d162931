import { requireTexts } from '../requests/read_answer.ts';
import type {
  CreatedWebhook,
  DeploymentTarget,
  FlowClient,
  RequestOptions,
  RowStartRow,
  ScheduleRow,
  WebhookRow,
} from '../flow_client.ts';
import { FlowError } from '../flow_error.ts';
import { exactJson } from '../../types/values/json/javascript.ts';
import { readInputs } from './inputs.ts';
import type { Send } from '../requests/request.ts';
import { listRows, notFound, readRows, writeRow } from '../requests/rows.ts';

/** Returns the columns that name the target of a schedule or webhook. */
function targetColumns(target: DeploymentTarget): { deployment_id: string } | { flow: number; tag?: string } {
  if (typeof target === 'string') return { deployment_id: target };
  if (typeof target === 'number') return { flow: target };
  if ('id' in target) return { deployment_id: target.id };
  return { flow: target.flow, ...(target.tag !== undefined && { tag: target.tag }) };
}

/** The methods for schedules, incoming webhooks and row starts. */
export function makeAutomating(send: Send): Pick<
  FlowClient,
  | 'schedule'
  | 'schedules'
  | 'setScheduleActive'
  | 'deleteSchedule'
  | 'createWebhook'
  | 'webhooks'
  | 'deleteWebhook'
  | 'rowStarts'
  | 'setRowStartActive'
  | 'deleteRowStart'
> {
  const noSchedule = (id: string): FlowError =>
    notFound('schedule_not_found', `There is no schedule ${id}, or it is somebody else's.`);
  const noRowStart = (id: string): FlowError =>
    notFound('row_start_not_found', `There is no row start ${id}, or it is somebody else's.`);

  const noWebhook = (id: string): FlowError =>
    notFound('webhook_not_found', `There is no webhook ${id}, or it is somebody else's.`);

  /** Switches a row of the table on or off. */
  const setActive =
    <Row>(table: string, missing: (id: string) => FlowError) =>
    async (id: string, is_active: boolean, options?: RequestOptions): Promise<Row> => {
      const request = { method: 'PATCH', body: JSON.stringify({ is_active }), isRepeatable: true } as const;
      const row = await writeRow<Row>(send, table, ['id', id], request, options);
      if (row === undefined) throw missing(id);
      return row;
    };
  /** Deletes a row of the table. It is not repeated, because the second attempt would report a missing row. */
  const deleteFrom =
    (table: string, missing: (id: string) => FlowError) =>
    async (id: string, options?: RequestOptions): Promise<void> => {
      if (await writeRow(send, table, ['id', id], { method: 'DELETE' }, options) === undefined) throw missing(id);
    };

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
    schedules: async (options) => await listRows<ScheduleRow>(send, 'flow_schedules', 'id.desc', options),
    setScheduleActive: setActive<ScheduleRow>('flow_schedules', noSchedule),
    deleteSchedule: deleteFrom('flow_schedules', noSchedule),
    createWebhook: async (target, webhook, { signal } = {}) => {
      const { body } = await send({
        method: 'POST',
        path: '/rest/v1/rpc/create_webhook',
        body: JSON.stringify({ ...targetColumns(target), ...webhook }),
        signal,
      });
      requireTexts(body, ['id', 'url'], 'making the webhook');
      // SAFETY: `requireTexts` has checked the members that callers read.
      return body as CreatedWebhook;
    },
    webhooks: async (options) => await listRows<WebhookRow>(send, 'flow_webhooks', 'id.desc', options),
    deleteWebhook: deleteFrom('flow_webhooks', noWebhook),
    rowStarts: async (options) => await listRows<RowStartRow>(send, 'flow_row_starts', 'id.desc', options),
    setRowStartActive: setActive<RowStartRow>('flow_row_starts', noRowStart),
    deleteRowStart: deleteFrom('flow_row_starts', noRowStart),
  };
}
