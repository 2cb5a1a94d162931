import { readNumber, readUuid } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printRun } from '../output.ts';
import { UsageError } from '../usage_error.ts';

export const redrive: Command = {
  name: 'redrive',
  arguments: '<run>',
  count: [1, 1],
  summary: 'Go on from where a run failed or was stopped, as a new run.',
  notes: [
    'What succeeded is taken over with its outputs; what failed, and what lies behind it, runs.',
    'Only the owner of the flow may do this.',
  ],
  options: [
    { name: 'accept-unknown', meaning: 'Take the risk that what may have happened outside happens once more.' },
    { name: 'wait', meaning: 'Wait for the end of the new run, and print its output.' },
    { name: 'timeout', takes: 'seconds', meaning: 'With --wait: wait no longer than this.' },
    { name: 'idempotency-key', takes: 'text', meaning: 'The same key gives the same run; by default a random one.' },
  ],
  example: 'flows redrive 019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e --wait',
  run: async (context, { positionals: [text = ''], option, has }) => {
    const { client, screen, signal } = context;
    const timeout = readNumber(option('timeout'), 'timeout', 0, 1_000_000);
    if (timeout !== undefined && !has('wait')) throw new UsageError('--timeout is for a redrive with --wait.');
    screen.progress('redriving');
    const run = await client.redrive(readUuid(text, 'run'), {
      acceptUnknown: has('accept-unknown'),
      idempotencyKey: option('idempotency-key'),
      signal,
    });
    await printRun(context, run, { waits: has('wait'), timeout });
  },
};
