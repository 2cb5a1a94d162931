import { describe, expect, it } from 'vitest';
import { type NativeNodes, NodeError } from '../../runner/engine/node.ts';
import type { StoredPartialConfig } from '../../runner/engine/graph/partial_run.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import type { ValueMap } from '../../types/values/value.ts';
import {
  claimFlow,
  endOf,
  executeFlow,
  type ExecuteFlowOptions,
  type Recorded,
  testNode,
} from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { showMap } from '../support/flow_text.ts';

const EARLIER = '01930000-0000-7000-8000-0000000000aa';

const run = (flow: FlowBuilder, inputs: ValueMap = {}, options: ExecuteFlowOptions = {}): Promise<Recorded> =>
  executeFlow(flow, inputs, { ...options, runId: EARLIER });

/** Runs only the nodes in `only_nodes`. If `recorded` is given, the other nodes have their outputs from that record. */
function runPart(
  flow: FlowBuilder,
  only_nodes: string[],
  options: ExecuteFlowOptions & { recorded?: Recorded; inline?: StoredPartialConfig['inline']; inputs?: ValueMap } = {},
) {
  const { recorded, inline = {}, inputs = {}, ...rest } = options;
  const runs = recorded === undefined ? {} : Object.fromEntries(flow.nodes.map(({ id }) => [id, EARLIER]));
  return claimFlow(flow, inputs, {
    ...rest,
    partial: { config: { only_nodes, runs, inline }, ...(recorded && { recorded }) },
  });
}

const shown = ({ nodeRuns }: Recorded): string[] =>
  nodeRuns.map(({ times, input, output }) => `#${times} ${showMap(input.M)} → ${output && showMap(output.M)}`);

/** A registry with a node `test_picky`, which fails for the number 2. */
const picky: NativeNodes = (id) =>
  id === 'test_picky'
    ? testNode(['n'], ['n'], ({ inputs }) => {
      if (inputs['n'] !== undefined && 'U' in inputs['n'] && inputs['n'].U === '2') throw new NodeError('not 2');
      return { n: inputs['n']! };
    })
    : nodeRegistry(id);

