import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registryOf } from '../../runner/described/registry.ts';
import { makeEffectsOfCalledFlow } from '../../runner/engine/graph/called_effects.ts';
import type { Credential } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';
import type { FrozenDefinition, Snapshot } from '../../types/flow.ts';
import type { LosslessJson, ValueMap } from '../../types/values/value.ts';
import {
  claimFlow,
  endOf,
  executeFlow,
  type ExecuteFlowOptions,
  recordedBy,
  ROOT_RUN_ID,
} from '../support/execute_flow.ts';
import { FlowBuilder, type FormJson } from '../support/flow_builder.ts';
import { HTTP_LIMITS } from '../support/http_limits.ts';
import { startMcpServer } from '../support/mcp_server.ts';
import { type ModelProvider, startModelProvider } from '../support/model_provider/index.ts';
import type { Script } from '../support/model_provider/scripts.ts';

/** The requests that the server of the operation has received. */
let received: { url: string; body: string; authorization: string | undefined }[] = [];
let base: string;
let mcp: Awaited<ReturnType<typeof startMcpServer>>;
let provider: ModelProvider;
const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const { url = '', headers: { authorization } } = request;
  received.push({ url, body, authorization });
  response.writeHead(201, { 'content-type': 'application/json', 'set-cookie': 'session=1' });
  response.end('{"id": 7, "status": "paid"}');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mcp = await startMcpServer({
    stock: {
      description: { inputSchema: { type: 'object' } },
      call: ({ params }) => ({
        content: [{ type: 'text', text: 'seven' }],
        structuredContent: { left: 7, of: params.arguments },
      }),
    },
    broken: {
      description: { inputSchema: { type: 'object' } },
      call: () => ({ isError: true, content: [{ type: 'text', text: 'no shelf' }] }),
    },
  });
});
afterAll(() => {
  server.close();
  mcp.close();
});
beforeEach(async () => {
  received = [];
  mcp.received.length = 0;
  provider = await startModelProvider();
  return provider.close;
});

type Targets = FrozenDefinition['targets'];
const text = (name: string, more: Partial<Targets[number]> = {}) => ({ name, type_bounds: ['string'], ...more });

/** An operation `POST /charges/{account}` with effects `once`. */
const charge = (): FrozenDefinition => ({
  type: 'openapi',
  data: {
    node_id: 'charge',
    version: '1',
    description: 'Charges somebody.',
    effects: 'once',
    implementation: {
      method: 'POST',
      path: '/charges/{account}',
      server: { url: base },
      parameters: [{ port: 'account', name: 'account', in: 'path', style: 'simple', explode: false }],
      body: {
        kind: 'json',
        type: 'application/json',
        required: true,
        fields: ['amount', 'currency'].map((name) => ({ port: name, name })),
      },
      outputs: [{ port: 'paid_status', name: 'status' }],
      accept: [],
    } as unknown as LosslessJson,
  },
  sources: [{ name: 'status', type: 'u64' }, { name: 'headers', type: 'object' }, { name: 'body', type: 'free' }],
  targets: [
    text('account', { required: true }),
    { name: 'amount', type_bounds: ['decimal'], required: true, tooltip: 'In euros' },
    text('currency', { required: true }),
  ],
});

const tool = (name: string): FrozenDefinition => ({
  type: 'mcp',
  data: {
    node_id: name,
    version: '3',
    effects: 'none',
    implementation: {
      url: mcp.url,
      tool: name,
      discover: { supportedVersions: ['2026-07-28'] },
      inputs: [{ port: 'shelf', name: 'shelf' }],
      headers: [],
      outputs: [{ port: 'left', name: 'left' }],
    },
  },
  sources: [{ name: 'content', type: 'array' }, { name: 'structured', type: 'free', optional: true }],
  targets: [text('shelf')],
});

const instruction: FrozenDefinition = {
  type: 'solana',
  data: { node_id: 'move', version: '1', effects: 'none', implementation: null },
  sources: [],
  targets: [],
};

