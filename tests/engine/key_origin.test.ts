import { expect, it } from 'vitest';
import type { NativeNodes } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import type { Value } from '../../types/values/value.ts';
import { executeFlow, testNode } from '../support/execute_flow.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';

const KEY = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
const OTHER = '7hUdUTkJLwdcmt3jSEeqx4ep91sm1XwBxMDaJae6bD5D';
const WALLET: Value = { M: { public_key: { B3: KEY } } };

/** A node that outputs whether the flow itself names the key in its input. */
const asking = testNode(
  ['wallet?'],
  ['named'],
  ({ isNamedByFlow }) => ({ named: { B: isNamedByFlow('wallet', KEY) } }),
);
const registry: NativeNodes = (nodeId) => nodeId === 'test_asking' ? asking : nodeRegistry(nodeId);

const wallet = (flow: FlowBuilder): Port => flow.use('wallet', {}, { form: { public_key: KEY } }).output('keypair');

/** Adds an output `out` that passes on the input `in`. */
const handOn = (flow: FlowBuilder) => flow.output('out', flow.input('in'));

/**
 * Parts of flows. `build` returns an output that may hold a key. `isNamed` is true if the flow itself names this key.
 */
const cases: [title: string, isNamed: boolean, build: (flow: FlowBuilder) => Port | undefined][] = [
  ['a wallet node', true, wallet],
  ['a constant', true, (flow) => flow.constant(WALLET)],
  ['an input of the start', false, (flow) => flow.input('in')],
  ["an input's default", true, (flow) => flow.input('missing', { public_key: KEY })],
  ['nothing', false, () => undefined],
  ['a script', false, (flow) => flow.script('a', { a: wallet(flow) }).output('u')],
  ['an HTTP answer or the like', false, (flow) => flow.field('x', flow.json({ x: { public_key: KEY } }))],
  ['an input that is passed on', true, (flow) => flow.wait(wallet(flow), 1)],
  ['an input of the start that is passed on', false, (flow) => flow.wait(flow.input('in'), 1)],
  [
    'a key that was made a wallet',
    true,
    (flow) => flow.use('generate_keypair', { private_key: wallet(flow) }).output('keypair'),
  ],
  [
    'a key of the start that was made a wallet',
    false,
    (flow) => flow.use('generate_keypair', { private_key: flow.input('in') }).output('keypair'),
  ],
  ['a loop over wallets', true, (flow) => flow.foreach(flow.constant({ A: [WALLET] }))],
  ['a loop over an input of the start', false, (flow) => flow.foreach(flow.input('in'))],
  [
    'a branch over a wallet',
    true,
    (flow) => flow.use('branch', { value: wallet(flow) }, { form: { operator: 'is_not_null' } }).output('output'),
  ],
  [
    'a branch over an input of the start',
    false,
    (flow) => flow.use('branch', { value: flow.input('in') }, { form: { operator: 'is_not_null' } }).output('output'),
  ],
  [
    'a merge of wallets',
    true,
    (flow) => flow.use('merge', { a: wallet(flow), c: flow.constant(WALLET) }).output('value'),
  ],
  [
    'a merge of a wallet and an input of the start',
    false,
    (flow) => flow.use('merge', { a: wallet(flow), b: flow.input('in') }).output('value'),
  ],
  ['a called flow that passes it on', true, (flow) => flow.interflow(1, { in: wallet(flow) }, ['out']).output('out')],
  [
    'a called flow that passes its input on',
    false,
    (flow) => flow.interflow(1, { in: flow.input('in') }, ['out']).output('out'),
  ],
  ['the default of a called flow that gets nothing', true, (flow) => flow.interflow(1, {}, ['out']).output('out')],
];

const ask = async (build: (flow: FlowBuilder) => Port | undefined, startedBy?: string): Promise<Value | undefined> => {
  const flow = new FlowBuilder(registry);
  const port = build(flow);
  flow.output('named', flow.use('test_asking', port === undefined ? {} : { wallet: port }).output('named'));
  const called = new FlowBuilder(registry);
  handOn(called);
  const { output } = await executeFlow(flow, { in: WALLET }, { registry, flows: { 1: called }, startedBy });
  return output.M.named;
};

