import { beforeAll, describe, expect, it } from 'vitest';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { connectAssistant, type Era, ERAS, mcpUrl, messageText, postMessage } from '../support/mcp.ts';
import { deploy, type Person, signUp, storeFlow } from '../support/people.ts';

const PUBLIC_KEY = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';
const anybody = { is_public: true, start_shared: true, start_unverified: true };

let owner: Person;
let other: Person;
let textId: number;
let textDeployment: string;

const as = (person: Person) => ({ authorization: `Bearer ${person.token}` });
const connect = (person: Person, era?: Era, path?: string) => connectAssistant({ headers: as(person), era, path });

/** A flow that fails. */
function failingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('never', flow.field('missing', flow.json({ a: 1 })));
  return flow;
}

/** A flow whose outputs have all kinds of values. */
function typedFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const count = flow.input('count', 1);
  flow.use('wait', { value: count, duration_ms: count }, { form: { wait_for: true } });
  flow.output('count', count);
  flow.output('big', flow.constant({ U: '18446744073709551615' }));
  flow.output('price', flow.constant({ D: '0.1' }));
  flow.output('list', flow.json([1, 'two', null]));
  return flow;
}

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  textId = await storeFlow(owner, textFlow(), { name: 'To text', tool_name: 'to_text' });
  textDeployment = await deploy(owner, textId);
  const others = await Promise.all([
    storeFlow(owner, failingFlow(), { name: 'Fails', tool_name: 'fail', tool_description: 'Always fails.' }),
    storeFlow(owner, typedFlow(), { description: 'Has many types.', tool_name: 'typed' }),
    storeFlow(other, textFlow(), { tool_name: 'to_text', name: 'Of another' }),
  ]);
  await Promise.all([deploy(owner, others[0]), deploy(owner, others[1]), deploy(other, others[2])]);
  // Neither is a tool: the one has no name, the other no deployment.
  await deploy(owner, await storeFlow(owner, textFlow()));
  await storeFlow(owner, textFlow(), { tool_name: 'not_deployed' });
});