describe('a node that gets its values from an earlier run', () => {
  it('gets each element of a loop with its index', async () => {
    const flow = new FlowBuilder(picky);
    const each = flow.foreach(flow.json([1, 2, 3]));
    const picked = flow.use('test_picky', { n: each });
    const pair = flow.use('to_vec', { first: each, second: picked.output('n') });
    const recorded = await run(flow, {}, { registry: picky });
    const { recorded: part, result } = await runPart(flow, [pair.id], { recorded, registry: picky });
    expect(shown(part)).toEqual([
      '#0 first=1u second=1u → result=[1u, 1u]',
      '#2 first=3u second=3u → result=[3u, 3u]',
    ]);
    expect(endOf(result)).toMatchObject({ status: 'succeeded', not_run: [] });
  });

  it('gets the results of expressions on its edges', async () => {
    const flow = new FlowBuilder();
    const text = flow.use('to_string', { stringify: { ...flow.json(20), expression: '$ * 2 + 2' } });
    const recorded = await run(flow);
    expect(shown((await runPart(flow, [text.id], { recorded })).recorded)).toEqual(['#0 stringify=42u → result="42"']);
  });

  it('gets the error that the flow handled there', async () => {
    const flow = new FlowBuilder(picky);
    const picked = flow.use('test_picky', { n: flow.json(2) }, { handlesErrors: true });
    const message = flow.field('message', picked.output('error'));
    const recorded = await run(flow, {}, { registry: picky });
    const { recorded: part } = await runPart(flow, [message.nodeId], { recorded, registry: picky });
    expect(shown(part)[0]).toMatch(/→ result_json="not 2" /);
  });

  it('fails without a value that it needs, and its error names the node, the input and the output', async () => {
    const flow = new FlowBuilder(picky);
    const picked = flow.use('test_picky', { n: flow.json(1, 'Answer') }, { title: 'Picky' });
    const without = await runPart(flow, [picked.id], { registry: picky });
    const [source] = flow.nodes;
    expect(endOf(without.result).errors).toEqual([
      `Picky ${picked.id}: value_missing: no value for input "n": ` +
      `no run is named for output "Source" of Answer ${source!.id}`,
    ]);
    const empty = { nodeRuns: [], children: [], inputs: [], logs: [], transactions: [] };
    const { result } = await runPart(flow, [picked.id], { recorded: empty, registry: picky });
    expect(endOf(result).errors?.[0]).toMatch(
      new RegExp(`: value_missing: no value for input "n": run ${EARLIER} has no output "Source" of Answer`),
    );
  });

  it('fails for a branch that the run did not take, and runs without one of several values', async () => {
    const flow = new FlowBuilder(picky);
    const branch = flow.use('gate', { condition: flow.json(true), value: flow.json(1) });
    const picked = flow.use('test_picky', { n: branch.output('rejected') });
    const [taken, rejected] = [branch.output('output'), branch.output('rejected')];
    const script = flow.script('if a == () { "none" } else { a }', { a: rejected, b: taken });
    const none = flow.script('[a, b]', { a: rejected, b: rejected }, 1, 'none');
    const recorded = await run(flow, {}, { registry: picky });
    const { result, recorded: part } = await runPart(flow, [picked.id, script.id, none.id], {
      recorded,
      registry: picky,
    });
    expect(endOf(result).errors).toEqual([
      expect.stringContaining('value_missing: no value for input "n"'),
      expect.stringMatching(/^none .*: value_missing: no value for input "a"/),
    ]);
    expect(shown(part)).toContainEqual(expect.stringMatching(/→ u="none"$/));
  });

  it('fails if it gathers a loop in which an element failed, unless it leaves that element out', async () => {
    const flow = new FlowBuilder(picky);
    const picked = flow.use('test_picky', { n: flow.foreach(flow.json([1, 2, 3])) }, { title: 'picky' }).output('n');
    const [all, others] = [flow.collect(picked), flow.collectOthers(picked)].map(({ nodeId }) => nodeId);
    const recorded = await run(flow, {}, { registry: picky });
    const { result, recorded: part } = await runPart(flow, [all!, others!], { recorded, registry: picky });
    expect(endOf(result).errors).toEqual([
      expect.stringMatching(/^collect .*: value_missing: no value for input "element": picky .* failed for an element/),
    ]);
    expect(shown(part)).toContainEqual(expect.stringMatching(/→ array=\[1u, 3u\]$/));
  });

  it('gets the values again when its worker is lost, and repeats nothing', async () => {
    const flow = new FlowBuilder();
    const text = flow.use('to_string', { stringify: flow.foreach(flow.json([1, 2, 3])) });
    const recorded = await run(flow);
    const { recorded: part } = await runPart(flow, [text.id], { recorded });
    const lost = { ...part, nodeRuns: part.nodeRuns.slice(0, 2) };
    const { events, result } = await runPart(flow, [text.id], { recorded, earlier: lost });
    expect(events.filter(({ type }) => type === 'nodeEnded')).toHaveLength(1);
    expect(endOf(result).status).toBe('succeeded');
  });
});

describe('values given by hand', () => {
  it('replace the outputs of a node of the run', async () => {
    const flow = new FlowBuilder();
    const list = flow.json([1, 2]);
    const text = flow.use('to_string', { stringify: flow.foreach(list) });
    const recorded = await run(flow);
    const [, foreach] = flow.nodes;
    const inline = { [foreach!.id]: { element: { A: [{ S: 'x' }, { S: 'y' }] } } };
    const { recorded: part } = await runPart(flow, [text.id], { recorded, inline });
    expect(shown(part)).toEqual(['#0 stringify="x" → result="x"', '#1 stringify="y" → result="y"']);
  });

  it('replace the edges into an input of a node that runs, also those from other nodes that run', async () => {
    const flow = new FlowBuilder();
    const list = flow.json([1, 2]);
    const text = flow.use('to_string', { stringify: list });
    const inline = { [text.id]: { stringify: { S: 'by hand' } } };
    const { recorded, result } = await runPart(flow, [list.nodeId, text.id], { inline });
    expect(shown(recorded)).toContain('#0 stringify="by hand" → result="by hand"');
    expect(endOf(result).errors).toBeNull();
  });

  it('must be for an input that the node has, and are reported in the log if no node takes them', async () => {
    const flow = new FlowBuilder();
    const list = flow.json(1, 'Source node');
    const text = flow.use('to_string', { stringify: list });
    const unknown = await runPart(flow, [text.id], { inline: { [text.id]: { strinfigy: { S: 'x' } } } });
    expect(endOf(unknown.result).errors?.[0]).toMatch(/there is no input "strinfigy"/);
    const inline = { [list.nodeId]: { sauce: { S: 'x' }, Source: { S: 'y' } } };
    const { recorded } = await runPart(flow, [text.id], { inline });
    expect(recorded.logs.map(({ content }) => content)).toEqual([
      `the given output "sauce" of Source node ${list.nodeId} is not used: no node that runs takes it`,
    ]);
  });
});

