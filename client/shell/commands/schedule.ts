import type { FlowClient, NewSchedule, RequestOptions } from '../../flow_client.ts';
import { readTarget, readUuid } from '../arguments.ts';
import { readAssignments } from '../assignments.ts';
import { lineOf, targetOf } from '../automatic_start.ts';
import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';
import { UsageError } from '../usage_error.ts';

const POLICIES = ['catch_up_one', 'skip'] as const satisfies NewSchedule['policy'][];

export const schedules: Command = {
  name: 'schedules',
  arguments: '',
  count: [0, 0],
  summary: 'List your schedules, the newest first.',
  notes: [
    'Each line has id, target, the next start (or paused), cron text and time zone. If the last start was refused, ' +
    'the line also has the reason.',
  ],
  options: [],
  example: 'flows schedules --json',
  run: async ({ client, screen, isJson, signal }) => {
    const list = await client.schedules({ signal });
    if (isJson) return await screen.print(printableJson(list));
    if (list.length === 0) screen.note('There are no schedules to show.');
    for (const row of list) {
      const { id, next_start_at, cron, time_zone } = row;
      const columns = [id, targetOf(row), next_start_at ?? 'paused', cron, time_zone];
      await screen.print(printableLine(lineOf(columns, row)));
    }
  },
};

export const schedule: Command = {
  name: 'schedule',
  arguments: '<flow|deployment> [key=value | key:=json]…',
  count: [1, 1_000],
  summary: 'Start a deployment of yours on a schedule.',
  notes: [
    'Name the deployment and its inputs as in flows start. The command prints the id of the schedule and the next ' +
    'start.',
  ],
  options: [
    { name: 'cron', takes: 'fields', meaning: 'Minute, hour, day of month, month, day of week. Required.' },
    { name: 'zone', takes: 'zone', meaning: 'The IANA time zone of the cron text; UTC by default.' },
    {
      name: 'policy',
      takes: 'policy',
      meaning: 'For planned times that were missed: catch_up_one (one late start, the default) or skip.',
    },
  ],
  example: 'flows schedule 7@stable item=tea --cron "30 6 * * MON-FRI" --zone Europe/Berlin',
  run: async ({ client, screen, isJson, signal }, { positionals: [text = '', ...assignments], option }) => {
    const target = readTarget(text);
    const cron = option('cron');
    if (cron === undefined) throw new UsageError('--cron must be given: five fields, as in --cron "30 6 * * *".');
    const wanted = option('policy');
    const policy = POLICIES.find((known) => known === wanted);
    if (policy !== wanted) throw new UsageError(`--policy must be ${POLICIES.join(' or ')}.`);
    const { values, inputs } = await readAssignments(assignments, () => client.read(target, { signal }));
    const row = await client.schedule(target, { cron, timeZone: option('zone'), policy, values, inputs }, { signal });
    if (isJson) return await screen.print(printableJson(row));
    await screen.print(printableLine(`schedule  ${row.id}`));
    await screen.print(printableLine(`next      ${row.next_start_at}`));
  },
};

/** Makes a command that changes one schedule. */
const changing = (
  name: string,
  summary: string,
  notes: string[],
  did: string,
  change: (client: FlowClient, id: string, options: RequestOptions) => Promise<unknown>,
): Command => ({
  name,
  arguments: '<schedule>',
  count: [1, 1],
  summary,
  notes,
  options: [],
  example: `flows ${name} 019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e`,
  run: async ({ client, screen, isJson, signal }, { positionals: [text = ''] }) => {
    const id = readUuid(text, 'schedule');
    const row = await change(client, id, { signal });
    await screen.print(isJson ? printableJson(row ?? { id, success: true }) : `${did} schedule ${id}`);
  },
});

export const schedulePause = changing(
  'schedule-pause',
  'Pause a schedule.',
  ['Its planned times are skipped until it is resumed.'],
  'paused',
  (client, id, options) => client.setScheduleActive(id, false, options),
);

export const scheduleResume = changing(
  'schedule-resume',
  'Resume a paused schedule.',
  ['It starts at its next planned time.'],
  'resumed',
  (client, id, options) => client.setScheduleActive(id, true, options),
);

export const scheduleDelete = changing(
  'schedule-delete',
  'Delete a schedule.',
  ['The runs that it started stay.'],
  'deleted',
  (client, id, options) => client.deleteSchedule(id, options),
);
