import type { RunStatus } from '../../../types/flow_run.ts';
import { readNumber, readTarget, readUuid } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';
import { UsageError } from '../usage_error.ts';

const STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped'] as const satisfies RunStatus[];

function readStatus(text: string | undefined): RunStatus | undefined {
  const status = STATUSES.find((known) => known === text);
  if (status !== undefined || text === undefined) return status;
  throw new UsageError(`--status must be one of ${STATUSES.join(', ')}.`);
}

const tookOf = ({ created_at, end_time }: { created_at: string; end_time: string | null }): string =>
  end_time === null ? '' : `${Date.parse(end_time) - Date.parse(created_at)} ms`;

export const runs: Command = {
  name: 'runs',
  arguments: '[<flow|deployment>]',
  count: [0, 1],
  summary: 'List runs, the newest first.',
  notes: ['Each line has id, status, start and duration. The runs that you may see are listed.'],
  options: [
    { name: 'status', takes: 'status', meaning: `Only runs in this state: ${STATUSES.join(', ')}.` },
    { name: 'limit', takes: 'count', meaning: 'The most runs to list: 1 to 1000, 20 by default.' },
    {
      name: 'before',
      takes: 'run',
      meaning: 'Only runs that are older than this run, such as the last run of the previous list.',
    },
  ],
  example: 'flows runs 7 --status failed --limit 5',
  run: async ({ client, screen, isJson, signal }, { positionals: [text], option }) => {
    const limit = readNumber(option('limit'), 'limit', 1, 1000) ?? 20;
    const status = readStatus(option('status'));
    const last = option('before');
    const before = last === undefined ? undefined : readUuid(last, 'run');
    const target = text === undefined ? undefined : readTarget(text);
    const flow = typeof target === 'object' && 'flow' in target ? target : undefined;
    const deployment = typeof target === 'object' && 'id' in target
      ? target.id
      : flow?.tag === undefined
      ? undefined
      : (await client.read(flow, { signal })).deployment_id;
    const list = await client.runs({
      status,
      limit,
      before,
      deployment,
      flow: deployment === undefined ? flow?.flow : undefined,
      signal,
    });
    if (isJson) return await screen.print(printableJson(list));
    if (list.length === 0) screen.note('There are no runs to show.');
    for (const run of list) {
      await screen.print(
        printableLine(`${run.id}  ${run.status.padEnd(9)}  ${run.created_at}  ${tookOf(run)}`.trimEnd()),
      );
    }
  },
};
