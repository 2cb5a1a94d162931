import { expect, it } from 'vitest';
import type { SnapshotChanges } from '../../runner/engine/state/journal.ts';
import { type NativeNodes, NodeError } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import type { ValueMap } from '../../types/values/value.ts';
import {
  claimFlow,
  endOf,
  type ExecuteFlowOptions,
  type Recorded,
  recordedBy,
  ROOT_RUN_ID,
  testNode,
  type TestTraits,
} from '../support/execute_flow.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';
import { redriveChanges } from '../support/redrive_changes.ts';

/** What stays the same while a run is redriven again and again: the world outside. */
class World {
  /** The amounts that were paid, in order. */
  readonly paid: string[] = [];
  /** The values for which the node `read` fails. */
  closed: string[] = [];
  readonly registry: NativeNodes;

  constructor(traits: TestTraits = { effects: 'once' }) {
    const pay = testNode(['amount?', 'memo?'], ['receipt'], ({ inputs: { amount } }) => {
      this.paid.push(Object.values(amount ?? { N: 'nothing' })[0]);
      return { receipt: amount ?? { N: 0 } };
    }, traits);
    const read = testNode(['value'], ['value'], ({ inputs: { value } }) => {
      if (this.closed.includes(String(Object.values(value!)[0]))) throw new NodeError('closed');
      return { value: value! };
    });
    this.registry = (nodeId) => nodeId === 'pay' ? pay : nodeId === 'read' ? read : nodeRegistry(nodeId);
  }

  flow(): FlowBuilder {
    return new FlowBuilder(this.registry);
  }
}

const pay = (flow: FlowBuilder, edges: { [input: string]: Port }, spec = {}) =>
  flow.use('pay', edges, { title: 'pay', ...spec });
const read = (flow: FlowBuilder, value: Port) => flow.use('read', { value }).output('value');

interface Run {
  runId: string;
  recorded: Recorded;
  changes?: SnapshotChanges | undefined;
}

