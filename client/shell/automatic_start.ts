import type { RowStartRow, ScheduleRow, WebhookRow } from '../flow_client.ts';

/**
 * Names the target of a schedule or a webhook in the form of command arguments: `7@stable`, or the id of a deployment.
 */
export const targetOf = ({ flow, tag, deployment_id }: ScheduleRow | WebhookRow): string =>
  deployment_id ?? `${flow}@${tag}`;

/** Joins the columns of a line, and adds the reason if the last start was refused. */
export const lineOf = (columns: string[], { last_error }: ScheduleRow | WebhookRow | RowStartRow): string =>
  [...columns, ...(last_error === null ? [] : [`last error: ${last_error}`])].join('  ');
