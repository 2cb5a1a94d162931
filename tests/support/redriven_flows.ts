import { type NativeNodes, NodeError } from '../../runner/engine/node.ts';
import { TransientError } from '../../runner/engine/failures/transient_error.ts';
import { makeRandom } from './delayed_nodes.ts';
import { type claimFlow, endOf } from './execute_flow.ts';
import { type BuiltNode, FlowBuilder, type Port } from './flow_builder.ts';
import { showMap } from './flow_text.ts';
import type { MakePort } from './random_shape.ts';

const alsoInto = (flow: FlowBuilder, node: BuiltNode, input: string, from: Port): BuiltNode => {
  flow.connect(from, node.input(input));
  return node;
};

/**
 * Functions that make a port from two earlier ones. Their nodes branch, loop, collect, merge, call flows, and have two
 * edges into one input.
 */
export const kinds: MakePort[] = [
  (flow, a, _, title) => flow.foreach(a, title),
  (flow, a, _, title) => flow.collect(a, title),
  (flow, a, _, title) => flow.toText(a, title),
  (flow, a, b, title) => flow.use('to_vec', { first: a, second: b }, { title }).output('result'),
  (flow, a, b, title) => flow.script('if a != () { a } else { b }', { a, b }, 1, title).output('u'),
  (flow, a, _, title) => flow.script('if type_of(a) == "array" { a.len() }', { a }, 1, title).output('u'),
  (flow, a, b, title) => flow.wait(a, 0, b, title),
  (flow, a, _, title) => flow.use('print', { print: a }, { title }).passthrough('print'),
  (flow, a, _, title) => flow.interflow(1, { list: a }, ['each?'], title).output('each'),
  (flow, a, _, title) => flow.toText({ ...a, expression: '$type($) = "number" ? $ * 2 : [$, 1]' }, title),
  (flow, a, _, title) => flow.foreach({ ...a, expression: '$[$ != 2]' }, title),
  (flow, a, _, title) => flow.collect({ ...a, expression: '$[$ != 2]' }, title),
  ...['each', 'all', 'own'].map((name): MakePort => (flow, a, b, title) =>
    flow.interflow(2, { x: a, y: b }, ['each?', 'all?', 'own?'], title).output(name)
  ),
  (flow, a, _, title) => flow.interflow(2, { x: a }, ['own?', 'each?', 'all?'], title).output('own'),
  (flow, a, b, title) =>
    flow.script('if type_of(a) == "string" { #{u: a} } else { #{u: b, v: a} }', { a, b }, 2, title).output('v'),
  (flow, a, b, title) =>
    alsoInto(flow, flow.use('to_string', { stringify: a }, { title }), 'stringify', b).output('result'),
  (flow, a, b, title) => alsoInto(flow, flow.use('collect', { element: a }, { title }), 'element', b).output('array'),
  (flow, a, b, title) =>
    flow.use('wait', { value: a, wait_for: b }, { title, form: { duration_ms: 0 } }).passthrough('wait_for'),
];

/** A flow that calls no other flow. */
export const called = new FlowBuilder();
called.output('each', called.toText(called.foreach(called.input('list'))));
called.freeze();

/** A flow that calls the flow above for each element. Its inputs have defaults. */
export const calling = new FlowBuilder();
const innerEach = calling.interflow(1, { list: calling.foreach(calling.input('x', [7, [8]])) }, ['each?']).output(
  'each',
);
const y = calling.input('y', 'default');
calling.output('each', innerEach);
calling.output(
  'all',
  calling.collect(calling.script('if a != () { a } else { b }', { a: innerEach, b: y }).output('u')),
);
calling.output('own', calling.toText(y));
calling.freeze();

/** Wraps the nodes so that executions fail at random. On average, every second failure is transient. */
export function failByChance(registry: NativeNodes, seed: number, chance: number): NativeNodes {
  const random = makeRandom(seed);
  return (nodeId) => {
    const module = registry(nodeId);
    if (module === undefined || 'buildInstructions' in module) return module;
    return {
      ...module,
      run: (call) => {
        const luck = random();
        if (luck < chance / 2) throw new NodeError('bad luck');
        if (luck < chance) throw new TransientError('bad luck for now');
        return module.run(call);
      },
    };
  };
}

export type Claimed = Awaited<ReturnType<typeof claimFlow>>;

export interface Executed {
  /** The node with its inputs, after the path of calls that leads to the node's flow. */
  what: string;
  /** The same text, with the execution's index in a loop. */
  where: string;
}

/** Returns the executions that succeeded in this claim, without those that the claim took over. */
export function executed({ events, recorded }: Pick<Claimed, 'events' | 'recorded'>): Executed[] {
  const callers = new Map(recorded.children.map((row) => [row.id, row]));
  const pathOf = (runId: string): string => {
    const row = callers.get(runId);
    return row === undefined
      ? ''
      : `${pathOf(row.parent_flow_run_id)} ${row.parent_node_id}(${showMap(row.inputs.M)}) >`;
  };
  return events.flatMap((event) => {
    if (event.type !== 'nodeEnded' || event.run.errors !== null) return [];
    const { flow_run_id, node_id, times, input } = event.run;
    const [node, values] = [`${pathOf(flow_run_id)} ${node_id}`, showMap(input.M)];
    return [{ what: `${node} ${values}`, where: `${node}#${times} ${values}` }];
  });
}

export const countOf = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** The columns of a run that its owner sees, without times and ids. */
export const ofRoot = (flow: FlowBuilder, { result, recorded }: Claimed, runId: string) => {
  const { status, output, errors, not_run } = endOf(result);
  const title = new Map(flow.nodes.map((node) => [node.id, node.data.display_name]));
  const runs = recorded.nodeRuns.filter((run) => run.flow_run_id === runId)
    .map((run) =>
      `${title.get(run.node_id)}#${run.times} ${showMap(run.input.M)} → ${showMap(run.output?.M ?? {})} ${run.errors}`
    );
  return { status, output: showMap(output.M), errors, not_run, runs: runs.toSorted() };
};
