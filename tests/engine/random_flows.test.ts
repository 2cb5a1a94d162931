import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeSlice, UNLIMITED } from '../../runner/engine/state/slice.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { delayNodes } from '../support/delayed_nodes.ts';
import { claimFlow, endOf, type ExecuteFlowOptions, recordedBy } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { showRun } from '../support/flow_text.ts';
import { addShape, type MakePort, type Shape, shapeArbitraries } from '../support/random_shape.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';

/** Functions that make a port from two earlier ones. Their nodes branch, fail, loop, collect, merge, and call flows. */
const kinds: MakePort[] = [
  (flow, a, _, title) => flow.foreach(a, title),
  (flow, a, _, title) => flow.collect(a, title),
  (flow, a, _, title) => flow.collectOthers(a, title),
  (flow, a, _, title) => flow.toText(a, title),
  (flow, a, b, title) => {
    const text = flow.use('rhai_script_2x1', { a, b }, { form: { source: '[a, b]' }, title });
    return flow.declare(text, 'b', { when_absent: 'run_unless_failed' }).output('u');
  },
  (flow, a, _, title) => {
    const text = flow.use('to_string', { stringify: a }, { title });
    return flow.declare(text, 'stringify', { when_absent: 'run' }).output('result');
  },
  (flow, a, b, title) => flow.use('to_vec', { first: a, second: b }, { title }).output('result'),
  (flow, a, b, title) => flow.script('if a != () { a } else { b }', { a, b }, 1, title).output('u'),
  (flow, a, _, title) => flow.script('if type_of(a) == "array" { a.len() }', { a }, 1, title).output('u'),
  (flow, a, _, title) => flow.script('if type_of(a) == "array" { throw "an array" } a', { a }, 1, title).output('u'),
  (flow, a, b, title) => flow.wait(a, 0, b, title),
  (flow, a, _, title) => flow.use('print', { print: a }, { title }).passthrough('print'),
  (flow, a, _, title) => flow.interflow(1, { list: a }, ['each?'], title).output('each'),
  (flow, a, _, title) => flow.toText({ ...a, expression: '$type($) = "number" ? $ * 2 : [$, 1]' }, title),
  (flow, a, _, title) => flow.foreach({ ...a, expression: '$[$ != 2]' }, title),
  (flow, a, b, title) =>
    flow.use('to_vec', { first: { ...a, expression: '$type($) = "array" ? $error("an array") : $' }, second: b }, {
      title,
    }).output('result'),
];

const shapes = fc.record(shapeArbitraries(kinds, 14));

const called = new FlowBuilder();
called.output('each', called.toText(called.foreach(called.input('list'))));
called.freeze();

function build(shape: Shape): FlowBuilder {
  const flow = new FlowBuilder();
  const ports = [flow.json([1, 2, 3]), flow.json([[4], [], [5, 6]]), flow.json('x'), flow.json([])];
  return addShape(flow, kinds, ports, shape).freeze();
}

it('a random flow has the same result however its nodes are timed and its claims end', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, fc.nat(), async (shape, seed) => {
      const flow = build(shape);
      const claim = (options: ExecuteFlowOptions = {}) =>
        claimFlow(flow, {}, { flows: { 1: called }, limits: { nodeExecutions: 100_000 }, ...options });
      const show = ({ result, recorded }: Awaited<ReturnType<typeof claim>>) => {
        return { ...showRun(flow, { 1: called }, endOf(result), recorded), logs: [] };
      };
      const first = await claim();
      const expected = show(first);
      const registry = delayNodes(nodeRegistry, seed);
      expect(show(await claim({ registry })), 'slow nodes').toEqual(expected);
      const cut = seed % (first.events.length + 1);
      expect(show(await claim({ registry, earlier: recordedBy(first.events.slice(0, cut)) })), 'a lost worker').toEqual(
        expected,
      );
      const slice = makeSlice(UNLIMITED);
      slice.end();
      let last = await claim({ slice, registry });
      while (last.result.status === 'released') last = await claim({ slice, registry, earlier: last.recorded });
      expect(show(last), 'short claims').toEqual(expected);
    }),
    // The number of cases is low, because each case claims its flow many times.
    { numRuns: fuzzCases(25) },
  );
});
