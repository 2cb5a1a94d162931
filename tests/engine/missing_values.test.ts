import { expect, it } from 'vitest';
import { type HttpRequest, NodeError } from '../../runner/engine/node.ts';
import { executeFlow } from '../support/execute_flow.ts';
import { type BuiltNode, FlowBuilder, type FormJson, type Port } from '../support/flow_builder.ts';

/** A server that counts requests by `METHOD path`. A GET answers `{"amount": n}` for `/n`, and fails for `/broken`. */
function makeServer() {
  const arrived: string[] = [];
  const http = {
    request: (request: HttpRequest) => {
      const { pathname } = new URL(request.url);
      arrived.push(`${request.method} ${pathname}`);
      if (pathname === '/broken') throw new NodeError('status code: 500');
      const body = new TextEncoder().encode(JSON.stringify({ amount: Number(pathname.slice(1)) || 0 }));
      return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body });
    },
  };
  return { arrived, services: { http } };
}

const ask = (flow: FlowBuilder, path: string, title = path, edges: { [input: string]: Port } = {}): BuiltNode =>
  flow.use('http_request', edges, { form: { url: `http://shop.test/${path}` }, title });

const post = (flow: FlowBuilder, body: Port): BuiltNode =>
  flow.use('http_request', { body }, { form: { url: 'http://shop.test/order', method: 'POST' }, title: 'post' });

/** Nodes with one edge that make a text or value of it, each with an input that is optional. */
const MAKERS: [string, string, string, FormJson][] = [
  ['text_template', 'data', 'text', { template: 'Order over 6: {{.}}' }],
  ['jsonata', 'input', 'result', { expression: '"Order over 6: " & $string($)' }],
  ['to_string', 'stringify', 'result', {}],
];

function useMaker(flow: FlowBuilder, [nodeId, input, output, form]: typeof MAKERS[number], from: Port): Port {
  return flow.use(nodeId, { [input]: from }, { form, title: 'maker' }).output(output);
}

function useJavascript(flow: FlowBuilder, from: Port): Port {
  const node = flow.node('javascript', {
    inputs: ['price?'],
    outputs: ['text'],
    form: { source: 'return { text: "Order over 6: " + price };' },
    title: 'maker',
  });
  flow.connect(from, node.input('price'));
  return node.output('text');
}

const makers: [string, (flow: FlowBuilder, from: Port) => Port][] = [
  ...MAKERS.map((maker): [string, (flow: FlowBuilder, from: Port) => Port] => [
    maker[0],
    (flow, from) => useMaker(flow, maker, from),
  ]),
  ['javascript', useJavascript],
];

const titles = (flow: FlowBuilder, ids: string[]): unknown[] =>
  ids.map((id) => flow.nodes.find((node) => node.id === id)?.data.display_name);

it.each(makers)('a price of 5 sends nothing behind branch > 6 and %s', async (_, make) => {
  for (const [price, sent] of [['5', []], ['7', ['POST /order']]] as const) {
    const { services, arrived } = makeServer();
    const flow = new FlowBuilder();
    const branch = flow.use('branch', { value: flow.input('price') }, { form: { operator: 'gt', compare_to: 6 } });
    post(flow, make(flow, branch.output('output')));
    const { status, not_run } = await executeFlow(flow, { price: { U: price } }, { services });
    expect([status, arrived, titles(flow, not_run)]).toEqual([
      'succeeded',
      sent,
      sent.length === 0 ? ['maker', 'post'] : [],
    ]);
  }
});

it.each(makers)('a GET that answers 500 sends nothing behind %s, and only the GET has an error', async (_, make) => {
  const { services, arrived } = makeServer();
  const flow = new FlowBuilder();
  post(flow, make(flow, ask(flow, 'broken').output('body')));
  const { errors, not_run } = await executeFlow(flow, {}, { services });
  expect(errors).toEqual([expect.stringMatching(/^broken .*: status code: 500$/)]);
  expect([arrived, titles(flow, not_run)]).toEqual([['GET /broken'], ['maker', 'post']]);
});

it('of scripts on both branches of an if, the one that is not taken does not fail', async () => {
  const flow = new FlowBuilder();
  const branch = flow.use('branch', { value: flow.input('n') }, { form: { operator: 'gt', compare_to: 6 } });
  const more = flow.script('a - 1', { a: branch.output('output') }, 1, 'more').output('u');
  const less = flow.script('a + 1', { a: branch.output('rejected') }, 1, 'less').output('u');
  flow.output('out', flow.use('merge', { a: more, b: less }).output('value'));
  const { status, errors, output, not_run } = await executeFlow(flow, { n: { U: '3' } });
  expect({ status, errors, output, notRun: titles(flow, not_run) }).toEqual({
    status: 'succeeded',
    errors: null,
    output: { M: { out: { D: '4' } } },
    notRun: ['more'],
  });
});

it('a person is not asked if a branch gives no title, even if another input has a value', async () => {
  const flow = new FlowBuilder();
  const branch = flow.use('branch', { value: flow.json('Approve?') }, { form: { operator: 'eq', compare_to: 'x' } });
  const edges = { title: branch.output('output'), description: flow.json('more') };
  const node = flow.use('api_input', edges, { title: 'ask' });
  const { status, not_run, inputs } = await executeFlow(flow);
  expect([status, not_run, inputs]).toEqual(['succeeded', [node.id], []]);
});

it('of three amounts one fails to come: no sum is paid, unless the flow leaves the failed one out', async () => {
  const sums = (flow: FlowBuilder, collect: (element: Port) => Port): Port => {
    const url = flow.foreach(flow.json(['1', 'broken', '3'].map((path) => `http://shop.test/${path}`)));
    const amounts = collect(flow.use('http_request', { url }, { title: 'get' }).output('body'));
    return flow.use('jsonata', { input: amounts }, { form: { expression: '$sum(amount)' }, title: 'sum' })
      .output('result');
  };
  const held = new FlowBuilder();
  const sum = sums(held, (element) => held.collect(element));
  held.use('transfer_sol', { amount: sum }, { title: 'pay' });
  post(held, sum);
  const first = makeServer();
  const failed = await executeFlow(held, {}, { services: first.services });
  expect(first.arrived).toEqual(['GET /1', 'GET /broken', 'GET /3']);
  expect(failed.errors).toEqual([expect.stringMatching(/^get [-0-9a-f]{36}#1: status code: 500$/)]);
  expect(titles(held, failed.not_run)).toEqual(['collect', 'sum', 'pay', 'post']);

  const others = new FlowBuilder();
  const order = post(others, sums(others, (element) => others.collectOthers(element)));
  const second = makeServer();
  const { nodeRuns } = await executeFlow(others, {}, { services: second.services });
  expect(second.arrived.at(-1)).toBe('POST /order');
  expect(nodeRuns.find(({ node_id }) => node_id === order.id)?.input.M.body).toEqual({ U: '4' });
});
