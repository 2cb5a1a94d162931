import { expect, it } from 'vitest';
import { failedBefore } from './node_states.ts';
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
  expect(failedBefore('template', edges, executions)).toEqual(['get']);
  expect(failedBefore('post', edges, executions)).toEqual(['get']);
  expect(failedBefore('other', edges, executions)).toEqual([]);
  expect(failedBefore('end', edges, executions)).toEqual([]);
});
