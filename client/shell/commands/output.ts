import { readNumber, readUuid } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printOutput, waitForOutput } from '../output.ts';
import { printableJson } from '../printable.ts';

export const output: Command = {
  name: 'output',
  arguments: '<run>',
  count: [1, 1],
  summary: 'Wait for the end of a run, and print its output.',
  notes: [],
  options: [
    { name: 'timeout', takes: 'seconds', meaning: 'Wait no longer than this.' },
    { name: 'token', takes: 'token', meaning: 'The token of the run, in place of your own credential.' },
  ],
  example: 'flows output 019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e --timeout 60',
  run: async (context, { positionals: [text = ''], option }) => {
    const timeout = readNumber(option('timeout'), 'timeout', 0, 1_000_000);
    const flow_run_id = readUuid(text, 'run');
    context.screen.progress('waiting for the run');
    const values = await waitForOutput(context, { flow_run_id, token: option('token') }, timeout);
    if (context.isJson) return await context.screen.print(printableJson({ output: { M: values } }));
    await printOutput(context, values);
  },
};
