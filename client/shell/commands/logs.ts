import { readNumber, readUuid } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableBlock, printableJson, printableLine } from '../printable.ts';

export const logs: Command = {
  name: 'logs',
  arguments: '<run>',
  count: [1, 1],
  summary: "Print a run's log.",
  notes: ["Only the owner of the run's flow can read it.", 'With --json each line is a JSON object.'],
  options: [
    { name: 'follow', meaning: 'Continue with new lines until the run has ended.' },
    { name: 'after', takes: 'index', meaning: 'Begin after the line of this log_index.' },
  ],
  example: 'flows logs 019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e --follow',
  run: async ({ client, screen, isJson, signal }, { positionals: [text = ''], option, has }) => {
    const after = readNumber(option('after'), 'after', 0, 2_147_483_647);
    let hasLines = false;
    const lines = client.logs(readUuid(text, 'run'), { follow: has('follow'), after, signal });
    for await (const line of lines) {
      hasLines = true;
      const { time, log_level, module, node_id, content } = line;
      const from = module ?? node_id ?? 'run';
      await screen.print(
        isJson
          ? printableJson(line)
          : `${printableLine(`${time} ${log_level.padEnd(5)} ${from}:`)} ${printableBlock(content)}`,
      );
      if (has('follow')) screen.progress('waiting for more');
    }
    if (!hasLines && !isJson) screen.note('There are no lines to show.');
  },
};
