import { expect, it } from 'vitest';
import type { Halt, NodeModule } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { makeSlice, UNLIMITED } from '../../runner/engine/state/slice.ts';
import { claimFlow, executeFlow, stopHalt } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

const definition = {
  type: 'native',
  data: { node_id: 'slow', version: '0.1', display_name: 'Slow' },
  sources: [{ name: 'out', type: 'free' }],
  targets: [],
};

/**
 * Stops a run when its parallel nodes `slow` and `deaf` have begun. `slow` ends a while later; `deaf` never ends. Each
 * of them has a following node.
 */
async function stopWhileRunning(halt: Halt) {
  const stop = new AbortController();
  let begin = () => {};
  const haveBegun = new Promise<void>((resolve) => {
    let begun = 0;
    begin = () => {
      if (++begun === 2) resolve();
    };
  });
  const stopped = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
  const modules: Record<string, NodeModule> = {
    slow: {
      definition,
      run: async () => {
        begin();
        await stopped;
        await new Promise((resolve) => setTimeout(resolve, 20));
        return { out: { S: 'done' } };
      },
    },
    deaf: {
      definition,
      run: () => {
        begin();
        return new Promise(() => {});
      },
    },
  };
  const flow = new FlowBuilder();
  const slow = flow.node('slow', { outputs: ['out'] });
  const deaf = flow.node('deaf', { outputs: ['out'] });
  const a = flow.output('a', slow.output('out'));
  const b = flow.output('b', deaf.output('out'));
  const running = executeFlow(flow, {}, {
    registry: (nodeId) => modules[nodeId] ?? nodeRegistry(nodeId),
    stop: stop.signal,
  });
  await haveBegun;
  stop.abort(halt);
  const { nodeRuns, ...result } = await running;
  const errorsOf = (id: string) => nodeRuns.find((run) => run.node_id === id)?.errors;
  return {
    result,
    slow: errorsOf(slow.id),
    deaf: errorsOf(deaf.id),
    notStarted: [a.id, b.id],
  };
}

it('a stop starts no more nodes, records those that end within the grace period, and cancels the rest', async () => {
  const { result, slow, deaf, notStarted } = await stopWhileRunning(stopHalt('enough', 200));
  expect(result.status).toBe('stopped');
  expect(slow).toBeNull();
  expect(deaf).toEqual(['canceled by user enough']);
  expect(result.not_run).toEqual(notStarted);
});

it('a stop without a grace period cancels all nodes at once', async () => {
  const { result, slow, deaf } = await stopWhileRunning(stopHalt('', 0));
  expect(result.status).toBe('stopped');
  expect([slow, deaf]).toEqual([['canceled by user'], [
    'canceled by user',
  ]]);
  expect(result.errors).toHaveLength(2);
});

it('a stop cancels nodes that an earlier claim began and released', async () => {
  const flow = new FlowBuilder();
  const waited = flow.wait(flow.constant({ S: 'x' }), 60_000);
  const follower = flow.output('out', waited);
  const slice = makeSlice(UNLIMITED);
  slice.end();
  const first = await claimFlow(flow, {}, { slice, now: Date.now });
  expect(first.result).toMatchObject({ status: 'released' });
  const second = await claimFlow(flow, {}, { slice, now: Date.now, earlier: first.recorded });
  expect(second.recorded.nodeRuns.find((run) => run.node_id === waited.nodeId)?.end_time).toBeNull();
  const stop = new AbortController();
  stop.abort(stopHalt('enough', 0));
  const stopped = await claimFlow(flow, {}, { now: Date.now, earlier: second.recorded, stop: stop.signal });
  expect(stopped.result).toEqual({
    status: 'stopped',
    output: { M: {} },
    errors: [`wait ${waited.nodeId}: canceled by user enough`],
    not_run: [follower.id],
  });
  expect(stopped.recorded.nodeRuns.find((run) => run.node_id === waited.nodeId)).toMatchObject({
    errors: ['canceled by user enough'],
    end_time: expect.any(String),
  });
});
