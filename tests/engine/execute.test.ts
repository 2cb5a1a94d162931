import { describe, expect, it } from 'vitest';
import { type NativeNodes, NodeError, type NodeModule } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import type { ValueMap } from '../../types/values/value.ts';
import { executeFlow, type ExecuteFlowOptions, testNode } from '../support/execute_flow.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';

const testNodes: Record<string, NodeModule> = {
  fail: testNode(['in?'], ['out', 'maybe?'], () => {
    throw new NodeError('as told');
  }),
  choose: testNode(
    ['yes'],
    ['left?', 'right?'],
    ({ inputs }) => ({ [inputs.yes && 'B' in inputs.yes && inputs.yes.B ? 'left' : 'right']: { S: 'taken' } }),
  ),
  need: testNode(['in'], ['out'], ({ inputs }) => ({ out: inputs.in! })),
  merge: testNode(['a?', 'b?'], ['out'], ({ inputs }) => ({ out: inputs.a ?? inputs.b ?? { S: 'neither' } })),
  hand_on: testNode(['in»'], ['out'], () => ({ out: { S: 'own' } })),
  nothing: testNode([], ['out'], () => ({})),
};

const registry: NativeNodes = (nodeId) => testNodes[nodeId] ?? nodeRegistry(nodeId);

const execute = (flow: FlowBuilder, inputs: ValueMap = {}, options: ExecuteFlowOptions = {}) =>
  executeFlow(flow, inputs, { registry, ...options });

