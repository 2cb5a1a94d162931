import { lineOf, targetOf } from '../automatic_start.ts';
import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';

export const webhooks: Command = {
  name: 'webhooks',
  arguments: '',
  count: [0, 0],
  summary: 'List your incoming webhooks, the newest first.',
  notes: [
    'Each line has id, the first characters of the token, target, and the input that gets the JSON. If the last ' +
    'request was refused, the line also has the reason. A URL is shown only once, when its webhook is made.',
  ],
  options: [],
  example: 'flows webhooks --json',
  run: async ({ client, screen, isJson, signal }) => {
    const list = await client.webhooks({ signal });
    if (isJson) return await screen.print(printableJson(list));
    if (list.length === 0) screen.note('There are no webhooks to show.');
    for (const row of list) {
      const { id, prefix, input, verification, is_active } = row;
      const columns = [id, `${prefix}…`, targetOf(row), input, verification ?? 'unsigned'];
      await screen.print(printableLine(lineOf(is_active ? columns : [...columns, 'paused'], row)));
    }
  },
};
