import { afterEach, expect, it } from 'vitest';
import { type ClaimJournal, makeClaimJournal } from './claim_journal.ts';
import type { Claim, Claims, Progress } from './claims.ts';
import type { NodeRun } from '../../engine/state/journal.ts';
import type { Effect } from '../../engine/node.ts';
import { readRunnerSettings } from '../../settings.ts';

const RUN_ID = '01930000-0000-7000-8000-000000000001';
const settings = readRunnerSettings(() => undefined, false);

let journal: ClaimJournal;
let stored: Progress[];

/** Opens a journal of a run for which no earlier claim stored progress. */
function open(): ClaimJournal {
  stored = [];
  // SAFETY: the journal calls no other function and reads no other member of a claim.
  const claims = { checkpoint: async (_, progress) => void stored.push(progress) } as Partial<Claims> as Claims;
  const claim = { flow_run_id: RUN_ID, work_ms: 0 } as Partial<Claim> as Claim;
  const nothing = { node_runs: [], children: [], transactions: [], ended_executions: 0, log_counts: {} };
  journal = makeClaimJournal({
    claims,
    claim,
    history: nothing,
    settings,
    now: Date.now,
    workMs: () => 0,
    outputBytes: () => 0,
  });
  return journal;
}
afterEach(() => journal.close());

const nodeRun = (times: number, change: Partial<NodeRun> = {}): NodeRun => ({
  flow_run_id: RUN_ID,
  node_id: '10000000-0000-4000-8000-000000000001',
  times,
  attempt: 1,
  retry_at: null,
  start_time: '2026-01-01T00:00:01Z',
  end_time: null,
  input: { M: {} },
  output: null,
  errors: null,
  ...change,
});

it('the outcome of a transaction is stored once, with the other progress of the run', async () => {
  const { transactionEnded, nodeEnded, flush, takeRest } = open();
  const first: Effect = { flow_run_id: RUN_ID, node_id: '10000000-0000-4000-8000-000000000001', times: 0 };
  const second: Effect = { ...first, times: 1 };
  // The journal stores the ids that name the transaction's execution, and not `members`.
  transactionEnded({ ...first, members: [] } as Effect, 'confirmed', '5Sig');
  nodeEnded(nodeRun(0, { end_time: '2026-01-01T00:00:02Z', output: { M: {} } }));
  await flush();
  expect(stored.map(({ transactions, node_runs }) => [transactions, node_runs.length])).toEqual([
    [[{ ...first, outcome: 'confirmed', signature: '5Sig' }], 1],
  ]);
  transactionEnded(second, 'failed', null);
  expect((await takeRest()).transactions).toEqual([{ ...second, outcome: 'failed', signature: null }]);
  expect((await takeRest()).transactions).toEqual([]);
});

it('the end of a transaction alone makes the journal store progress', async () => {
  const { transactionEnded, flush } = open();
  await flush();
  expect(stored).toEqual([]);
  transactionEnded({ flow_run_id: RUN_ID, node_id: RUN_ID, times: 0 }, 'failed', '5Sig');
  await flush();
  expect(stored).toHaveLength(1);
});

it('if a begun node reports an early output, its row is stored with the output, whose bytes count as unstored', async () => {
  const { nodeBegan, isFull, flush } = open();
  const output = {
    M: { text: { S: 'x'.repeat(settings.checkpointBytes * settings.maxUnstoredCheckpoints) } },
  } as const;
  nodeBegan(nodeRun(0));
  expect(isFull()).toBe(false);
  nodeBegan(nodeRun(0, { output }));
  expect(isFull()).toBe(true);
  await flush();
  expect(stored.map(({ node_runs }) => node_runs)).toEqual([
    [expect.objectContaining(nodeRun(0, { output, start_time: '2026-01-01T00:00:01.000000Z' }))],
  ]);
});

it('reported events are numbered in the order in which they happened, although they are stored by kind', async () => {
  const { nodeBegan, nodeEnded, inputAsked, logged, runBegan, runEnded, flush, takeRest } = open();
  const line = (times: number) => ({
    flow_run_id: RUN_ID,
    node_id: nodeRun(0).node_id,
    times,
    time: '2026-01-01T00:00:01Z',
    log_level: 'Info' as const,
    module: null,
    content: '',
  });
  const ended = (times: number) => nodeEnded(nodeRun(times, { end_time: '2026-01-01T00:00:02Z', output: { M: {} } }));
  const call = { parent_flow_run_id: RUN_ID, parent_node_id: nodeRun(0).node_id, parent_times: 0 };
  // The first execution calls a flow. The second ends at once and logs before its end.
  runBegan({ id: 'child', flow_id: 1, inputs: { M: {} }, ...call });
  nodeBegan(nodeRun(0));
  logged(line(1));
  ended(1);
  // The input is requested before the begin of its execution is reported.
  const execution = { flow_run_id: RUN_ID, node_id: nodeRun(0).node_id, times: 2 };
  inputAsked({ ...execution, token: '', url: '', timeout_ms: 1, answered_by: 'owner', shown_inputs: [] });
  nodeBegan(nodeRun(2));
  await flush();
  runEnded('child', { status: 'succeeded', output: { M: {} }, errors: null, not_run: [] });
  ended(0);
  const positionsOf = ({ children, node_runs, inputs, logs }: Progress) =>
    [
      ...children.flatMap((
        { start_position, end_position },
      ) => [['called', start_position], ['called ends', end_position]]),
      ...node_runs.flatMap((
        { times, start_position, end_position },
      ) => [[times, start_position], [`${times} ends`, end_position]]),
      ...inputs.map(({ times, position }) => [`${times} asks`, position]),
      ...logs.map(({ times, position }) => [`${times} logs`, position]),
    ].filter(([, position]) => position !== null).toSorted(([, a], [, b]) => Number(a) - Number(b)).map(([what]) =>
      what
    );
  expect(stored.map(positionsOf)).toEqual([[0, 'called', 1, '1 logs', '1 ends', 2, '2 asks']]);
  expect(positionsOf(await takeRest())).toEqual([0, 'called', 'called ends', '0 ends']);
});

it('times show the order of events within one millisecond, unless an event is reported too late', async () => {
  const { nodeEnded, logged, takeRest } = open();
  const ended = (times: number, start_time: string) =>
    nodeEnded(nodeRun(times, { start_time, end_time: '2026-01-01T00:00:02Z', output: { M: {} } }));
  const { node_id } = nodeRun(0);
  ended(0, '2026-01-01T00:00:02Z');
  const line = { flow_run_id: RUN_ID, node_id, times: 1, log_level: 'Info', module: null, content: '' } as const;
  logged({ ...line, time: '2026-01-01T00:00:02Z' });
  ended(1, '2026-01-01T00:00:02Z');
  const timesOf = ({ node_runs, logs }: Progress) =>
    [
      ...node_runs.flatMap(({ times, start_time, end_time }) => [[times, start_time], [`${times} ends`, end_time]]),
      ...logs.map(({ times, time }) => [`${times} logs`, time]),
    ].toSorted(([, a], [, b]) => a! < b! ? -1 : 1).map(([what]) => what);
  const first = await takeRest();
  expect([timesOf(first), first.is_in_order]).toEqual([[0, '0 ends', 1, '1 logs', '1 ends'], true]);
  ended(2, '2026-01-01T00:00:01Z');
  expect(await takeRest()).toMatchObject({ is_in_order: false, node_runs: [{ start_time: '2026-01-01T00:00:01Z' }] });
});