/** A chain of runs, each of which redrives the one before. */
class Chain {
  readonly #world: World;
  #count = 0;
  /** The runs from which the next redrive takes over executions, as the database lists them. */
  #layers: Run[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** Starts the flow, or redrives the last run. */
  async run(
    flow: FlowBuilder,
    { changes, ...options }: ExecuteFlowOptions & { changes?: SnapshotChanges; inputs?: ValueMap } = {},
  ) {
    const runId = this.#count === 0 ? ROOT_RUN_ID : `01930000-0000-7000-8000-00000000010${this.#count}`;
    this.#count += 1;
    const layers = this.#layers.map((run) => ({ ...run, ...(changes && { changes }) }));
    const claimed = await claimFlow(flow, options.inputs ?? {}, {
      registry: this.#world.registry,
      runId,
      redrivenFrom: layers,
      ...options,
    });
    const isComplete = claimed.events.every(({ type }) => type !== 'leftIncomplete');
    // The called runs of succeeded nodes are not read again.
    const callers = new Set(
      claimed.recorded.nodeRuns.filter(({ errors }) => errors === null).map(({ node_id, times }) =>
        `${node_id}#${times}`
      ),
    );
    const children = claimed.recorded.children
      .filter(({ parent_node_id, parent_times }) => !callers.has(`${parent_node_id}#${parent_times}`));
    this.#layers = [{ runId, recorded: { ...claimed.recorded, children } }, ...isComplete ? [] : this.#layers];
    return { ...endOf(claimed.result), layers: this.#layers.length, ...claimed };
  }
}

/** Sums the values that `read` lets through, and pays the sum. */
function payTheSum(world: World, list: number[] = [1, 2, 3]) {
  const flow = world.flow();
  const each = read(flow, flow.foreach(flow.json(list)));
  const all = flow.use('collect', { element: each }, { form: { on_failed_element: 'leave_out' } }).output('array');
  const sum = flow.script('let u = 0; for x in a { u += x; } u', { a: all }, 1, 'sum').output('u');
  const paying = pay(flow, { amount: sum });
  flow.output('receipt', paying.output('receipt'));
  return { flow, payId: paying.id };
}

it('an effect that succeeded is not repeated with other inputs, unless the redrive names its node', async () => {
  const world = new World();
  world.closed = ['2'];
  const { flow, payId } = payTheSum(world);
  const chain = new Chain(world);
  expect(await chain.run(flow)).toMatchObject({ status: 'failed', output: { M: { receipt: { D: '4' } } } });
  world.closed = [];
  const refused = {
    status: 'failed',
    errors: [
      `pay ${payId}: effect_already_done: the node succeeded in run ${ROOT_RUN_ID} with other inputs, so it did not act again; amount was 4 and is 6`,
    ],
    output: { M: {} },
  };
  expect(await chain.run(flow)).toMatchObject(refused);
  expect(await chain.run(flow, { repeatEffects: { 7: [payId], entry: [] } })).toMatchObject(refused);
  expect(world.paid).toEqual(['4']);
  expect(await chain.run(flow, { repeatEffects: { entry: [payId] } })).toMatchObject({
    status: 'succeeded',
    output: { M: { receipt: { D: '6' } } },
    layers: 1,
  });
  expect(world.paid).toEqual(['4', '6']);
});

it('an effect is not repeated after a redrive that did not reach its node', async () => {
  const world = new World();
  const flow = world.flow();
  const value = flow.use('merge', { a: read(flow, flow.json('main')), b: flow.json('other') }).output('value');
  const amount = read(flow, flow.script('a + "!"', { a: value }, 1).output('u'));
  flow.output('receipt', pay(flow, { amount }).output('receipt'));
  const chain = new Chain(world);
  world.closed = ['main'];
  expect(await chain.run(flow)).toMatchObject({ status: 'failed', layers: 1 });
  world.closed = ['main!'];
  expect(await chain.run(flow)).toMatchObject({ status: 'failed', layers: 2 });
  world.closed = [];
  expect((await chain.run(flow)).errors).toEqual([expect.stringContaining('effect_already_done')]);
  expect(world.paid).toEqual(['other!']);
});

it('in a loop, executions are matched by equal inputs at any position, and then by position', async () => {
  const world = new World();
  world.closed = ['5'];
  const flow = world.flow();
  // The first element fails, so the list of the second loop has a new first element later.
  const all = flow.use('collect', { element: read(flow, flow.foreach(flow.json([5, 6, 7, 7]))) }, {
    form: { on_failed_element: 'leave_out' },
  }).output('array');
  // The numbers of the elements are inputs of the node `mark` only.
  const marked = flow.script('let u = []; for (x, i) in a { u.push(#{x: x, i: i}); } u', { a: all }, 1, 'mark').output(
    'u',
  );
  const amount = flow.field('x', flow.foreach(marked));
  flow.output('receipts', pay(flow, { amount }).output('receipt'));
  const chain = new Chain(world);
  await chain.run(flow);
  expect(world.paid).toEqual(['6', '7', '7']);
  world.closed = [];
  const { errors, output } = await chain.run(flow);
  expect(errors).toEqual([expect.stringMatching(/#0: effect_already_done: .*; amount was 6 and is 5$/)]);
  expect(output).toMatchObject({ M: { receipts: { A: ['6', '7', '7'].map((D) => ({ D })) } } });
  expect(world.paid).toEqual(['6', '7', '7']);
});

it('a list with a new first element pays nothing again', async () => {
  const world = new World();
  world.closed = ['5'];
  const flow = world.flow();
  const all = flow.use('collect', { element: read(flow, flow.foreach(flow.json([5, 6, 7, 7]))) }, {
    form: { on_failed_element: 'leave_out' },
  }).output('array');
  flow.output('receipts', pay(flow, { amount: flow.foreach(all) }).output('receipt'));
  const chain = new Chain(world);
  await chain.run(flow);
  world.closed = [];
  expect(await chain.run(flow)).toMatchObject({
    status: 'succeeded',
    output: { M: { receipts: { A: ['5', '6', '7', '7'].map((U) => ({ U })) } } },
  });
  expect(world.paid).toEqual(['6', '7', '7', '5']);
});

it('an effect that may be repeated runs again with new inputs', async () => {
  const world = new World({ effects: 'idempotent' });
  world.closed = ['2'];
  const { flow } = payTheSum(world);
  const chain = new Chain(world);
  await chain.run(flow);
  world.closed = [];
  expect(await chain.run(flow)).toMatchObject({ status: 'succeeded', layers: 1 });
  expect(world.paid).toEqual(['4', '6']);
});

it('the error tells no text, and no flow handles it', async () => {
  const world = new World();
  world.closed = ['secret'];
  const flow = world.flow();
  const memo = flow.use('collect', { element: read(flow, flow.foreach(flow.json(['token', 'secret']))) }, {
    form: { on_failed_element: 'leave_out' },
  }).output('array');
  const paying = pay(flow, { amount: flow.json(true), memo }, { handlesErrors: true });
  flow.output('error', paying.output('error'));
  const chain = new Chain(world);
  await chain.run(flow);
  world.closed = [];
  const { errors, output } = await chain.run(flow);
  expect(errors).toEqual([expect.stringMatching(/so it did not act again; memo was a list of 1 and is a list of 2$/)]);
  expect(output).toEqual({ M: {} });
});

it('an effect behind `merge` that follows another branch now is not repeated', async () => {
  const world = new World();
  world.closed = ['main'];
  const flow = world.flow();
  const main = read(flow, flow.json('main'));
  const other = flow.json('fallback');
  const amount = flow.use('merge', { a: main, b: other }).output('value');
  flow.output('receipt', pay(flow, { amount }).output('receipt'));
  const chain = new Chain(world);
  await chain.run(flow);
  expect(world.paid).toEqual(['fallback']);
  world.closed = [];
  const { errors } = await chain.run(flow);
  expect(errors).toEqual([expect.stringContaining('effect_already_done')]);
  expect(world.paid).toEqual(['fallback']);
});

/** A flow that pays the sum by calling another flow. The called flow fails after the payment while `last` is closed. */
function paySumByCall(world: World) {
  const inner = world.flow();
  const paying = pay(inner, { amount: inner.input('amount') });
  inner.output('receipt', paying.output('receipt'));
  inner.output('last', read(inner, inner.json('last')));
  const outer = world.flow();
  const each = read(outer, outer.foreach(outer.json([1, 2, 3])));
  const all = outer.use('collect', { element: each }, { form: { on_failed_element: 'leave_out' } }).output('array');
  const amount = outer.script('let u = 0; for x in a { u += x; } u', { a: all }, 1, 'sum').output('u');
  const call = outer.interflow(5, { amount }, ['receipt', 'last']);
  outer.output('receipt', call.output('receipt'));
  return { flow: outer, flows: { 5: inner }, callId: call.id, payId: paying.id };
}

it('an effect in a called flow is not repeated if the call failed and has other inputs now', async () => {
  const world = new World();
  const { flow, flows, payId } = paySumByCall(world);
  world.closed = ['2', 'last'];
  const chain = new Chain(world);
  await chain.run(flow, { flows });
  world.closed = [];
  const { errors } = await chain.run(flow, { flows });
  expect(errors).toEqual([expect.stringContaining(`pay ${payId}: effect_already_done`)]);
  expect((await chain.run(flow, { flows, repeatEffects: { entry: [payId] } })).status).toBe('failed');
  expect(world.paid).toEqual(['4']);
  expect((await chain.run(flow, { flows, repeatEffects: { 5: [payId] } })).status).toBe('succeeded');
  expect(world.paid).toEqual(['4', '6']);
});

it('a call of a flow with effects that succeeded is not repeated with other inputs', async () => {
  const world = new World();
  const { flow, flows, callId } = paySumByCall(world);
  world.closed = ['2'];
  const chain = new Chain(world);
  await chain.run(flow, { flows });
  world.closed = [];
  const { errors } = await chain.run(flow, { flows });
  expect(errors).toEqual([expect.stringContaining(`${callId}: effect_already_done`)]);
  expect(world.paid).toEqual(['4']);
  expect((await chain.run(flow, { flows, repeatEffects: { entry: [callId] } })).status).toBe('succeeded');
  expect(world.paid).toEqual(['4', '6']);
});

it('the same holds for a redrive on a changed flow, and in a later claim of the redrive', async () => {
  const world = new World();
  world.closed = ['2'];
  const [before, after] = [payTheSum(world), payTheSum(world, [1, 2, 4])];
  const changes = redriveChanges(before.flow.graph(), after.flow.graph());
  const chain = new Chain(world);
  const first = await chain.run(before.flow);
  expect(world.paid).toEqual(['4']);
  world.closed = [];
  const redriven = await chain.run(after.flow, { changes });
  expect(redriven.errors).toEqual([expect.stringContaining('effect_already_done')]);
  // The worker of the redrive is lost at any time.
  for (let cut = 0; cut <= redriven.events.length; cut++) {
    const { result } = await claimFlow(after.flow, {}, {
      registry: world.registry,
      runId: 'redrive',
      redrivenFrom: [{ runId: ROOT_RUN_ID, recorded: first.recorded, changes }],
      earlier: recordedBy(redriven.events.slice(0, cut)),
    });
    expect(endOf(result).errors).toEqual(redriven.errors);
  }
  expect(world.paid).toEqual(['4']);
});
