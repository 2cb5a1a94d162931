import { connect as connectSocket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, inject, it } from 'vitest';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { connectAssistant, messageText, postMessage } from '../support/mcp.ts';
import { askingFlow } from '../support/pending_inputs.ts';
import { deploy, type Person, signUp, start, storeFlow } from '../support/people.ts';

// The calls of this file pass the gateway and Deno, as all calls of assistants do.

const GUEST = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';
const OTHER_GUEST = 'HVX1uWSSJkpQ8Jm2CCX9XcE9kYaJ6wPQ4XuHX1qhqZuy';
const MIB = 1_048_576;

let owner: Person;
let other: Person;

const as = (token: string) => ({ authorization: `Bearer ${token}` });

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  await deploy(owner, await storeFlow(owner, textFlow(), { tool_name: 'to_text' }));
});

/** Sends the head of a message and then these pieces of its body, slowly. Resolves with the answer's first line. */
async function sendSlowly(pieces: Iterable<string>, length: number): Promise<string> {
  const url = new URL(inject('stack').FUNCTIONS_URL);
  const socket = connectSocket(Number(url.port), url.hostname);
  socket.on('error', () => {});
  const head = [
    `POST ${url.pathname}/mcp HTTP/1.1`,
    `host: ${url.host}`,
    `authorization: Bearer ${owner.token}`,
    'accept: application/json, text/event-stream',
    'content-type: application/json',
    `content-length: ${length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const answered = new Promise<string>((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (data) => text += data).on('close', () => resolve(text.split('\r\n')[0]!));
  });
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    await pause(200);
  }
  return await answered;
}

it('a message that comes slowly, and never ends, is refused and keeps nobody waiting', async () => {
  const body = messageText('tools/list', { x: 'x'.repeat(1_000) });
  const slow = [sendSlowly(body, 2 * body.length), sendSlowly([body.slice(0, 50)], body.length)];
  const ended = Promise.all(slow);
  for (let count = 0; count < 5; count++) {
    expect((await postMessage('', messageText('tools/list'), as(owner.token))).status).toBe(200);
  }
  for (const line of await ended) expect(line).toMatch(/^HTTP\/1\.1 408 /);
});

it('a message may have 1 MiB, and no more, with and without a length', async () => {
  const ofBytes = (bytes: number) => {
    const empty = messageText('tools/list', { x: '' });
    return empty.replace('"x":""', `"x":"${'x'.repeat(bytes - empty.length)}"`);
  };
  expect((await postMessage('', ofBytes(MIB), as(owner.token))).status).toBe(200);
  for (const body of [ofBytes(MIB + 1), new Blob([ofBytes(MIB + 1)]).stream()]) {
    expect((await postMessage('', body, as(owner.token))).status).toBe(413);
  }
});

it('the arguments of a call may be as deep as a start allows, and no deeper', async () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const call = async (levels: number) => {
    const body = messageText('tools/call', { name: 'to_text', arguments: { value: null } })
      .replace('null', nested(levels));
    const response = await postMessage('', body, as(owner.token));
    return [response.status, await response.text()] as const;
  };
  expect(await call(40)).toEqual([200, expect.stringContaining('structuredContent')]);
  expect(await call(5_000)).toEqual([400, expect.stringContaining('request_invalid')]);
});

it('a progress token that is long is not repeated by each notification', async () => {
  const flow = new FlowBuilder();
  flow.output('out', flow.collect(flow.toText(flow.foreach(flow.range(flow.json(30))))));
  const person = await signUp();
  await deploy(person, await storeFlow(person, flow, { tool_name: 'loop' }));
  const call = async (progressToken: string): Promise<string> => {
    const body = messageText('tools/call', { name: 'loop', arguments: {}, _meta: { progressToken } });
    return await (await postMessage('', body, as(person.token))).text();
  };
  expect(await call('a')).toContain('notifications/progress');
  const answer = await call('a'.repeat(100_000));
  expect(answer).toContain('structuredContent');
  expect(answer.length).toBeLessThan(10_000);
});

it('a text that is no message of the protocol is answered as one', async () => {
  for (const body of ['1', 'null', '"tools/list"', '{"jsonrpc":"1.0"}', '{"method":5,"params":[]}']) {
    const response = await postMessage('', body, as(owner.token));
    expect([response.status, JSON.parse(await response.text()).error.code]).toEqual([400, expect.any(Number)]);
  }
  expect((await postMessage('', Buffer.from([0xff, 0xfe]), as(owner.token))).status).toBe(400);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', '']) {
    const headers = { ...as(owner.token), 'content-type': type };
    expect((await postMessage('', messageText('tools/list'), headers)).status).toBe(415);
  }
});

it('a credential that is no credential of a user is told where to get a token', async () => {
  const { PUBLISHABLE_KEY, SECRET_KEY } = inject('stack');
  const deployment = await deploy(other, await storeFlow(other, askingFlow()));
  const { token: runToken } = await start(other, `id=${deployment}`);
  const [head, claims] = owner.token.split('.');
  const credentials: Record<string, string>[] = [
    { authorization: `Bearer ${head}.${claims}.AAAA` },
    { authorization: `Bearer ${PUBLISHABLE_KEY}` },
    { authorization: `Bearer ${SECRET_KEY}` },
    { 'x-api-key': `fk_${'A'.repeat(43)}` },
    { 'x-api-key': 'fk_' },
    { 'x-flow-run-token': `fr_${'A'.repeat(64)}` },
    { 'x-flow-run-token': runToken! },
  ];
  for (const headers of credentials) {
    const response = await postMessage('', messageText('tools/list'), headers);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Bearer resource_metadata="http/),
    ]);
    expect(response.headers.get('access-control-expose-headers')).toContain('www-authenticate');
  }
});

it('a list of 250 tools comes in three pages', async () => {
  const person = await signUp();
  const { data } = await person.client.from('flows').insert(
    Array.from({ length: 250 }, (_, index) => ({ ...textFlow().row(), tool_name: `tool-${index}` })) as never,
  ).select('id').throwOnError();
  const ids = data!.map(({ id }) => id);
  for (let first = 0; first < ids.length; first += 10) {
    await Promise.all(ids.slice(first, first + 10).map((id) => deploy(person, id)));
  }
  const sent: string[] = [];
  const client = await connectAssistant({
    headers: as(person.token),
    fetch: (url, init) => {
      sent.push(JSON.parse(init?.body as string).method);
      return fetch(url, init);
    },
  });
  // The client asks for all pages.
  const { tools } = await client.listTools();
  await client.close();
  expect(new Set(tools.map(({ name }) => name)).size).toBe(253);
  expect(sent.filter((method) => method === 'tools/list')).toHaveLength(3);
});

it('a guest calls a deployment, and no other guest or user goes on with the call', async () => {
  const columns = { is_public: true, start_shared: true, start_unverified: true };
  const flow = askingFlow({ answered_by: 'starter', title: 'May I?', choices: ['Yes'] });
  const flowId = await storeFlow(owner, flow, columns);
  const path = `/d/${await deploy(owner, flowId)}`;
  const call = async (token: string, more: object = {}) => {
    const client = await connectAssistant({
      path,
      headers: as(token),
      capabilities: { elicitation: { form: {} } },
      inputRequired: { autoFulfill: false },
    });
    try {
      const params = { name: `flow_${flowId}`, arguments: {}, ...more };
      return await client.callTool(params as never, { allowInputRequired: true }) as Record<string, unknown>;
    } finally {
      await client.close();
    }
  };
  const asked = await call(GUEST);
  const requestState = asked.requestState as string;
  const [id] = Object.keys(asked.inputRequests as object);
  const inputResponses = { [id!]: { action: 'accept', content: { answer: 'Yes' } } };
  for (const token of [OTHER_GUEST, other.token, owner.token]) {
    await expect(call(token, { requestState, inputResponses })).rejects.toMatchObject({ code: -32602 });
  }
  await expect(call(GUEST, { requestState: `${requestState}x`, inputResponses })).rejects.toMatchObject({
    code: -32602,
  });
  expect(await call(GUEST, { requestState, inputResponses })).toMatchObject({ structuredContent: { answer: 'Yes' } });
});
