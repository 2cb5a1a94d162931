import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type NativeNodes, NodeError } from '../../runner/engine/node.ts';
import type { SnapshotChanges } from '../../runner/engine/state/journal.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { delayNodes, makeRandom } from '../support/delayed_nodes.ts';
import {
  claimFlow,
  endOf,
  type ExecuteFlowOptions,
  type Recorded,
  recordedBy,
  ROOT_RUN_ID,
} from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';
import { addShape, type Shape, shapeArbitraries } from '../support/random_shape.ts';
import { redriveChanges } from '../support/redrive_changes.ts';
import {
  called,
  calling,
  type Claimed,
  countOf,
  executed,
  failByChance,
  kinds,
  ofRoot,
} from '../support/redriven_flows.ts';

const CALLED = { 1: called, 2: calling };

/** The number of cases. Each case has five claims. */
const RUNS = fuzzCases(25);

const runIdOf = (number: number) => `01930000-0000-7000-8000-00000000010${number}`;

/**
 * Builds a flow. With `random`, some nodes and edges differ from those of the original flow. The other nodes have the
 * same ids as there.
 */
function build(shape: Shape, random?: () => number): FlowBuilder {
  const flow = new FlowBuilder();
  const ports = [flow.json([1, 2, 3, 1]), flow.json([[4], [], [5, 6], [4]]), flow.json('x'), flow.json([])];
  addShape(flow, kinds, ports, shape);
  for (let change = 0; random !== undefined && change < 3; change++) {
    const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const kind = random();
    const [edge, other, node] = [any(flow.edges), any(flow.edges), any(flow.nodes)];
    if (kind < 0.3) {
      node.data.display_name = 'renamed';
    } else if (kind < 0.5) {
      const constants = flow.nodes.filter(({ data }) => data.node_id === 'const');
      any(constants).data.targets_form = structuredClone(any(constants).data.targets_form);
    } else if (kind < 0.9 && edge !== undefined && other !== undefined) {
      // The ids of nodes ascend, so an edge from an older node closes no cycle.
      if (other.source < edge.target) Object.assign(edge, { source: other.source, sourceHandle: other.sourceHandle });
    } else {
      flow.nodes = flow.nodes.filter(({ id, data }) => id !== node.id || data.node_id === 'const');
      const ids = new Set(flow.nodes.map(({ id }) => id));
      flow.edges = flow.edges.filter(({ source, target }) => ids.has(source) && ids.has(target));
    }
  }
  return flow.freeze();
}

