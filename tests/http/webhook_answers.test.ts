import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, storeFlow } from '../support/people.ts';

let owner: Person;
/** A flow that answers with the member `answer` of the body, and fails without it. */
let echo: number;

beforeAll(async () => {
  owner = await signUp();
  const flow = new FlowBuilder();
  flow.output('response', flow.field('answer', flow.input('request')));
  echo = await deployed(flow);
});

async function deployed(flow: FlowBuilder): Promise<number> {
  const id = await storeFlow(owner, flow);
  await deploy(owner, id);
  return id;
}

async function makeWebhook(flow: number, more: object = {}): Promise<string> {
  const args = { flow, input: 'request', respond: true, ...more };
  const { data } = await owner.client.rpc('create_webhook', args).throwOnError();
  return (data as { url: string }).url;
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

it('the output response is the answer: status, headers and body', async () => {
  const url = await makeWebhook(echo);
  const response = await post(url, { answer: { status: 201, headers: { 'X-Order': '7' }, body: { total: 1.5 } } });
  expect([response.status, await response.json(), response.headers.get('x-order')]).toEqual([
    201,
    { total: '1.5' },
    '7',
  ]);
  expect(response.headers.get('content-security-policy')).toBe('sandbox');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

it('without an output response the whole output is the answer, and bytes are sent as they are', async () => {
  const whole = new FlowBuilder();
  whole.output('request', whole.input('request'));
  const response = await post(`${await makeWebhook(await deployed(whole), { whole_request: true })}?page=2`, ['a'], {
    cookie: 'session=secret',
    'x-event': 'push',
  });
  const { request } = await response.json();
  expect([response.status, request.body, request.query, request.method]).toEqual([200, ['a'], { page: '2' }, 'POST']);
  expect(request.headers).toMatchObject({ 'x-event': 'push' });
  expect(Object.keys(request.headers)).not.toContain('cookie');

  const bytes = new FlowBuilder();
  bytes.input('request');
  bytes.output(
    'response',
    bytes.constant({ M: { body: { BY: 'AP8K' }, headers: { M: { 'content-type': { S: 'image/png' } } } } }),
  );
  const image = await post(await makeWebhook(await deployed(bytes)), {});
  expect([image.headers.get('content-type'), new Uint8Array(await image.arrayBuffer())])
    .toEqual(['image/png', new Uint8Array([0, 255, 10])]);
});

it('a flow can neither set cookies nor redirect, and its HTML is a download', async () => {
  const headers = {
    'Set-Cookie': 'sb-access-token=stolen',
    Location: 'https://evil.example',
    'Access-Control-Allow-Credentials': 'true',
    'Content-Security-Policy': "default-src * 'unsafe-inline'",
    'Content-Type': 'text/html',
  };
  const response = await post(await makeWebhook(echo), {
    answer: { status: 302, headers, body: '<script>1</script>' },
  });
  expect(response.status).toBe(302);
  expect(response.headers.getSetCookie()).toEqual([]);
  const kept = ['location', 'access-control-allow-credentials', 'content-security-policy', 'content-disposition'];
  expect(kept.map((name) => response.headers.get(name))).toEqual([null, null, 'sandbox', 'attachment']);
});

it.each([
  ['a status outside the range', { status: 99 }, 'status must be a whole number from 200 to 599'],
  ['a line break', { headers: { 'x-a': 'a\r\nset-cookie: b=c' } }, 'the header x-a must have printable characters'],
  ['huge headers', { headers: { 'x-a': 'x'.repeat(9_000) } }, 'headers must have at most 8192 bytes'],
  ['a text', 'hello', 'it must be an object'],
])('%s is refused', async (_what, answer, message) => {
  const response = await post(await makeWebhook(echo), { answer });
  const { flow_run_id } = (await response.clone().json()).details;
  expect([response.status, await response.json()]).toMatchObject([409, {
    code: 'webhook_answer_failed',
    message: expect.stringContaining(message),
  }]);
  expect((await finishedRun(owner, flow_run_id)).status).toBe('succeeded');
});

it('a failing run is a 409 without its errors', async () => {
  const path = (await makeWebhook(echo)).split('/functions/v1/')[1]!;
  const response = await call(path, { body: '{"private": 1}', headers: { 'content-type': 'application/json' } });
  expect([response.status, await response.json()]).toEqual([409, {
    code: 'webhook_answer_failed',
    message: 'The run has failed.',
    details: { flow_run_id: expect.any(String) },
    hint: null,
    error: 'The run has failed.',
  }]);
});

describe('a run that outlasts the request', () => {
  it('is answered with 202 when the time is over, and its delivery can be sent again', async () => {
    const flow = new FlowBuilder();
    flow.output('response', flow.wait(flow.input('request'), 600_000));
    const path = (await makeWebhook(await deployed(flow))).split('/functions/v1/')[1]!;
    const send = (seconds: number) =>
      call(path, {
        body: '{}',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one', prefer: `wait=${seconds}` },
      });
    const first = await send(1);
    const { flow_run_id, ...more } = await first.json();
    expect([first.status, more, first.headers.get('preference-applied')]).toEqual([202, {}, 'wait=1']);
    expect(await (await send(0)).json()).toEqual({ flow_run_id });
    const again = send(100);
    await owner.client.rpc('stop_flow_run', { flow_run_id }).throwOnError();
    expect([(await again).status, await (await again).json()]).toMatchObject([409, {
      message: 'The run was stopped.',
      details: { flow_run_id },
    }]);
  });
});

it('a repeated delivery gets the answer of the first one', async () => {
  const url = await makeWebhook(echo);
  const id = { 'idempotency-key': randomUUID() };
  const answers = [
    await post(url, { answer: { body: 'first' } }, id),
    await post(url, { answer: { body: 'second' } }, id),
  ];
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['first', 'first']);
});

it('without a valid signature nothing is started or answered', async () => {
  const secret = 'a long secret';
  const url = await makeWebhook(echo, { verification: 'github', secret });
  const body = { answer: { body: 'signed' } };
  const signature = `sha256=${createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex')}`;
  expect((await post(url, body)).status).toBe(401);
  const signed = await post(url, body, { 'x-hub-signature-256': signature });
  expect([signed.status, await signed.text()]).toEqual([200, 'signed']);
});
