import { readNumber, readUuid } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableJson } from '../printable.ts';

export const stop: Command = {
  name: 'stop',
  arguments: '<run>',
  count: [1, 1],
  summary: 'Ask a run to stop.',
  notes: ['A run that has ended is not changed.'],
  options: [
    { name: 'reason', takes: 'text', meaning: 'Text for the errors of the cancelled nodes.' },
    { name: 'grace', takes: 'milliseconds', meaning: 'The time that running nodes have to end by themselves.' },
    { name: 'token', takes: 'token', meaning: 'The token of the run, in place of your own credential.' },
  ],
  example: 'flows stop 019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e --reason "wrong price"',
  run: async ({ client, screen, isJson, signal }, { positionals: [text = ''], option }) => {
    const flow_run_id = readUuid(text, 'run');
    const graceMs = readNumber(option('grace'), 'grace', 0, 300_000);
    await client.stop({ flow_run_id, token: option('token') }, { reason: option('reason'), graceMs, signal });
    await screen.print(isJson ? printableJson({ flow_run_id, success: true }) : `asked run ${flow_run_id} to stop`);
  },
};