describe.each(ERAS)('an assistant of the revision %s', (era) => {
  it('lists the tools of its user, with schemas and descriptions', async () => {
    const client = await connect(owner, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, description }) => `${name}: ${description}`).toSorted())
      .toEqual([
        'fail: Always fails.',
        'list_runs: Lists the latest runs of the user, the newest first.',
        expect.stringMatching(/^read_run: /),
        expect.stringMatching(/^stop_run: /),
        'to_text: To text',
        'typed: Has many types.',
      ]);
    expect(tools.find(({ name }) => name === 'to_text')).toMatchObject({
      inputSchema: { type: 'object', properties: { value: { default: 'nothing' } }, additionalProperties: false },
      outputSchema: { type: 'object', properties: { text: { type: ['null', 'string'] } } },
      annotations: { readOnlyHint: true },
    });
    await client.close();
  });

  it('calls a tool and gets structured content that fits the schema', async () => {
    const client = await connect(owner, era);
    await client.listTools();
    const answer = await client.callTool({ name: 'typed', arguments: { count: 7 } });
    const output = { count: 7, big: '18446744073709551615', price: '0.1', list: [1, 'two', null] };
    expect(answer.structuredContent).toEqual(output);
    expect(JSON.parse((answer.content[0] as { text: string }).text)).toEqual(output);
    await client.close();
  });

  it('learns of a refused start with the path, and of a failed run with its errors', async () => {
    const client = await connect(owner, era);
    const refused = await client.callTool({ name: 'typed', arguments: { count: -1 } });
    expect(refused.isError).toBe(true);
    expect(JSON.parse((refused.content[0] as { text: string }).text)).toMatchObject({
      code: 'inputs_invalid',
      message: expect.stringMatching(/^arguments\.count: /),
      details: [{ path: 'arguments.count' }],
    });
    const failed = await client.callTool({ name: 'fail' });
    expect(failed.isError).toBe(true);
    expect(JSON.parse((failed.content[0] as { text: string }).text)).toMatchObject({
      status: 'failed',
      errors: [expect.stringContaining('missing')],
    });
    await expect(client.callTool({ name: 'not_deployed' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.callTool({ name: 'no such tool' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it('calls one deployment of another user, as its start_permission allows', async () => {
    const flowId = await storeFlow(owner, textFlow(), { ...anybody, name: 'Open' });
    const open = await deploy(owner, flowId);
    for (const path of [`/d/${open}`, `/f/${flowId}/latest`]) {
      for (const headers of [as(other), { authorization: `Bearer ${PUBLIC_KEY}` }]) {
        const client = await connectAssistant({ era, path, headers });
        const { tools } = await client.listTools();
        expect(tools.map(({ name, description }) => [name, description])).toEqual([[`flow_${flowId}`, 'Open']]);
        const { structuredContent } = await client.callTool({ name: `flow_${flowId}`, arguments: { value: 5 } });
        expect(structuredContent).toEqual({ text: '5' });
        await client.close();
      }
    }
  });
});

describe('the tools of a user', () => {
  it('begin with the first 100 flows, and the cursor leads to the others', async () => {
    const person = await signUp();
    const ids = await Promise.all(
      Array.from({ length: 101 }, (_, index) => storeFlow(person, textFlow(), { tool_name: `tool-${index}` })),
    );
    const last = Math.max(...ids);
    await Promise.all([deploy(person, Math.min(...ids)), deploy(person, last)]);
    const list = async (params: object) =>
      (await (await postMessage('', messageText('tools/list', params), as(person))).text())
        .split('data: ')[1]!.split('\n')[0]!;
    const first = JSON.parse(await list({})).result;
    expect([first.tools.length, typeof first.nextCursor]).toEqual([1, 'string']);
    const second = JSON.parse(await list({ cursor: first.nextCursor })).result;
    // The last page also has the tools for runs.
    expect([second.tools.length, second.nextCursor]).toEqual([4, undefined]);
    expect(JSON.parse(await list({ cursor: 'invented' })).error.code).toBe(-32602);
  });

  it('have names of a form that is unique for their owner', async () => {
    const save = (columns: object) => owner.client.from('flows').insert({ ...textFlow().row(), ...columns } as never);
    for (const tool_name of ['', 'two words', 'x'.repeat(65), 'read_run', 'ä']) {
      expect((await save({ tool_name })).error).toMatchObject({
        code: 'column_invalid',
        message: expect.stringMatching(/^tool_name: must be 1 to 64 /),
      });
    }
    expect((await save({ tool_name: 'to_text' })).error).toMatchObject({ code: '23505' });
    expect((await save({ tool_tag: '-' })).error).toMatchObject({ message: expect.stringMatching(/^tool_tag: /) });
    expect((await save({ tool_description: 'x'.repeat(1_001) })).error)
      .toMatchObject({ message: expect.stringMatching(/^tool_description: /) });
  });
});

describe('a request that is refused', () => {
  it('without a credential is told where to get a token', async () => {
    for (const headers of [{}, { authorization: 'Bearer eyJ.invented.token' }]) {
      const answer = await postMessage('', messageText('tools/list'), headers as Record<string, string>);
      expect(answer.status).toBe(401);
      const [, url] = /^Bearer resource_metadata="([^"]+)"$/.exec(answer.headers.get('www-authenticate')!)!;
      const metadata = await (await fetch(url!)).json();
      expect(metadata).toEqual({
        resource: String(mcpUrl()),
        authorization_servers: [`${mcpUrl().origin}/auth/v1`],
        bearer_methods_supported: ['header'],
      });
    }
    // A guest has no tools of their own.
    const guest = await postMessage('', messageText('tools/list'), { authorization: `Bearer ${PUBLIC_KEY}` });
    expect(guest.status).toBe(401);
  });

  it('gets the same 404 for a missing, a closed and a malformed address', async () => {
    const paths = [
      `/d/${textDeployment}`,
      '/d/019aa645-6c00-7c3e-8b5e-0d2f4a8e9b11',
      '/d/x',
      `/f/${textId}/latest`,
      `/f/${textId}/-`,
      '/f/x/latest',
    ];
    for (const headers of [as(other), { authorization: `Bearer ${PUBLIC_KEY}` }]) {
      const answers = await Promise.all(paths.map(async (path) => {
        const answer = await postMessage(path, messageText('tools/call', { name: 'to_text' }), headers);
        return [answer.status, (await answer.json()).code];
      }));
      expect(answers).toEqual(paths.map(() => [404, 'deployment_not_found']));
    }
  });

  it('with a body that is too large, too deep or no message', async () => {
    const post = async (body: string, headers: Record<string, string> = {}) =>
      (await postMessage('', body, { ...as(owner), ...headers })).status;
    expect(await post('{')).toBe(400);
    expect(await post('')).toBe(400);
    expect(await post('[]')).toBe(400);
    expect(await post(messageText('tools/list', { x: 'x'.repeat(2 ** 20) }))).toBe(413);
    expect(await post('['.repeat(5_000) + ']'.repeat(5_000))).toBe(400);
    expect(await post(messageText('tools/list'), { 'content-type': 'text/plain' })).toBe(415);
    const twice = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"typed","arguments":{"a":1,"a":2}}}';
    expect(await post(twice)).toBe(400);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await fetch(mcpUrl(), { method, headers: as(owner) })).status).toBe(405);
    }
  });

  it('with several messages in one body', async () => {
    const call = messageText('tools/call', { name: 'to_text' });
    expect((await postMessage('', `[${call},${call}]`, as(owner))).status).toBe(400);
  });
});