describe('flow inputs and flow outputs of a partial run', () => {
  it('are like other nodes: the run outputs a selected flow output, and an input has its value from the earlier run', async () => {
    const flow = new FlowBuilder();
    const text = flow.toText(flow.input('value'));
    const [output, other] = [flow.output('text', text), flow.output('other', text)];
    const recorded = await run(flow, { value: { S: 'earlier' } });
    const { result } = await runPart(flow, [text.nodeId, output.id], { recorded });
    expect(endOf(result).output).toEqual({ M: { text: { S: 'earlier' } } });
    const fed = await runPart(flow, [other.id], { recorded });
    expect(endOf(fed.result).output).toEqual({ M: { other: { S: 'earlier' } } });
  });

  it('take the value of the start rather than the value of the earlier run', async () => {
    const flow = new FlowBuilder();
    const value = flow.input('value');
    const text = flow.output('text', flow.toText(value));
    const recorded = await run(flow, { value: { S: 'earlier' } });
    const only = flow.nodes.slice(1).map(({ id }) => id);
    const { result } = await runPart(flow, [...only, text.id], { recorded, inputs: { value: { S: 'now' } } });
    expect(endOf(result).output).toEqual({ M: { text: { S: 'now' } } });
  });
});

it('a redrive of a partial run takes over what succeeded, and executes the rest with the values of the earlier run', async () => {
  const REDRIVE = '01930000-0000-7000-8000-0000000000bb';
  const FIRST = '01930000-0000-7000-8000-000000000001';
  let isBroken = false;
  const registry: NativeNodes = (id) =>
    id === 'test_break'
      ? testNode(['n'], ['n'], ({ inputs }) => {
        if (isBroken && inputs['n'] !== undefined && 'U' in inputs['n'] && inputs['n'].U === '2') {
          throw new Error('broken');
        }
        return { n: inputs['n']! };
      })
      : nodeRegistry(id);
  const flow = new FlowBuilder(registry);
  const doubled = flow.toText({ ...flow.foreach(flow.json([1, 2, 3])), expression: '$ * 1' });
  const broken = flow.use('test_break', { n: flow.foreach(flow.json([1, 2, 3], 'other')) });
  const all = flow.use('collect', { element: broken.output('n') });
  const recorded = await run(flow, {}, { registry });
  isBroken = true;
  const only = [doubled.nodeId, broken.id, all.id];
  const failed = await runPart(flow, only, { recorded, registry });
  expect(endOf(failed.result).status).toBe('failed');
  isBroken = false;
  const redrivenFrom = [{ runId: FIRST, recorded: failed.recorded }];
  const { events, result } = await runPart(flow, only, { recorded, registry, redrivenFrom, runId: REDRIVE });
  expect(endOf(result).status).toBe('succeeded');
  const ofType = (type: string) =>
    events.flatMap((event) => event.type === type && 'run' in event && 'node_id' in event.run ? [event.run] : []);
  expect(ofType('nodeTakenOver').map(({ node_id, times }) => [node_id, times])).toEqual(
    expect.arrayContaining([[doubled.nodeId, 0], [doubled.nodeId, 1], [doubled.nodeId, 2], [broken.id, 0], [
      broken.id,
      2,
    ]]),
  );
  expect(ofType('nodeEnded').map(({ node_id, times }) => [node_id, times])).toEqual([[broken.id, 1], [all.id, 0]]);
});