describe('executeTree', () => {
  it('runs a flow to its outputs and records every node with its inputs', async () => {
    const flow = textFlow();
    const { status, output, errors, not_run, nodeRuns } = await execute(flow, { value: { U: '7' } });
    expect({ status, output, errors, not_run }).toEqual({
      status: 'succeeded',
      output: { M: { text: { S: '7' } } },
      errors: null,
      not_run: [],
    });
    expect(nodeRuns.map((run) => [run.times, run.input.M, run.output?.M, run.errors])).toEqual([
      [0, { value: { U: '7' } }, { value: { U: '7' } }, null],
      [0, { stringify: { U: '7' } }, { result: { S: '7' } }, null],
      [0, { text: { S: '7' } }, { text: { S: '7' } }, null],
    ]);
  });

  it('gives a missing input its default, or null without one', async () => {
    const flow = new FlowBuilder();
    flow.output('a', flow.input('a', 'default'));
    flow.output('b', flow.input('b'));
    expect((await execute(flow)).output).toEqual({ M: { a: { S: 'default' }, b: { N: 0 } } });
  });

  it('prefers the value of an edge to form data, and uses form data without an edge', async () => {
    const flow = new FlowBuilder();
    const withEdge = flow.node('to_string', {
      inputs: ['stringify?'],
      outputs: ['result'],
      form: { stringify: 'form', ignored: 'x' },
    });
    flow.connect(flow.constant({ S: 'edge' }), withEdge.input('stringify'));
    const without = flow.node('to_string', {
      inputs: ['stringify?'],
      outputs: ['result'],
      form: { stringify: 'form' },
    });
    flow.output('a', withEdge.output('result'));
    flow.output('b', without.output('result'));
    expect((await execute(flow)).output).toEqual({ M: { a: { S: 'edge' }, b: { S: 'form' } } });
  });

  it('runs all nodes except those that need the failed one', async () => {
    const flow = new FlowBuilder();
    const failing = flow.node('fail', { inputs: ['in?'], outputs: ['out', 'maybe?'], title: 'Breaks' });
    const needing = flow.node('need', { inputs: ['in'], outputs: ['out'] });
    flow.connect(failing.output('out'), needing.input('in'));
    const lost = flow.output('lost', needing.output('out'));
    const merging = flow.node('merge', { inputs: ['a?', 'b?'], outputs: ['out'] });
    flow.connect(failing.output('maybe'), merging.input('a')).connect(failing.output('out'), merging.input('b'));
    const kept = flow.output('kept', merging.output('out'));
    flow.output('other', flow.constant({ S: 'x' }));
    const result = await execute(flow);
    expect(result.status).toBe('failed');
    expect(result.errors).toEqual([`Breaks ${failing.id}: as told`]);
    expect(result.output).toEqual({ M: { other: { S: 'x' } } });
    expect(result.not_run).toEqual([needing.id, lost.id, merging.id, kept.id]);
    expect(result.nodeRuns.find((run) => run.node_id === failing.id)).toMatchObject({
      output: null,
      errors: ['as told'],
    });
  });

  it('stops the branch of an unset output, and continues a merge of optional inputs', async () => {
    const flow = new FlowBuilder();
    const choice = flow.node('choose', { inputs: ['yes'], outputs: ['left?', 'right?'] });
    flow.connect(flow.input('yes'), choice.input('yes'));
    const left = flow.node('need', { inputs: ['in'], outputs: ['out'] });
    const right = flow.node('need', { inputs: ['in'], outputs: ['out'] });
    flow.connect(choice.output('left'), left.input('in')).connect(choice.output('right'), right.input('in'));
    const merging = flow.node('merge', { inputs: ['a?', 'b?'], outputs: ['out'] });
    flow.connect(left.output('out'), merging.input('a')).connect(right.output('out'), merging.input('b'));
    flow.output('result', merging.output('out'));
    for (const yes of [true, false]) {
      const result = await execute(flow, { yes: { B: yes } });
      expect(result.output).toEqual({ M: { result: { S: 'taken' } } });
      expect(result.not_run).toEqual([yes ? right.id : left.id]);
    }
  });

  it('waits for an optional input whose source has not run yet', async () => {
    const flow = new FlowBuilder();
    const merging = flow.node('merge', { inputs: ['a?', 'b?'], outputs: ['out'] });
    flow.connect(flow.toText(flow.toText(flow.constant({ S: 'late' }))), merging.input('a'));
    flow.output('result', merging.output('out'));
    expect((await execute(flow)).output).toEqual({ M: { result: { S: 'late' } } });
  });

  it('passes an input on under its own name if the node succeeds', async () => {
    const flow = new FlowBuilder();
    const node = flow.node('hand_on', { inputs: ['in»'], outputs: ['out'] });
    flow.connect(flow.constant({ S: 'through' }), node.input('in'));
    flow.output('given', node.passthrough('in'));
    flow.output('own', node.output('out'));
    expect((await execute(flow)).output).toEqual({ M: { given: { S: 'through' }, own: { S: 'own' } } });
  });

  it('fails a node with an unset mandatory output, with that error only', async () => {
    const flow = new FlowBuilder();
    const node = flow.node('nothing', { outputs: ['out'] });
    expect((await execute(flow)).errors).toEqual([`nothing ${node.id}: output not found: ["out"]`]);
  });

  it('fails at an unknown native node, and at an unknown port', async () => {
    const flow = new FlowBuilder();
    const unknown = flow.node('teleport', { outputs: ['out'] });
    const wrongPort = flow.node('to_string', { inputs: ['stringify?', 'tone'], outputs: ['result'] });
    flow.connect(flow.constant({ S: 'x' }), wrongPort.input('tone'));
    expect((await execute(flow)).errors).toEqual([
      `teleport ${unknown.id}: node_not_implemented: there is no node teleport`,
      `to_string ${wrongPort.id}: there is no input "tone", only stringify`,
    ]);
  });

  it('drops an edge with an unknown handle with a warning, and the label names the port, whatever name the JSON has', async () => {
    const flow = new FlowBuilder();
    const input = flow.node('flow_input', { outputs: [''], form: { label: 'a', form_label: 'x' } });
    const output = flow.node('flow_output', { inputs: ['other'], form: { label: 'b' } });
    flow.connect(input.output(''), output.input('other'));
    flow.edges.push({ ...flow.edges[0]!, targetHandle: 'left behind' });
    const { output: given, logs } = await execute(flow);
    expect(given).toEqual({ M: { b: { S: 'x' } } });
    expect(logs).toMatchObject([{ log_level: 'Warn', node_id: null }]);
    expect(logs[0]?.content).toContain('left behind');
  });

  it('ignores mock nodes and edges into them', async () => {
    const flow = new FlowBuilder();
    const mock = flow.node('anything', { inputs: ['in'], type: 'mock' });
    flow.connect(flow.constant({ S: 'x' }), mock.input('in'));
    expect(await execute(flow)).toMatchObject({ status: 'succeeded', not_run: [] });
  });

  it('uses the results of an earlier claim instead of running nodes again', async () => {
    const flow = textFlow();
    const first = await execute(flow, { value: { S: 'first' } });
    const ran: string[] = [];
    const counting: NativeNodes = (nodeId) => {
      const module = registry(nodeId);
      if (module === undefined || 'buildInstructions' in module) return module;
      return { ...module, run: (call) => (ran.push(nodeId), module.run(call)) };
    };
    const again = await execute(flow, { value: { S: 'first' } }, {
      registry: counting,
      earlier: { ...first, nodeRuns: first.nodeRuns.slice(0, 2) },
    });
    expect(ran).toEqual(['flow_output']);
    expect(again.output).toEqual({ M: { text: { S: 'first' } } });
    expect(again.nodeRuns).toEqual(first.nodeRuns);
  });

  it("starts nodes that become ready together in the flow's order, and runs slow ones in parallel", async () => {
    const order: string[] = [];
    let openAll = () => {};
    const allRun = new Promise<void>((resolve) => openAll = resolve);
    const slow = (nodeId: string) =>
      testNode([], ['out'], async () => {
        if (order.push(nodeId) === 3) openAll();
        await allRun;
        return { out: { S: nodeId } };
      });
    const flow = new FlowBuilder();
    for (const name of ['c', 'a', 'b']) flow.output(name, flow.node(name, { outputs: ['out'] }).output('out'));
    const { output } = await execute(flow, {}, {
      registry: (nodeId) => 'abc'.includes(nodeId) ? slow(nodeId) : registry(nodeId),
    });
    expect(order).toEqual(['c', 'a', 'b']);
    expect(output).toEqual({ M: { a: { S: 'a' }, b: { S: 'b' }, c: { S: 'c' } } });
  });
});
