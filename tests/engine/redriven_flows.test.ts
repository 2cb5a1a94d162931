import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type NativeNodes, NodeError } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { delayNodes, makeRandom } from '../support/delayed_nodes.ts';
import {
  claimFlow,
  endOf,
  type ExecuteFlowOptions,
  type Recorded,
  recordedBy,
  ROOT_RUN_ID,
  stopHalt,
} from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { addShape, type Shape, shapeArbitraries } from '../support/random_shape.ts';
import {
  called,
  calling,
  type Claimed,
  countOf,
  type Executed,
  executed,
  failByChance,
  kinds,
  ofRoot,
} from '../support/redriven_flows.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';

const MAX_ATTEMPTS = 2;

/** The number of cases. Each case has at least six claims. */
const RUNS = fuzzCases(45);

/** Builds a flow in which some nodes have retries. */
function build(shape: Shape, random: () => number): FlowBuilder {
  const flow = new FlowBuilder();
  const ports = [flow.json([1, 2, 3, 1]), flow.json([[4], [], [5, 6], [4]]), flow.json('x'), flow.json([])];
  addShape(flow, kinds, ports, shape);
  for (const { data } of flow.nodes) {
    if (data.type === 'native' && random() < 0.5) {
      data.retry = { max_attempts: MAX_ATTEMPTS, delay_ms: 0, backoff: 1, max_delay_ms: 0 };
    }
  }
  return flow.freeze();
}

/** Wraps the nodes so that the run stops after this many executions. */
function stopAfter(registry: NativeNodes, executions: number, stop: () => void): NativeNodes {
  let left = executions;
  return (nodeId) => {
    const module = registry(nodeId);
    if (module === undefined || 'buildInstructions' in module) return module;
    return {
      ...module,
      run: (call) => {
        if (left-- === 0) stop();
        return module.run(call);
      },
    };
  };
}

/** Returns the executions that have ended. */
const endsOf = (events: Claimed['events']) => events.flatMap((event) => event.type === 'nodeEnded' ? [event.run] : []);

const runIdOf = (number: number) => `01930000-0000-7000-8000-00000000010${number}`;

