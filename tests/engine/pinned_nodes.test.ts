import { expect, it } from 'vitest';
import type { NativeNodes } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { claimFlow, endOf, recordedBy, testNode } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { showMap } from '../support/flow_text.ts';

/** Makes a flow with a node that counts its calls, once for each of three numbers. */
function countedFlow() {
  const calls = { count: 0 };
  const registry: NativeNodes = (id) =>
    id === 'test_pay'
      ? testNode(['n»'], ['paid'], () => {
        calls.count++;
        return { paid: { S: 'really' } };
      }, { effects: 'once' })
      : nodeRegistry(id);
  const flow = new FlowBuilder(registry);
  const pay = flow.use('test_pay', { n: flow.foreach(flow.json([1, 2, 3])) }, { title: 'pay' });
  flow.output('all', flow.collect(pay.output('paid')));
  return { flow, registry, payId: pay.id, calls };
}

it('a pinned node has its inputs and its pinned outputs, in each iteration, and does not run', async () => {
  const { flow, registry, payId, calls } = countedFlow();
  const { recorded, result } = await claimFlow(flow, {}, { registry, pins: { [payId]: { paid: { S: 'pinned' } } } });
  expect(calls.count).toBe(0);
  const pinned = recorded.nodeRuns.filter(({ is_pinned }) => is_pinned);
  expect(pinned.map(({ node_id, times, input, output }) => [node_id, times, showMap(input.M), showMap(output!.M)]))
    .toEqual(
      [1, 2, 3].map((n, times) => [payId, times, `n=${n}u`, `n=${n}u paid="pinned"`]),
    );
  expect(showMap(endOf(result).output.M)).toBe('all=["pinned", "pinned", "pinned"]');
});

it('a pinned node fails if its pin lacks an output that the node must have', async () => {
  const { flow, registry, payId } = countedFlow();
  const { result } = await claimFlow(flow, {}, { registry, pins: { [payId]: { payed: { S: 'typo' } } } });
  expect(endOf(result).errors?.[0]).toMatch(/^pay .*: output not found: \["paid"\]$/);
});

it('a claim that continues a run with pins uses them, and repeats no execution', async () => {
  const { flow, registry, payId, calls } = countedFlow();
  const options = { registry, pins: { [payId]: { paid: { S: 'pinned' } } } };
  const whole = await claimFlow(flow, {}, options);
  for (let cut = 0; cut < whole.events.length; cut++) {
    const resumed = await claimFlow(flow, {}, { ...options, earlier: recordedBy(whole.events.slice(0, cut)) });
    expect(endOf(resumed.result)).toEqual(endOf(whole.result));
    expect(resumed.recorded.nodeRuns.length).toBe(whole.recorded.nodeRuns.length);
  }
  expect(calls.count).toBe(0);
});
