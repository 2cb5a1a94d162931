import type { ScheduleRow, WebhookRow } from '../flow_client.ts';

/** What a schedule or a webhook starts, as commands take it: `7@stable`, or the id of a deployment. */
export const targetOf = ({ flow, tag, deployment_id }: ScheduleRow | WebhookRow): string =>
  deployment_id ?? `${flow}@${tag}`;

/** The columns of a line, with why the last start was refused. */
export const lineOf = (columns: string[], { last_error }: ScheduleRow | WebhookRow): string =>
  [...columns, ...(last_error === null ? [] : [`last error: ${last_error}`])].join('  ');
