import { expect, it } from 'vitest';
import { executeFlow } from '../support/execute_flow.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';

/** Adds a node as a deploy freezes a disabled one. */
function disabled(flow: FlowBuilder, from: { [input: string]: Port }, options: { handlesErrors?: boolean } = {}) {
  const node = flow.node('disabled', { inputs: ['a?', 'b?'], outputs: ['first', 'second'], ...options });
  for (const [input, port] of Object.entries(from)) flow.connect(port, node.input(input));
  return node;
}

it('hands its first input on at each output, also in a loop', async () => {
  const flow = new FlowBuilder();
  const each = flow.foreach(flow.input('list'));
  const node = disabled(flow, { a: each });
  flow.output('all', flow.collect(node.output('second')));
  flow.output('one', disabled(flow, { b: flow.json('x') }).output('first'));
  const { output, errors } = await executeFlow(flow, { list: { A: [{ U: '1' }, { U: '2' }] } });
  expect(errors).toBeNull();
  expect(output).toEqual({ M: { all: { A: [{ U: '1' }, { U: '2' }] }, one: { S: 'x' } } });
});

it('gives nothing without an edge, and nothing at its output error', async () => {
  const flow = new FlowBuilder();
  const node = disabled(flow, { a: flow.json(1) }, { handlesErrors: true });
  flow.output('failure', flow.toText(node.output('error'), 'Tell'));
  flow.output('none', flow.toText(disabled(flow, {}).output('first'), 'Empty'));
  flow.output('value', node.output('first'));
  const { output, errors } = await executeFlow(flow);
  expect(errors).toBeNull();
  expect(output).toEqual({ M: { value: { U: '1' } } });
});
