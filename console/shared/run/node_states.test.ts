import { expect, it } from 'vitest';
import { describeFailures, failuresBefore } from './node_states.ts';
import type { ShownExecution } from './use_live_run.ts';

const execution = (node_id: string, errors: string[] | null, error_handled = false): ShownExecution => ({
  node_id,
  times: 0,
  attempt: 1,
  retry_at: null,
  start_time: '2026-11-28T00:00:00Z',
  end_time: '2026-11-28T00:00:01Z',
  errors,
  error_handled,
  is_taken_over: false,
  is_pinned: false,
  answered_at: null,
  answered_by: null,
});

const edges = ['get template', 'template post', 'handled post', 'branch other', 'get late', 'late end'].map((pair) => {
  const [source = '', target = ''] = pair.split(' ');
  return { source, sourceHandle: 'out', target, targetHandle: 'in' };
});

it('a node that did not run names the failed nodes before it, and none behind a branch or a handled failure', () => {
  const executions = [
    execution('get', ['status code: 500']),
    execution('handled', ['no'], true),
    execution('branch', null),
    execution('late', null),
  ];
  expect(Object.fromEntries(failuresBefore(edges, executions))).toEqual({ template: ['get'], post: ['get'] });
  const both = [...executions, execution('template', ['no'])];
  expect(Object.fromEntries(failuresBefore(edges, both))).toEqual({ post: ['template'] });
});

it.each([[['A'], 'because “A” failed'], [['A', 'B'], 'because “A” and another node failed'], [
  ['A', 'B', 'C'],
  'because “A” and 2 other nodes failed',
]])('the failures of %j are described in words', (titles, words) => {
  expect(describeFailures(titles)).toBe(words);
});
