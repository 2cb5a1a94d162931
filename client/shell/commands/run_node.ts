import { readNumber, readTarget, readUuid } from '../arguments.ts';
import { readTagged } from '../assignments.ts';
import type { Command } from '../command.ts';
import { printOutput, waitForOutput } from '../output.ts';
import { printableJson, printableLine } from '../printable.ts';
import { UsageError } from '../usage_error.ts';

function readFlow(text: string): number {
  const target = readTarget(text);
  if (typeof target === 'object' && 'flow' in target && target.tag === undefined) return target.flow;
  throw new UsageError(`${text} must be the id of a flow, a number.`);
}

export const runNode: Command = {
  name: 'run-node',
  arguments: '<flow> <node>',
  count: [2, 2],
  summary: 'Run one node of a flow, and print its outputs.',
  notes: [
    'The other nodes do not run. The outputs of the nodes before it come from the run that --from names.',
    'port=value is JSON if the value can be parsed, or else a text. port:=json is always JSON. Both replace the ' +
    'outputs of that run.',
    'In a loop the node runs once for each element, and the number of the execution stands before its outputs.',
  ],
  options: [
    { name: 'from', takes: 'run', meaning: 'The run with the outputs of the other nodes. It must have ended.' },
    {
      name: 'input',
      takes: 'port=value',
      isRepeatable: true,
      meaning: 'A value for an input of the node; may be given several times.',
    },
    { name: 'timeout', takes: 'seconds', meaning: 'Wait no longer than this.' },
    { name: 'idempotency-key', takes: 'text', meaning: 'The same key returns the same run; random by default.' },
  ],
  example: 'flows run-node 7 0d6e7a5c-2f4b-4b8e-9d3c-5a1b2c3d4e5f --input url=https://example.com',
  run: async (context, { positionals: [flowText = '', nodeText = ''], option, all }) => {
    const { client, screen, isJson, signal } = context;
    const [flow, node] = [readFlow(flowText), readUuid(nodeText, 'node')];
    const timeout = readNumber(option('timeout'), 'timeout', 0, 1_000_000);
    const from = option('from');
    screen.progress('starting');
    const run = await client.runNode(flow, node, {
      from: from === undefined ? undefined : readUuid(from, 'run'),
      inputs: readTagged(all('input')),
      idempotencyKey: option('idempotency-key'),
      signal,
    });
    screen.progress(printableLine(`waiting for run ${run.flow_run_id}`));
    await waitForOutput(context, run, timeout);
    const executions = await client.nodeRuns(run, { node, signal });
    if (isJson) return await screen.print(printableJson({ flow_run_id: run.flow_run_id, executions }));
    for (const { times, output } of executions.toSorted((a, b) => a.times - b.times)) {
      if (executions.length > 1) await screen.print(`#${times}`);
      await printOutput(context, output?.M ?? {});
    }
  },
};
