import { describe, expect, it } from 'vitest';
import { type HttpRequest, NodeError } from '../../runner/engine/node.ts';
import { claimFlow, endOf, executeFlow, recordedBy, ROOT_RUN_ID } from '../support/execute_flow.ts';
import { type BuiltNode, FlowBuilder, type FormJson, type Port } from '../support/flow_builder.ts';

/**
 * A server that records the requests that arrive, as `METHOD path`. While `isDown` is true, each GET request fails.
 */
function makeServer() {
  const server = {
    isDown: true,
    arrived: [] as string[],
    http: {
      request: (request: HttpRequest) => {
        server.arrived.push(`${request.method} ${new URL(request.url).pathname}`);
        if (server.isDown && request.method === 'GET') throw new NodeError('status code: 500');
        return Promise.resolve({
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: new TextEncoder().encode('{"amount": 5}'),
        });
      },
    },
  };
  return server;
}

const ask = (
  flow: FlowBuilder,
  path: string,
  form: { [name: string]: FormJson } = {},
  edges: { [input: string]: Port } = {},
): BuiltNode => flow.use('http_request', edges, { form: { url: `http://shop.test/${path}`, ...form }, title: path });

describe('a POST whose body comes from another request', () => {
  const build = () => {
    const flow = new FlowBuilder();
    const price = ask(flow, 'price');
    const pay = ask(flow, 'pay', { method: 'POST' }, { body: price.output('body') });
    return { flow, pay };
  };

  it('is not sent if that request fails, and is sent once if that request succeeds in a redrive', async () => {
    const server = makeServer();
    const { flow, pay } = build();
    const failed = await executeFlow(flow, {}, { services: { http: server.http } });
    expect(failed).toMatchObject({ status: 'failed', not_run: [pay.id] });
    expect(server.arrived).toEqual(['GET /price']);

    const redrivenFrom = [{ runId: ROOT_RUN_ID, recorded: failed }];
    const redrive = { services: { http: server.http }, redrivenFrom, runId: '01930000-0000-7000-8000-000000000002' };
    expect(await executeFlow(flow, {}, redrive)).toMatchObject({ status: 'failed', not_run: [pay.id] });
    server.isDown = false;
    expect(await executeFlow(flow, {}, redrive)).toMatchObject({ status: 'succeeded', not_run: [] });
    expect(server.arrived.filter((request) => request === 'POST /pay')).toHaveLength(1);
  });

  it('is not sent by a later claim either, at whatever point the worker of the first claim dies', async () => {
    const { flow, pay } = build();
    const { events } = await claimFlow(flow, {}, { services: { http: makeServer().http } });
    for (let count = 0; count <= events.length; count++) {
      const server = makeServer();
      const earlier = recordedBy(events.slice(0, count));
      const { result } = await claimFlow(flow, {}, { services: { http: server.http }, earlier });
      expect(endOf(result).not_run).toEqual([pay.id]);
      expect(server.arrived).not.toContain('POST /pay');
    }
  });
});

describe('which requests have effects', () => {
  const run = async (
    form: { [name: string]: FormJson },
    edges: (flow: FlowBuilder) => { [input: string]: Port } = () => ({}),
  ) => {
    const server = makeServer();
    server.isDown = false;
    const flow = new FlowBuilder();
    const unset = flow.script('let v = 1', {}, 2).output('u');
    ask(flow, 'asked', form, { body: unset, headers: flow.json({ 'x-shop': '1' }), ...edges(flow) });
    const { status } = await executeFlow(flow, {}, { services: { http: server.http } });
    expect(status).toBe('succeeded');
    return server.arrived;
  };

  it.each([[{}], [{ method: 'get' }], [{ method: null }], [{ method: 'HEAD' }], [{ method: 'OPTIONS' }]])(
    'a request with %j may be made without its body',
    async (form) => expect(await run(form)).toHaveLength(1),
  );

  it.each([[{ method: 'POST' }], [{ method: 'put' }], [{ method: 'PATCH' }], [{ method: 'DELETE' }], [{
    method: ' GET',
  }]])(
    'a request with %j is not made without its body',
    async (form) => expect(await run(form)).toEqual([]),
  );

  it('a request whose method comes by an edge is not made without its body, whatever method comes', async () => {
    expect(await run({ method: 'GET' }, (flow) => ({ method: flow.json('GET') }))).toEqual([]);
  });
});

it('a flow that is called for its instructions has effects only if it has other nodes with effects', async () => {
  const called = (acts: boolean) => {
    const flow = new FlowBuilder();
    const memo = flow.use('memo', {}, { form: { memo: 'x' } });
    if (acts) ask(flow, 'pay', { method: 'POST' }, { headers: memo.output('signature') });
    return flow;
  };
  const flow = new FlowBuilder();
  const unset = flow.script('let v = 1', {}, 2).output('u');
  const nodes = [1, 2].map((id) => {
    const inputs = ['in?', 'also?'];
    const node = flow.node('interflow_instructions', { inputs, outputs: ['fee_payer'], form: { id } });
    flow.connect(unset, node.input('in')).connect(flow.json(1), node.input('also'));
    return node;
  });
  const { not_run, nodeRuns } = await executeFlow(flow, {}, { flows: { 1: called(false), 2: called(true) } });
  expect(not_run).toEqual([nodes[1]!.id]);
  expect(nodeRuns.some(({ node_id }) => node_id === nodes[0]!.id)).toBe(true);
});