const call = (name: string, json: unknown, id = name) => ({ id, name, arguments: JSON.stringify(json) });
const calls = (...toolCalls: { id: string; name: string; arguments: string }[]): Script => ({ toolCalls });

const node = (type: string, node_id: string, form_data: FormJson = {}): { [member: string]: FormJson } => ({
  type,
  node_id,
  version: '1',
  form_data,
  definition: node_id,
});
/** JSON that is nested deeper than a value may be. */
const NESTED = Array.from({ length: 200 }).reduce<FormJson>((inner) => [inner], null);
/** The author fixes the account and the connection. The model chooses the amount. */
const CHARGE = {
  name: 'charge',
  node: node('openapi', 'charge', { account: 'shop/1', currency: 'EUR', connection: 'bank' }),
};
const STOCK = { name: 'stock', description: 'Counts.', node: node('mcp', 'stock') };

function agentFlow(tools: FormJson, form: { [name: string]: FormJson } = {}) {
  const flow = new FlowBuilder();
  const settings = { dialect: 'openai', base_url: provider.urls.openai, model: 'm', tools, ...form };
  const agent = flow.use('ai_agent', { input: flow.input('task') }, { form: settings, title: 'agent' });
  for (const name of ['text', 'steps', 'finish_reason']) flow.output(name, agent.output(name));
  return { flow, agent };
}

const SECRET = 's3cret-of-the-bank';
const credential: Credential = {
  check: () => {},
  add: ({ url, headers }) => {
    const made = new Headers(headers);
    made.set('authorization', `Bearer ${SECRET}`);
    return { url, headers: made };
  },
  remove: (url) => url,
  redaction: { text: (given) => Promise.resolve(given), bytes: (bytes) => Promise.resolve(bytes) },
};

const TASK: ValueMap = { task: { S: 'charge' } };
const definitions = (): NonNullable<Snapshot['definitions']> => ({
  charge: charge(),
  stock: tool('stock'),
  broken: tool('broken'),
});
const opened: string[] = [];
const options = (more: ExecuteFlowOptions = {}): ExecuteFlowOptions => ({
  definitions: definitions(),
  now: Date.now,
  ...more,
  services: {
    http,
    openConnection: (name) => {
      opened.push(name);
      return Promise.resolve(credential);
    },
    ...more.services,
  },
});
const run = (tools: FormJson, more: ExecuteFlowOptions = {}) => executeFlow(agentFlow(tools).flow, TASK, options(more));

const lastMessages = () =>
  (provider.requests.at(-1)!.body['messages'] as { role: string; content: string }[])
    .filter(({ role }) => role === 'tool').map(({ content }) => content);

