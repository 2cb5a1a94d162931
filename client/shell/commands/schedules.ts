import { lineOf, targetOf } from '../automatic_start.ts';
import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';

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
