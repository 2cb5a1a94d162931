import { readNumber, readTarget } from '../arguments.ts';
import type { Command } from '../command.ts';
import { readAssignments } from '../assignments.ts';
import { printRun } from '../output.ts';
import { UsageError } from '../usage_error.ts';

export const start: Command = {
  name: 'start',
  arguments: '<flow|deployment> [key=value | key:=json]…',
  count: [1, 1_000],
  summary: 'Start a deployment.',
  notes: [
    'Name it by its id, by its flow (for the newest deployment), or by <flow>@<tag>.',
    "key=value is a value of the input's own type: a number, a list or an object of JSON where the type allows it, with",
    'all digits, else a text. key:=json is JSON whatever the type.',
    'It prints the id of the run, and a token with which its holder can see the run.',
  ],
  options: [
    { name: 'wait', meaning: 'Wait for the end of the run, and print its output.' },
    { name: 'timeout', takes: 'seconds', meaning: 'With --wait: wait no longer than this.' },
    { name: 'public-key', takes: 'key', meaning: 'Start as the unauthenticated caller of this public key.' },
    { name: 'action-signer', takes: 'key', meaning: 'The wallet that signs and sends the transaction of an action.' },
    { name: 'idempotency-key', takes: 'text', meaning: 'The same key returns the same run; random by default.' },
  ],
  example: 'flows start 7@stable item=tea quantity=3 --wait',
  run: async (context, { positionals: [text = '', ...assignments], option, has }) => {
    const { client, screen, signal } = context;
    const target = readTarget(text);
    const timeout = readNumber(option('timeout'), 'timeout', 0, 1_000_000);
    if (timeout !== undefined && !has('wait')) throw new UsageError('--timeout is for a start with --wait.');
    const publicKey = option('public-key');
    const { values, inputs } = await readAssignments(assignments, () => client.read(target, { publicKey, signal }));
    screen.progress('starting');
    const run = await client.start(target, values, {
      inputs,
      publicKey,
      actionSigner: option('action-signer'),
      idempotencyKey: option('idempotency-key'),
      signal,
    });
    await printRun(context, run, { waits: has('wait'), timeout });
  },
};