describe('a described node as a tool', () => {
  it('is called with the arguments of the model and the values that the author has fixed', async () => {
    provider.will(calls(call('charge', { amount: 12.5 }), call('stock', { shelf: 'a' })), { text: 'done' });
    const { flow, agent } = agentFlow([CHARGE, STOCK]);
    const { status, errors, output, nodeRuns, children } = await executeFlow(flow, TASK, options());
    expect({ status, errors }).toEqual({ status: 'succeeded', errors: null });
    expect(output.M).toMatchObject({ text: { S: 'done' }, steps: { U: '4' } });
    expect(received.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      ['/charges/shop%2F1', { amount: 12.5, currency: 'EUR' }],
    ]);
    expect(provider.requests[0]!.body['tools']).toMatchObject([
      {
        function: {
          name: 'charge',
          description: 'Charges somebody.',
          parameters: {
            properties: { amount: { type: 'number', description: 'In euros' } },
            required: ['amount'],
            additionalProperties: false,
          },
        },
      },
      { function: { description: 'Counts.', parameters: { properties: { shelf: { type: 'string' } }, required: [] } } },
    ]);
    expect(JSON.stringify(provider.requests[0]!.body['tools'])).not.toMatch(/account|shop|bank|connection|currency/);
    // The model gets neither headers nor what stands twice in the result.
    expect(lastMessages()).toEqual([
      '{"status":201,"body":{"id":7,"status":"paid"}}',
      '{"content":[{"type":"text","text":"seven"}],"structured":{"left":7,"of":{"shelf":"a"}}}',
    ]);
    // Each call is an execution of the agent's own run, and calls no run.
    const own = children.filter(({ parent_node_id }) => parent_node_id === agent.id);
    expect(children).toEqual(own);
    expect(nodeRuns.filter(({ flow_run_id }) => flow_run_id === own[0]!.id).map(({ input }) => Object.keys(input.M)))
      .toEqual([['messages'], ['tool', 'arguments'], ['tool', 'arguments'], ['messages']]);
  });

  it('uses only the connection that its author has named, whose secret stands in no message', async () => {
    opened.length = 0;
    provider.will(calls(call('charge', { amount: 1 })), { text: 'done' });
    const { nodeRuns } = await run([CHARGE, STOCK]);
    expect(opened).toEqual(['bank']);
    expect(received[0]!.authorization).toBe(`Bearer ${SECRET}`);
    expect(JSON.stringify([provider.requests.map(({ body }) => body), nodeRuns])).not.toContain(SECRET);
  });

  it.each([
    [{ amount: 'much' }, 'amount: must be of the type number'],
    [{}, 'amount: is missing'],
    [{ amount: 1, account: 'mine' }, 'the arguments: must not have the member "account"'],
    [{ amount: 1, connection: 'other' }, 'the arguments: must not have the member "connection"'],
    [{ amount: 1, server: 'http://evil.test' }, 'the arguments: must not have the member "server"'],
    [[1], 'the arguments: must be of the type object'],
  ])('is not called with %j, and the model is told why', async (given, fault) => {
    provider.will(calls(call('charge', given)), { text: 'sorry' });
    const { output } = await run([CHARGE]);
    expect(output.M).toMatchObject({ text: { S: 'sorry' }, steps: { U: '3' } });
    expect(lastMessages()).toEqual([`Error: ${fault}`]);
    expect(received).toEqual([]);
  });

  it('that fails is told to the model', async () => {
    provider.will(calls(call('broken', {})), { text: 'no' });
    const { status } = await run([{ name: 'broken', node: node('mcp', 'broken') }]);
    expect(status).toBe('succeeded');
    expect(lastMessages()).toEqual(['Error: no shelf']);
  });

  it('leaves out an optional input that the author has fixed to null', async () => {
    provider.will(calls(call('stock', { shelf: 'b' }), call('stock', {}, 'second')), { text: 'ok' });
    await run([{ ...STOCK, node: node('mcp', 'stock', { shelf: null }) }]);
    expect(lastMessages()).toEqual([
      'Error: the arguments: must not have the member "shelf"',
      expect.stringContaining('"of":{}'),
    ]);
  });

  it.each<[string, { [member: string]: FormJson }, string]>([
    ['without a definition', { node: node('openapi', 'gone') }, 'node_not_implemented: tools: at the deploy'],
    ['that is a native node', { node: node('native', 'http_request') }, 'tools.0.node.type: must be one of openapi'],
    ['with a misspelt member', { node: { ...STOCK.node, formdata: {} } }, 'tools.0.node.formdata: is no member'],
    ['with a misspelt input', { node: node('mcp', 'stock', { shlf: 'a' }) }, 'has no input shlf'],
    ['that is a flow, too', { flow: 1, node: node('mcp', 'stock') }, 'tools.0: must have either flow or node'],
    ['with a fixed value that is none', { node: node('mcp', 'stock', { shelf: NESTED }) }, 'is nested deeper'],
    ['with a malformed definition', { node: node('solana', 'move') }, 'definition_invalid'],
  ])('%s fails the agent, or its call, and calls nothing', async (_, members, error) => {
    provider.will(calls(call('x', {})), { text: 'ok' });
    const { errors, nodeRuns } = await run([{ name: 'x', ...members }], {
      definitions: { ...definitions(), move: instruction },
    });
    expect(JSON.stringify([errors, nodeRuns.map((one) => one.errors)])).toContain(error);
    expect([...received, ...mcp.received]).toEqual([]);
  });
});

