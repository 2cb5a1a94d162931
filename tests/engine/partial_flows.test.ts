import fc from 'fast-check';
import { expect, it } from 'vitest';
import { claimFlow, endOf, type Recorded, ROOT_RUN_ID } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { showMap } from '../support/flow_text.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';
import { addShape, type MakePort, shapeArbitraries } from '../support/random_shape.ts';

/**
 * Functions that make a port from two earlier ones. Their nodes branch, loop, collect, merge, call a flow and pass
 * errors on.
 */
const kinds: MakePort[] = [
  (flow, a, _, title) => flow.foreach(a, title),
  (flow, a, _, title) => flow.collect(a, title),
  (flow, a, _, title) => flow.toText(a, title),
  (flow, a, b, title) => flow.use('to_vec', { first: a, second: b }, { title }).output('result'),
  (flow, a, b, title) => flow.script('if a != () { a } else { b }', { a, b }, 1, title).output('u'),
  (flow, a, _, title) => flow.script('if type_of(a) == "array" { a.len() }', { a }, 1, title).output('u'),
  (flow, a, _, title) => flow.use('print', { print: a }, { title }).passthrough('print'),
  (flow, a, _, title) => flow.interflow(1, { list: a }, ['each?'], title).output('each'),
  (flow, a, _, title) => flow.toText({ ...a, expression: '$type($) = "number" ? $ * 2 : [$, 1]' }, title),
  (flow, a, _, title) => flow.collect({ ...a, expression: '$[$ != 2]' }, title),
  (flow, a, b, title) =>
    flow.script('if type_of(a) == "string" { #{u: a} } else { #{u: b, v: a} }', { a, b }, 2, title).output('v'),
  (flow, a, _, title) =>
    flow.use('range', { end: a }, { title, form: { start: 0 }, handlesErrors: true }).output('error'),
];

const called = new FlowBuilder();
called.output('each', called.toText(called.foreach(called.input('list'))));
called.freeze();

const WHOLE_RUN = '01930000-0000-7000-8000-0000000000aa';

/** The record of one run, without the runs that it called. */
const ofRoot = (recorded: Recorded, runId: string): Recorded => ({
  ...recorded,
  nodeRuns: recorded.nodeRuns.filter(({ flow_run_id }) => flow_run_id === runId),
});

/** Lists the executions of one node that ended without an error, as texts. */
const executionsOf = ({ nodeRuns }: Recorded, nodeId: string): string[] =>
  nodeRuns.filter(({ node_id, errors }) => node_id === nodeId && errors === null)
    .map(({ times, input, output }) => `#${times} ${showMap(input.M)} → ${showMap(output?.M ?? {})}`).toSorted();

/**
 * Chooses nodes at random. If a script is chosen, the nodes before it are chosen, too. The reason: a script has
 * optional inputs, so it also runs for iterations in which the node before it did not run. If the last iterations of a
 * loop are of this kind, the record of the run does not show them.
 */
function chooseNodes(flow: FlowBuilder, choices: Iterator<boolean>): string[] {
  const chosen = flow.nodes.filter(() => choices.next().value);
  for (const { id, data } of chosen) {
    if (!data.node_id.startsWith('rhai_script')) continue;
    for (const { source } of flow.edges.filter(({ target }) => target === id)) {
      const before = flow.nodes.find((node) => node.id === source)!;
      if (!chosen.includes(before)) chosen.push(before);
    }
  }
  return chosen.map(({ id }) => id);
}

it('a part of a flow with values of a whole run has the same executions as in that run', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record(shapeArbitraries(kinds, 12)),
      fc.infiniteStream(fc.boolean()),
      async (shape, choices) => {
        const flow = new FlowBuilder();
        addShape(flow, kinds, [flow.json([1, 2, 3, 1]), flow.json([[4], [], [5, 6], [4]]), flow.json('x')], shape);
        flow.freeze();
        const flows = { 1: called };
        const whole = await claimFlow(flow, {}, { flows, runId: WHOLE_RUN });
        const recorded = ofRoot(whole.recorded, WHOLE_RUN);
        const only = chooseNodes(flow, choices);
        const config = {
          only_nodes: only,
          runs: Object.fromEntries(flow.nodes.map(({ id }) => [id, WHOLE_RUN])),
          inline: {},
        };
        const part = await claimFlow(flow, {}, { flows, partial: { config, recorded } });
        const ran = ofRoot(part.recorded, ROOT_RUN_ID);
        expect(ran.nodeRuns.filter(({ node_id }) => !only.includes(node_id))).toEqual([]);
        for (const id of only) {
          expect(executionsOf(ran, id)).toEqual(executionsOf(recorded, id));
          compared += executionsOf(recorded, id).length;
        }
        expect(endOf(part.result).not_run.every((id) => only.includes(id))).toBe(true);
      },
    ),
    { numRuns: fuzzCases(60) },
  );
  expect(compared).toBeGreaterThan(300);
});
