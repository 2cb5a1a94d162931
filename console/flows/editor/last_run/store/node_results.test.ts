import { expect, test } from 'vitest';
import type { ShownExecution } from '../../../../shared/run/use_live_run.ts';
import { type DraftRun, type DrawnFlow, nodeResults } from './node_results.ts';

const TIME = '2026-11-28T01:00:00Z';

const execution = (node_id: string, error?: string, times = 0): ShownExecution => ({
  node_id,
  times,
  start_time: TIME,
  end_time: TIME,
  errors: error === undefined ? null : [error],
  error_handled: false,
  attempt: 1,
  retry_at: null,
  is_taken_over: false,
  is_pinned: false,
  answered_at: null,
  answered_by: null,
});

const run = (id: string, executions: ShownExecution[], changes: Partial<DraftRun> = {}): DraftRun => ({
  id,
  end_time: TIME,
  not_run: [],
  only: undefined,
  executions,
  outputs: new Map(
    executions.filter(({ errors }) => errors === null).map(({ node_id }) => [node_id, { out: { S: id } }]),
  ),
  ...changes,
});

const NODES = ['a', 'b', 'c'];
const edge = (source: string, target: string) => ({ source, sourceHandle: 'out', target, targetHandle: 'in' });
const FLOW: DrawnFlow = {
  titles: new Map(NODES.map((id) => [id, `Node ${id}`])),
  edges: [edge('a', 'b'), edge('b', 'c')],
};

test('nodes that a partial run did not execute have the results of the run before', () => {
  const whole = run('whole', [execution('a'), execution('b', 'no luck')], { not_run: ['c'] });
  const partial = run('partial', [execution('b'), execution('c')]);
  const results = nodeResults([partial, whole], FLOW);
  expect(results.get('a')).toMatchObject({ runId: 'whole', state: 'succeeded', isNewest: false });
  expect(results.get('b')).toMatchObject({ runId: 'partial', state: 'succeeded', faults: [], isNewest: true });
  expect(results.get('c')).toMatchObject({ runId: 'partial', outputs: { out: { S: 'partial' } } });
  expect(nodeResults([whole], FLOW).get('b')).toMatchObject({
    state: 'failed',
    faults: ['no luck'],
    reason: undefined,
  });
  expect(nodeResults([whole], FLOW).get('c')).toMatchObject({ state: 'not run', reason: 'because “Node b” failed' });
});

test('while a run goes on, only the nodes that wait for a person are waiting', () => {
  const whole = run('whole', [execution('a')]);
  const live = { end_time: null, not_run: null };
  const asks = { ...execution('b'), end_time: null, waits_for_person: true };
  const all = nodeResults([run('live', [execution('a'), asks], live), whole], FLOW);
  expect(NODES.map((id) => all.get(id)?.state)).toEqual(['succeeded', 'waiting', 'not begun']);
  const part = nodeResults([run('live', [], { ...live, only: new Set(['b']) }), whole], FLOW);
  expect(NODES.map((id) => [part.get(id)?.runId, part.get(id)?.state])).toEqual([
    ['whole', 'succeeded'],
    ['live', 'not begun'],
    [undefined, undefined],
  ]);
});