describe('effects of a described node as a tool', () => {
  it('a lost worker repeats no call that has ended, and none that may have acted', async () => {
    const script = calls(call('charge', { amount: 1 }));
    provider.will(script, { text: 'done' });
    const { flow } = agentFlow([CHARGE]);
    const { events, result } = await claimFlow(flow, TASK, options());
    const whole = endOf(result);
    expect(whole.status).toBe('succeeded');
    const ends = new Set<string>();
    for (let count = 0; count <= events.length; count++) {
      const earlier = recordedBy(events.slice(0, count));
      const isToolCall = ({ input }: { input: { M: object } }) => 'tool' in input.M;
      const charged = earlier.nodeRuns.find(isToolCall);
      const models = earlier.nodeRuns.filter(({ input, end_time }) => 'messages' in input.M && end_time !== null);
      received = [];
      const again = await startModelProvider();
      again.will(...[script, { text: 'done' }].slice(models.length));
      const moved = agentFlow([CHARGE], { base_url: again.urls.openai }).flow;
      const end = endOf((await claimFlow(moved, TASK, options({ earlier }))).result);
      await again.close();
      const state = charged === undefined ? 'new' : charged.end_time === null ? 'begun' : 'ended';
      ends.add(state);
      expect(received).toHaveLength(state === 'new' ? 1 : 0);
      if (state === 'begun') expect(end.errors?.[0]).toContain('outcome_unknown');
      else expect(end).toEqual(whole);
    }
    expect(ends).toEqual(new Set(['new', 'begun', 'ended']));
  });

  it('a redrive takes its call over; a changed agent does not call it again', async () => {
    provider.will(calls(call('charge', { amount: 1 })), { status: 400, body: { error: { message: 'no credit' } } });
    const { flow, agent } = agentFlow([CHARGE]);
    const failed = await executeFlow(flow, TASK, options());
    expect(failed.status).toBe('failed');
    const redriven = (nodes: { [id: string]: string }): ExecuteFlowOptions =>
      options({
        redrivenFrom: [{
          runId: ROOT_RUN_ID,
          recorded: failed,
          changes: { entry: { nodes, calls: [] } },
        }],
        runId: '01930000-0000-7000-8000-000000000002',
      });
    provider.will({ text: 'done' });
    expect(await executeFlow(flow, TASK, redriven({}))).toMatchObject({ status: 'succeeded' });
    provider.will(calls(call('charge', { amount: 2 })));
    const changed = await executeFlow(flow, TASK, redriven({ [agent.id]: 'data' }));
    expect(changed.errors![0]).toContain('effect_already_done');
    expect(received).toHaveLength(1);
  });

  it('are those of the agent, and of the flows that call it', async () => {
    const snapshot: Snapshot = {
      entry: agentFlow([CHARGE]).flow.graph(),
      flows: { 2: agentFlow([STOCK, CHARGE]).flow.graph(), 3: agentFlow([STOCK]).flow.graph() },
      definitions: definitions(),
    };
    const registry = await registryOf(nodeRegistry, snapshot);
    const effectsOf = makeEffectsOfCalledFlow(snapshot, registry);
    const of = (tools: FormJson) => {
      const { data } = agentFlow(tools).flow.graph().nodes.find((one) => one.data.node_id === 'ai_agent')!;
      return effectsOf({ module: registry(data), formData: data.targets_form.form_data }, 'all');
    };
    expect([of([STOCK]), of([STOCK, CHARGE]), of([{ flow: 3, name: 'c' }]), of([{ flow: 2, name: 'b' }])])
      .toEqual(['none', 'once', 'none', 'once']);
  });
});
