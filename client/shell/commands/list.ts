import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';

export const list: Command = {
  name: 'list',
  arguments: '',
  count: [0, 0],
  summary: 'List your flows.',
  notes: ['Each line has the id of a flow, the time of its last change, and its name after its folder.'],
  options: [],
  example: 'flows list',
  run: async ({ client, screen, isJson, signal }) => {
    const rows = await client.flows({ signal });
    if (isJson) return await screen.print(printableJson(rows));
    if (rows.length === 0) screen.note('There are no flows to show.');
    for (const { id, name, folder, updated_at } of rows) {
      await screen.print(
        printableLine([String(id), updated_at, folder === '' ? name : `${folder}/${name}`].join('  ')),
      );
    }
  },
};