it('a run that is redriven until nothing fails has the result of a run without failures, and repeats no execution', async () => {
  let takenOver = 0;
  let exhausted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record(shapeArbitraries(kinds, 14)),
      fc.nat(),
      fc.constantFrom(0.05, 0.2, 0.5),
      async (shape, seed, chance) => {
        const random = makeRandom(seed);
        const flow = build(shape, random);
        const claim = (options: ExecuteFlowOptions = {}) =>
          claimFlow(flow, {}, { flows: { 1: called, 2: calling }, ...options });
        const calm = await claim();
        const expected = executed(calm);

        const registry = delayNodes(nodeRegistry, seed);
        const earlier: { runId: string; recorded: Recorded }[] = [];
        const all: Executed[] = [];
        for (let number = 0; number < 3; number++) {
          const unlucky = failByChance(registry, Math.floor(random() * 1e9), chance);
          const runId = runIdOf(number);
          // Some of the runs are stopped, at their start or later. The next redrive also takes over executions from the
          // runs before the stopped ones.
          const stopper = new AbortController();
          const stop = () => stopper.abort(stopHalt('', 0));
          if (number === 1 && random() < 0.3) stop();
          const stopped = random() < 0.3 ? stopAfter(unlucky, Math.floor(random() * 15), stop) : unlucky;
          const options = { runId, redrivenFrom: [...earlier], registry: stopped, stop: stopper.signal };
          const { events, recorded } = await claim(options);
          all.push(...executed({ events, recorded }));
          const ends = endsOf(events);
          expect(Math.max(1, ...ends.map(({ attempt }) => attempt))).toBeLessThanOrEqual(MAX_ATTEMPTS);
          exhausted += ends.filter(({ attempt, errors }) => attempt === MAX_ATTEMPTS && errors !== null).length;
          earlier.unshift({ runId, recorded });
        }

        // The last redrive does not fail, but its worker is lost.
        const options = { runId: runIdOf(9), redrivenFrom: earlier, registry };
        const whole = await claim(options);
        const cut = Math.floor(random() * (whole.events.length + 1));
        const before = whole.events.slice(0, cut);
        const last = await claim({ ...options, earlier: recordedBy(before) });
        all.push(...executed({ events: before, recorded: whole.recorded }));
        all.push(...executed(last));
        // In the redrive, each node begins with its first attempt again, however many attempts it had in earlier runs.
        expect(new Set([...endsOf(whole.events), ...endsOf(last.events)].map(({ attempt }) => attempt))).not.toContain(
          MAX_ATTEMPTS,
        );
        takenOver += last.events.filter((event) => event.type === 'nodeTakenOver').length;

        const comparable = (claimed: Claimed, runId: string) => ofRoot(flow, claimed, runId);
        expect(comparable(whole, runIdOf(9))).toEqual(comparable(calm, ROOT_RUN_ID));
        expect(comparable(last, runIdOf(9))).toEqual(comparable(calm, ROOT_RUN_ID));
        const places = new Set(expected.map(({ where }) => where));
        // Because of a failure, some nodes behind the failed node may have received other inputs than in a run without
        // failures.
        const misled = countOf(all.filter(({ where }) => !places.has(where)).map(({ what }) => what));
        const counts = countOf(all.map(({ what }) => what));
        for (const [what, times] of countOf(expected.map(({ what }) => what))) {
          const count = counts.get(what) ?? 0;
          expect([what, count]).toEqual([what, Math.min(Math.max(count, times), times + (misled.get(what) ?? 0))]);
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(takenOver).toBeGreaterThan(3 * RUNS);
  expect(exhausted).toBeGreaterThan(RUNS / 3);
});

/** A registry in which the node `print` always fails. */
const withClosedPrint: NativeNodes = (nodeId) => {
  const module = nodeRegistry(nodeId);
  if (nodeId !== 'print' || module === undefined || 'buildInstructions' in module) return module;
  return { ...module, run: () => Promise.reject(new NodeError('closed')) };
};

it('executions of a nested loop are taken over, even if their numbers have changed', async () => {
  const flow = new FlowBuilder();
  const outer = flow.foreach(flow.json([[0], [1, 2], [3]]));
  const gate = flow.use('print', { print: outer }).passthrough('print');
  const text = flow.toText(flow.foreach(gate), 'text');
  flow.output('texts', flow.collectOthers(text));
  /**
   * A registry in which `print` fails for the second element, [1, 2]. So the inner loop passes on one empty element
   * instead of two.
   */
  const closed: NativeNodes = (nodeId) => {
    const module = nodeRegistry(nodeId);
    if (nodeId !== 'print' || module === undefined || 'buildInstructions' in module) return module;
    return {
      ...module,
      run: (call) => {
        if (call.inputs.print !== undefined && 'A' in call.inputs.print && call.inputs.print.A.length === 2) {
          throw new NodeError('closed');
        }
        return module.run(call);
      },
    };
  };
  const failed = await claimFlow(flow, {}, { registry: closed });
  expect(endOf(failed.result)).toMatchObject({
    status: 'failed',
    output: { M: { texts: { A: ['0', '3'].map((S) => ({ S })) } } },
  });
  const redriven = await claimFlow(flow, {}, {
    runId: runIdOf(1),
    redrivenFrom: [{ runId: ROOT_RUN_ID, recorded: failed.recorded }],
  });
  expect(endOf(redriven.result)).toMatchObject({
    status: 'succeeded',
    output: { M: { texts: { A: ['0', '1', '2', '3'].map((S) => ({ S })) } } },
  });
  const texts = (type: 'nodeEnded' | 'nodeTakenOver') =>
    redriven.events.flatMap((event) =>
      event.type === type && event.run.node_id === text.nodeId ? [[event.run.times, event.run.output?.M.result]] : []
    );
  expect(texts('nodeTakenOver')).toEqual([[0, { S: '0' }], [3, { S: '3' }]]);
  expect(texts('nodeEnded')).toEqual([[1, { S: '1' }], [2, { S: '2' }]]);
});

it('an execution is taken over if an input has no value in both runs, whatever failed before it', async () => {
  const flow = new FlowBuilder();
  const list = flow.json([1, 2]);
  const closable = flow.use('print', { print: list }).passthrough('print');
  const [failing, other] = [flow.foreach(closable), flow.foreach(list)];
  // A script with two outputs outputs only its variables. This script sets no variable v, so v never has a value.
  const silent = flow.script('let u = b;', { a: failing, b: other }, 2).output('v');
  const inLoop = flow.script('b', { a: silent, b: other }, 1, 'in a loop').output('u');
  const constant = flow.script('b', { a: silent, b: list }, 1, 'constant').output('u');
  flow.output('in_loop', flow.collect(inLoop));
  flow.output('constant', flow.collect(constant));
  const failed = await claimFlow(flow, {}, { registry: withClosedPrint });
  const redriven = await claimFlow(flow, {}, {
    runId: runIdOf(1),
    redrivenFrom: [{ runId: ROOT_RUN_ID, recorded: failed.recorded }],
  });
  expect(endOf(redriven.result)).toMatchObject({
    status: 'succeeded',
    output: { M: { in_loop: { A: [{ D: '1' }, { D: '2' }] } } },
  });
  const repeated = endsOf(redriven.events).filter(({ node_id }) => [inLoop.nodeId, constant.nodeId].includes(node_id));
  expect(repeated).toEqual([]);
});

it('an execution is taken over if only an edge changed that another edge into the same input overrides', async () => {
  const flow = new FlowBuilder();
  const hidden = flow.use('print', { print: flow.json('hidden') }).passthrough('print');
  const text = flow.use('to_string', { stringify: hidden });
  flow.connect(flow.json('counts'), text.input('stringify'));
  flow.output('text', text.output('result'));
  const failed = await claimFlow(flow, {}, { registry: withClosedPrint });
  expect(endOf(failed.result)).toMatchObject({ status: 'failed', output: { M: { text: { S: 'counts' } } } });
  const redriven = await claimFlow(flow, {}, {
    runId: runIdOf(1),
    redrivenFrom: [{ runId: ROOT_RUN_ID, recorded: failed.recorded }],
  });
  expect(endOf(redriven.result)).toMatchObject({ status: 'succeeded', output: { M: { text: { S: 'counts' } } } });
  const again = redriven.events.flatMap((event) => event.type === 'nodeEnded' ? [event.run.node_id] : []);
  expect(again).toEqual([hidden.nodeId]);
});
