import type { NodeOfFlow } from '../../flow_client.ts';
import { readNumber, readUuid } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printRun } from '../output.ts';
import { UsageError } from '../usage_error.ts';

/** Reads a node of a flow, such as `7/8d7f6e5c-1b2a-4c3d-9e8f-7a6b5c4d3e2f`. */
function readNodeOfFlow(text: string): NodeOfFlow {
  const [, flow, node] = /^(\d{1,10})\/(.+)$/.exec(text) ?? [];
  if (flow === undefined || node === undefined) {
    throw new UsageError(
      '--repeat-effects must be the id of a flow and the id of its node, with a slash between them.',
    );
  }
  return { flow: Number(flow), node: readUuid(node, 'node') };
}

export const redrive: Command = {
  name: 'redrive',
  arguments: '<run>',
  count: [1, 1],
  summary: 'Continue a failed or stopped run as a new run.',
  notes: [
    'The new run takes over the succeeded nodes with their outputs, and executes the others.',
    'Only the owner of the flow may do this.',
  ],
  options: [
    {
      name: 'accept-unknown',
      meaning: 'Redrive even if a failed node may have changed something outside. The new run may repeat the change.',
    },
    {
      name: 'repeat-effects',
      takes: 'flow/node',
      isRepeatable: true,
      meaning:
        'A node that may act again, although it succeeded with other inputs (effect_already_done). May be repeated.',
    },
    {
      name: 'deployment',
      takes: 'id',
      meaning: 'Continue on this deployment of the flow. Nodes that are different there are executed again.',
    },
    { name: 'wait', meaning: 'Wait for the end of the new run, and print its output.' },
    { name: 'timeout', takes: 'seconds', meaning: 'With --wait: wait no longer than this.' },
    { name: 'idempotency-key', takes: 'text', meaning: 'The same key returns the same run; random by default.' },
  ],
  example: 'flows redrive 019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e --wait',
  run: async (context, { positionals: [text = ''], option, all, has }) => {
    const { client, screen, signal } = context;
    const timeout = readNumber(option('timeout'), 'timeout', 0, 1_000_000);
    if (timeout !== undefined && !has('wait')) throw new UsageError('--timeout may be given only with --wait.');
    const deployment = option('deployment');
    screen.progress('redriving');
    const run = await client.redrive(readUuid(text, 'run'), {
      acceptUnknown: has('accept-unknown'),
      repeatEffects: all('repeat-effects').map(readNodeOfFlow),
      deployment: deployment === undefined ? undefined : readUuid(deployment, 'deployment'),
      idempotencyKey: option('idempotency-key'),
      signal,
    });
    await printRun(context, run, { waits: has('wait'), timeout });
  },
};