it('a redrive on a changed flow has the result of a fresh run, and repeats no execution of a node that is the same', async () => {
  let takenOver = 0;
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({ nodes: shapeArbitraries(kinds, 14).nodes, order: fc.constant([...Array(30).keys()]) }),
      fc.nat(),
      fc.constantFrom(0.05, 0.2, 0.5),
      async ({ nodes, order }, seed, chance) => {
        const random = makeRandom(seed);
        const shape = () => ({ nodes, order: order.values() });
        const [before, after] = [build(shape()), build(shape(), random)];
        const changes = redriveChanges(before.graph(), after.graph(), Object.keys(CALLED));
        changed += Object.keys(changes.entry!.nodes).length;
        const claim = (flow: FlowBuilder, options: ExecuteFlowOptions = {}) =>
          claimFlow(flow, {}, { flows: CALLED, ...options });
        const calm = await claim(after);

        const registry = delayNodes(nodeRegistry, seed);
        const unlucky = () => failByChance(registry, Math.floor(random() * 1e9), chance);
        const earlier: { runId: string; recorded: Recorded; changes?: SnapshotChanges }[] = [];
        const done: Claimed[] = [];
        const first = await claim(before, { runId: runIdOf(0), registry: unlucky() });
        done.push(first);
        earlier.unshift({ runId: runIdOf(0), recorded: first.recorded, changes });
        if (random() < 0.5) {
          // Redrive the run on the new flow; this redrive fails, too.
          const second = await claim(after, { runId: runIdOf(1), redrivenFrom: [...earlier], registry: unlucky() });
          done.push(second);
          earlier.unshift({ runId: runIdOf(1), recorded: second.recorded });
        }
        // The last redrive does not fail, but its worker is lost.
        const options = { runId: runIdOf(9), redrivenFrom: earlier, registry };
        const whole = await claim(after, options);
        const events = whole.events.slice(0, Math.floor(random() * (whole.events.length + 1)));
        const last = await claim(after, { ...options, earlier: recordedBy(events) });
        for (const claimed of [whole, last]) {
          expect(ofRoot(after, claimed, runIdOf(9))).toEqual(ofRoot(after, calm, ROOT_RUN_ID));
        }
        takenOver += whole.events.filter((event) => event.type === 'nodeTakenOver').length;

        // Count the executions of the root run by node and inputs. The redrive executes an unchanged node again only if
        // the earlier runs executed it with these inputs fewer times than expected.
        const ofSame = (names: string[]) =>
          countOf(names.filter((name) => !Object.hasOwn(changes.entry!.nodes, /^ (\S+) /.exec(name)?.[1] ?? '')));
        const expected = ofSame(executed(calm).map(({ what }) => what));
        const had = ofSame(executed(first).map(({ what }) => what));
        const again = ofSame(executed({ events: whole.events, recorded: whole.recorded }).map(({ what }) => what));
        if (done.length > 1) return;
        for (const [what, count] of again) {
          if (what.includes('>')) continue;
          expect([what, count]).toEqual([what, Math.max(0, (expected.get(what) ?? 0) - (had.get(what) ?? 0))]);
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(takenOver).toBeGreaterThan(3 * RUNS);
  expect(changed).toBeGreaterThan(RUNS);
});

/** A registry in which the node `print` always fails. */
const withClosedPrint: NativeNodes = (nodeId) => {
  const module = nodeRegistry(nodeId);
  if (nodeId !== 'print' || module === undefined || 'buildInstructions' in module) return module;
  return { ...module, run: () => Promise.reject(new NodeError('closed')) };
};

it('executions of a loop whose list has changed are found by their inputs, not by their numbers', async () => {
  const build = (list: number[]) => {
    const flow = new FlowBuilder();
    const value = flow.json(list);
    const text = flow.toText(flow.foreach(value), 'text');
    flow.output('texts', flow.collect(text));
    flow.output('gate', flow.use('print', { print: value }).passthrough('print'));
    return { flow, text };
  };
  const [before, after] = [build([7, 8, 7]), build([9, 7, 8])];
  const failed = await claimFlow(before.flow, {}, { registry: withClosedPrint });
  const changes = redriveChanges(before.flow.graph(), after.flow.graph());
  const redriven = await claimFlow(after.flow, {}, {
    runId: runIdOf(1),
    redrivenFrom: [{ runId: ROOT_RUN_ID, recorded: failed.recorded, changes }],
  });
  expect(endOf(redriven.result)).toMatchObject({ status: 'succeeded' });
  const texts = (type: 'nodeEnded' | 'nodeTakenOver') =>
    redriven.events.flatMap((event) =>
      event.type === type && event.run.node_id === after.text.nodeId ? [event.run.output?.M.result] : []
    );
  expect(texts('nodeTakenOver')).toEqual([{ S: '7' }, { S: '8' }]);
  expect(texts('nodeEnded')).toEqual([{ S: '9' }]);
});

it('a call of a flow that differs is not taken over, and a failed one is continued inside', async () => {
  const build = (last: string) => {
    const inner = new FlowBuilder();
    const given = inner.input('x');
    inner.output('text', inner.toText(given, 'first'));
    inner.output('gate', inner.use('print', { print: given }).passthrough('print'));
    inner.output('last', inner.json(last));
    return inner;
  };
  const [before, after] = [build('before'), build('after')];
  const flow = new FlowBuilder();
  flow.output('text', flow.interflow(1, { x: flow.json(3) }, ['text']).output('text'));
  const call = flow.nodes.find(({ data }) => data.node_id === 'interflow')!.id;
  const ofCalled = redriveChanges(before.graph(), after.graph()).entry!;
  const changes = { entry: { nodes: {}, calls: [call] }, 1: ofCalled };
  const redrive = async (registry: NativeNodes) => {
    const earlier = await claimFlow(flow, {}, { flows: { 1: before }, registry });
    const children = earlier.recorded.children.filter(({ status }) => status === 'failed');
    return await claimFlow(flow, {}, {
      runId: runIdOf(1),
      flows: { 1: after },
      redrivenFrom: [{ runId: ROOT_RUN_ID, recorded: { ...earlier.recorded, children }, changes }],
    });
  };
  const takenOver = ({ events }: Claimed) =>
    events.flatMap((event) => event.type === 'nodeTakenOver' ? [event.run.node_id] : []);
  const first = before.nodes.find(({ data }) => data.display_name === 'first')!.id;

  const continued = await redrive(withClosedPrint);
  expect(endOf(continued.result).status).toBe('succeeded');
  expect(takenOver(continued)).toContain(first);
  const anew = await redrive(nodeRegistry);
  expect(takenOver(anew)).not.toContain(first);
  expect(takenOver(anew)).not.toContain(call);
});