it.each(cases)('a key that comes from %s is named by the flow: %s', async (_, isNamed, build) => {
  expect(await ask(build)).toEqual({ B: isNamed });
});

it('an input that replaces a missing output of a called flow is judged as that input', async () => {
  const called = new FlowBuilder(registry);
  const never = called.script('()', {}, 1).output('u');
  called.output('wallet', called.wait(wallet(called), 1, never));
  const flow = new FlowBuilder(registry);
  const call = flow.node('interflow', { inputs: ['wallet»'], outputs: ['wallet?'], form: { id: 1 } });
  flow.connect(flow.input('in'), call.input('wallet'));
  flow.output('key', call.output('wallet'));
  flow.output('named', flow.use('test_asking', { wallet: call.output('wallet') }).output('named'));
  const { output } = await executeFlow(flow, { in: WALLET }, { registry, flows: { 1: called } });
  expect(output.M).toEqual({ key: WALLET, named: { B: false } });
});

it('an output is not judged by the input with its name', async () => {
  const called = new FlowBuilder(registry);
  called.use('memo', { fee_payer: called.input('payer'), memo: called.constant({ S: '' }) });
  const flow = new FlowBuilder(registry);
  const call = flow.node('interflow_instructions', {
    inputs: ['fee_payer»', 'payer'],
    outputs: ['fee_payer', 'signers', 'instructions'],
    form: { id: 1 },
  });
  flow.connect(flow.constant(WALLET), call.input('fee_payer')).connect(flow.input('in'), call.input('payer'));
  flow.output('key', call.output('fee_payer'));
  flow.output('named', flow.use('test_asking', { wallet: call.output('fee_payer') }).output('named'));
  const payer: Value = { M: { public_key: { B3: OTHER } } };
  const { output } = await executeFlow(flow, { in: payer }, { registry, flows: { 1: called } });
  expect(output.M).toEqual({ key: { B3: OTHER }, named: { B: false } });
});

it('a key in form data is named by the flow', async () => {
  const flow = new FlowBuilder(registry);
  const node = flow.use('test_asking', {}, { form: { wallet: { public_key: KEY } } });
  flow.output('named', node.output('named'));
  expect((await executeFlow(flow, {}, { registry })).output.M.named).toEqual({ B: true });
});

it.each([['a wallet node of its caller', true], ['an input of the start', false]])(
  'inside a called flow: a key that comes from %s is named by the flows: %s',
  async (_, isNamed) => {
    const called = new FlowBuilder(registry);
    called.output('named', called.use('test_asking', { wallet: called.input('in') }).output('named'));
    const flow = new FlowBuilder(registry);
    const given = isNamed ? wallet(flow) : flow.input('in');
    flow.output('named', flow.interflow(1, { in: given }, ['named']).output('named'));
    const { output } = await executeFlow(flow, { in: WALLET }, { registry, flows: { 1: called } });
    expect(output.M.named).toEqual({ B: isNamed });
  },
);

it('the owner may pass the key from anywhere, if a wallet node of the flow names it', async () => {
  const owner = '00000000-0000-4000-8000-0000000000aa';
  const throughScript = (flow: FlowBuilder) => flow.script('a', { a: wallet(flow) }).output('u');
  expect(await ask(throughScript, owner)).toEqual({ B: true });
  expect(await ask((flow) => flow.input('in'), owner), 'no wallet node names it').toEqual({ B: false });
});

it('flows that call each other in a cycle get an answer', async () => {
  const flow = new FlowBuilder(registry);
  const looping = new FlowBuilder(registry);
  looping.output('out', looping.interflow(1, { in: looping.input('in') }, ['out?']).output('out'));
  const asking = flow.use('test_asking', { wallet: flow.interflow(1, {}, ['out?']).output('out') });
  flow.declare(asking, 'wallet', { when_absent: 'run' });
  flow.output('named', asking.output('named'));
  const { output } = await executeFlow(flow, {}, { registry, flows: { 1: looping }, limits: { interflowDepth: 3 } });
  expect(output.M.named).toEqual({ B: false });
});
