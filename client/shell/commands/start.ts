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
    'Name the deployment by its id, by its flow (which stands for the newest deployment), or by <flow>@<tag>.',
    'key=value is converted to the type of the input: to a number, a boolean, or a list or object of JSON, or else to',
    'a text. Numbers keep all their digits. key:=json is always JSON.',
    'The command prints the id of the run, and a token whose holder can see the run.',
  ],
  options: [
    { name: 'wait', meaning: 'Wait for the end of the run, and print its output.' },
    { name: 'timeout', takes: 'seconds', meaning: 'With --wait: wait no longer than this.' },
    { name: 'public-key', takes: 'key', meaning: 'Start as the unauthenticated caller of this public key.' },
    { name: 'token', takes: 'token', meaning: 'With --public-key: the token of the run whose inputs to replace.' },
    { name: 'action-signer', takes: 'key', meaning: 'The wallet that signs and sends the transaction of an action.' },
    {
      name: 'priority',
      takes: 'seconds',
      meaning: 'Take the place of a run of yours that was started so much earlier.',
    },
    { name: 'idempotency-key', takes: 'text', meaning: 'The same key returns the same run; random by default.' },
  ],
  example: 'flows start 7@stable item=tea quantity=3 --wait',
  run: async (context, { positionals: [text = '', ...assignments], option, has }) => {
    const { client, screen, signal } = context;
    const target = readTarget(text);
    const timeout = readNumber(option('timeout'), 'timeout', 0, 1_000_000);
    if (timeout !== undefined && !has('wait')) throw new UsageError('--timeout may be given only with --wait.');
    const publicKey = option('public-key');
    const { values, inputs } = await readAssignments(assignments, () => client.read(target, { publicKey, signal }));
    screen.progress('starting');
    const run = await client.start(target, values, {
      inputs,
      publicKey,
      token: option('token'),
      actionSigner: option('action-signer'),
      priority: readNumber(option('priority'), 'priority', -3_600, 3_600),
      idempotencyKey: option('idempotency-key'),
      signal,
    });
    await printRun(context, run, { waits: has('wait'), timeout });
  },
};
