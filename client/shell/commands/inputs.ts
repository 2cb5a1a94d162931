import { readUuid } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableBlock, printableJson, printableLine } from '../printable.ts';

export const inputs: Command = {
  name: 'inputs',
  arguments: '[<run>]',
  count: [0, 1],
  summary: 'List the inputs that runs wait for, the oldest first.',
  notes: [
    'Each line has run, node, the time at which the input expires, the URL for the answer, and the question with its ' +
    'choices. The indented lines below have the description of the question.',
    'Without a run, the inputs of all runs that you own or started are listed, and those that you are asked to answer.',
    'If `answered_by` of the node is anyone_with_the_link, anybody who has the URL may answer once.',
  ],
  options: [{ name: 'token', takes: 'token', meaning: 'The token of the run, in place of your own credential.' }],
  example: 'flows inputs 019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e',
  run: async ({ client, screen, isJson, signal }, { positionals: [text], option }) => {
    const run = text === undefined ? undefined : { flow_run_id: readUuid(text, 'run'), token: option('token') };
    const list = await client.pendingInputs(run, { signal });
    if (isJson) return await screen.print(printableJson(list));
    if (list.length === 0) screen.note('No run waits for an input.');
    for (const { flow_run_id, node_id, expires_at, url, title, description, choices } of list) {
      const asked = [title, Array.isArray(choices) ? `(${choices.join(', ')})` : null].filter((part) => part);
      await screen.print(printableLine([flow_run_id, node_id, expires_at, url, asked.join(' ')].join('  ').trimEnd()));
      if (description) await screen.print(`  ${printableBlock(description)}`);
    }
  },
};
