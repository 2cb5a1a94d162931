import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { answer, askingFlow, type PendingInput, pendingInputs } from '../support/pending_inputs.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { anonymousSignIn, clientWith, createApiKey } from '../support/tokens.ts';
import { waitFor } from '../support/wait.ts';
import { type ReceivedWebhook, startWebhookReceiver } from '../support/webhook_receiver.ts';

const PUBLIC_KEY = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';
const JSON_TYPE = { 'content-type': 'application/json' };

let owner: Person;
let starter: Person;
let other: Person;
let deploymentId: string;

beforeAll(async () => {
  [owner, starter, other] = await Promise.all([signUp(), signUp(), signUp()]);
  const open = { is_public: true, start_shared: true, start_unverified: true };
  deploymentId = await deploy(owner, await storeFlow(owner, askingFlow(), open));
});

/** Starts a run of the given flow, or of a default one. The run waits for one input, which is returned. */
async function asking(flow?: FlowBuilder): Promise<{ runId: string; input: PendingInput; url: string }> {
  const query = `id=${flow === undefined ? deploymentId : await deploy(owner, await storeFlow(owner, flow))}`;
  const { flow_run_id: runId } = await start(owner, query);
  const [input] = await pendingInputs(owner, runId);
  return { runId, input: input!, url: input!.url };
}

const read = async (response: Response) => [response.status, await response.json()];
const codeOf = async (response: Response) => {
  const { code } = await response.json() as { code: string };
  return [response.status, code];
};
const DONE = [200, { success: true }];

describe('an answer to a question', () => {
  it('is one of the choices', async () => {
    const { runId, input, url } = await asking(askingFlow({ title: 'May we pay?', choices: ['yes', 'no'] }));
    expect(input).toMatchObject({ title: 'May we pay?', description: null, json_schema: null, choices: ['yes', 'no'] });
    const refused = await answer(url, { values: 'maybe' });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({
        code: 'answer_invalid',
        message: 'The answer does not fit the question: must be one of "yes", "no".',
      }),
    ]);
    expect(await codeOf(await answer(url, { value: { B: true } }))).toEqual([400, 'answer_invalid']);
    const key = { 'idempotency-key': randomUUID() };
    expect(await read(await answer(url, { values: 'yes' }, key))).toEqual(DONE);
    expect(await read(await answer(url, { values: 'yes' }, key))).toEqual(DONE);
    expect(await finishedRun(owner, runId)).toMatchObject({ output: { M: { answer: { S: 'yes' } } } });
  });

  it('fits the schema, and a refusal names the path', async () => {
    const json_schema = {
      type: 'object',
      properties: { amount: { type: 'integer', minimum: 1 }, by: { type: 'string' } },
      required: ['amount'],
    };
    const { runId, url } = await asking(askingFlow({ json_schema }));
    const refused = await answer(url, { values: { amount: 0, by: 'Ada' } });
    expect(await refused.json()).toMatchObject({
      code: 'answer_invalid',
      details: [{ path: 'amount', message: 'must be at least 1' }],
    });
    // A tagged value is first converted to readable JSON, and then checked by the schema.
    expect(await codeOf(await answer(url, { value: { M: { amount: { S: '1' } } } }))).toEqual([400, 'answer_invalid']);
    expect(await read(await answer(url, { value: { M: { amount: { U: '1' } } } }))).toEqual(DONE);
    expect(await finishedRun(owner, runId)).toMatchObject({ output: { M: { answer: { M: { amount: { U: '1' } } } } } });
  });

  it('is never awaited by a node whose schema is wrong', async () => {
    const flow = askingFlow({ json_schema: { type: 'string', pattern: '(a+)+$' } });
    const { flow_run_id: runId } = await start(owner, `id=${await deploy(owner, await storeFlow(owner, flow))}`);
    expect(await finishedRun(owner, runId)).toMatchObject({
      status: 'failed',
      error_code: 'bad_config',
      errors: [expect.stringContaining("json_schema.pattern: this keyword can't be used for answers")],
    });
  });
});

it('the URL of an input is posted to webhook_url of its node, and whoever receives it may answer', async () => {
  const receiver = await startWebhookReceiver();
  onTestFinished(receiver.close);
  const path = `/${randomUUID()}`;
  const form = {
    webhook_url: `${receiver.url}${path}`,
    webhook_headers: [['Authorization', 'Bearer for-the-receiver']],
    extra: { amount: 120 },
  };
  const flowId = await storeFlow(owner, askingFlow(form));
  const started = await call(`flow/start/${flowId}`, { token: owner.token, headers: JSON_TYPE, body: '{}' });
  const { flow_run_id: runId } = await started.json() as { flow_run_id: string };
  const [{ headers, message }] = await receiver.next(path) as [ReceivedWebhook];
  expect(headers).toMatchObject({
    authorization: 'Bearer for-the-receiver',
    'webhook-signature': expect.stringMatching(/^v1,/),
  });
  const [input] = await pendingInputs(owner, runId);
  expect(message).toMatchObject({
    type: 'flow_run.api_input',
    data: {
      flow_run_id: runId,
      deployment_id: null,
      api_input: { id: input!.id, url: input!.url, extra: { amount: 120 } },
    },
  });
  expect(await read(await answer(message.data.api_input.url, { values: 'yes' }))).toEqual(DONE);
  expect(await endOf(runId)).toEqual({ S: 'yes' });
});

/** Waits for the end of a run. Returns its output or its first error. */
async function endOf(runId: string): Promise<unknown> {
  const { output, errors } = await finishedRun(owner, runId);
  return errors?.[0] ?? (output as { M: { answer: unknown } }).M.answer;
}

describe('POST /flow/submit/{token}', () => {
  it('passes the value to the node, so that the waiting run continues', async () => {
    const { runId, input, url } = await asking();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/functions\/v1\/flow\/submit\/fi_[A-Za-z0-9_-]{43}$/);
    expect(url.startsWith(inject('stack').FUNCTIONS_URL)).toBe(true);
    expect(input).toMatchObject({ flow_run_id: runId, root_flow_run_id: runId, times: 0, owner_id: owner.id });
    expect(Date.parse(input.expires_at) - Date.parse(input.created_at)).toBeGreaterThan(604_790_000);
    await waitFor(async () => {
      const { data } = await owner.client.from('flow_run').select('status').eq('id', runId).single();
      return data?.status === 'waiting' || undefined;
    });
    const { data: logs } = await owner.client.from('flow_run_logs').select('node_id, content').eq('flow_run_id', runId);
    expect(logs).toEqual([{ node_id: input.node_id, content: expect.stringContaining(`POST ${url}`) }]);

    expect(await read(await answer(url, { value: { M: { ok: { B: true }, n: { U: '007' } } } }))).toEqual(DONE);
    expect(await endOf(runId)).toEqual({ M: { ok: { B: true }, n: { U: '7' } } });
    expect(await pendingInputs(owner, runId, 0)).toEqual([]);
  });

  it.each([
    ['{"values": {"big": 12345678901234567890123, "price": 1.50, "list": [1, null, "x"]}}', {
      M: {
        big: { U1: '12345678901234567890123' },
        price: { D: '1.50' },
        list: { A: [{ U: '1' }, { N: 0 }, { S: 'x' }] },
      },
    }],
    ['{"values": null}', { N: 0 }],
    ['{"values": false}', { B: false }],
  ])('converts the plain JSON %s to a value', async (body, value) => {
    const { runId, url } = await asking();
    const response = await fetch(url, { method: 'POST', headers: JSON_TYPE, body });
    expect(await read(response)).toEqual(DONE);
    expect(await endOf(runId)).toEqual(value);
  });

  it('works once, and with a key the same answer succeeds again, even after the run has ended', async () => {
    const { runId, url } = await asking();
    const key = { 'idempotency-key': randomUUID() };
    expect(await read(await answer(url, { value: { S: 'yes' } }, key))).toEqual(DONE);
    expect(await endOf(runId)).toEqual({ S: 'yes' });
    expect(await read(await answer(url, { values: 'yes' }, key))).toEqual(DONE);
    const answered = [409, 'pending_input_answered'];
    expect(await codeOf(await answer(url, { value: { S: 'no' } }, key))).toEqual(answered);
    expect(await codeOf(await answer(url, { value: { S: 'yes' } }))).toEqual(answered);
    expect(await codeOf(await answer(url, undefined, key))).toEqual(answered);
  });

  it('accepts one of many concurrent submissions', async () => {
    const { runId, url } = await asking();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => answer(url, { value: { U: String(n) } }).then(({ status }) => status)),
    );
    expect(answers.toSorted()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await endOf(runId)).toEqual({ U: String(answers.indexOf(200)) });
  });

  it('refuses an invalid value with its path, and leaves the input open', async () => {
    const { runId, url } = await asking();
    const deep = (levels: number): unknown => levels === 0 ? { N: 0 } : { A: [deep(levels - 1)] };
    const plain = (levels: number): unknown => levels === 0 ? 1 : [plain(levels - 1)];
    const refused: [body: unknown, status: number, code: string, path?: string][] = [
      [{}, 400, 'request_invalid', 'value'],
      [{ value: { S: 'a' }, values: 1 }, 400, 'request_invalid', 'value'],
      [{ value: { S: 'a' }, more: 1 }, 400, 'request_invalid', 'more'],
      [{ value: { A: [{ U: '18446744073709551616' }] } }, 400, 'request_invalid', 'value.A.0.U'],
      [{ value: { M: { key: { Z: 1 } } } }, 400, 'request_invalid', 'value.M.key'],
      [{ value: 'plain' }, 400, 'request_invalid', 'value'],
      [{ value: deep(64) }, 400, 'request_invalid'],
      [{ values: plain(65) }, 400, 'inputs_invalid'],
      [{ values: Array.from({ length: 110_000 }, () => 0) }, 413, 'inputs_too_large'],
      [{ value: { S: 'x'.repeat(1_048_577) } }, 413, 'body_too_large'],
    ];
    for (const [body, status, code, path] of refused) {
      const response = await fetch(url, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
      const error = await response.json();
      expect([response.status, error.code]).toEqual([status, code]);
      if (path !== undefined) expect(error.details[0].path).toBe(path);
    }
    const raw = (body: string, headers: Record<string, string> = JSON_TYPE) =>
      fetch(url, { method: 'POST', headers, body }).then(codeOf);
    expect(await raw('{"values": 1')).toEqual([400, 'request_invalid']);
    expect(await raw('{"values": {"a": 1, "a": 2}}')).toEqual([400, 'request_invalid']);
    expect(await raw('{"values": {"a": 1e400}}')).toEqual([400, 'inputs_invalid']);
    expect(await raw('{"values": 1}', { 'content-type': 'text/plain' })).toEqual([415, 'media_type_unsupported']);
    expect(await raw('{"values": 1}', { ...JSON_TYPE, 'idempotency-key': 'k'.repeat(256) }))
      .toEqual([400, 'idempotency_key_invalid']);
    const ofMethod = await fetch(url);
    expect([ofMethod.status, ofMethod.headers.get('allow')]).toEqual([405, 'POST, DELETE']);
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin: 'https://example.com', 'access-control-request-method': 'DELETE' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE');

    expect(await pendingInputs(owner, runId)).toHaveLength(1);
    expect(await read(await answer(url, { value: deep(63) as object }))).toEqual(DONE);
    expect(await endOf(runId)).toEqual(deep(63));
  });
});

describe('an input that is not submitted', () => {
  it('fails its node when it is cancelled', async () => {
    const { runId, url, input } = await asking();
    expect(await read(await answer(url))).toEqual(DONE);
    expect(await endOf(runId)).toBe(
      `Approve ${input.node_id}: input_cancelled: somebody has cancelled the input`,
    );
    expect(await codeOf(await answer(url))).toEqual([409, 'pending_input_answered']);
  });

  it('fails its node if nobody answers in time', async () => {
    const { runId, url, input } = await asking(askingFlow({ timeout: 5 }));
    expect(Date.parse(input.expires_at) - Date.parse(input.created_at)).toBeLessThan(5_100);
    expect(await endOf(runId)).toBe(`Approve ${input.node_id}: input_expired: nobody has sent a value in time`);
    expect(await codeOf(await answer(url, { value: { N: 0 } }))).toEqual([404, 'pending_input_not_found']);
  });

  it('gets, after its run is stopped, the same 404 as an unknown token', async () => {
    const { runId, url } = await asking();
    expect((await call(`flow/stop/${runId}`, { token: owner.token })).status).toBe(200);
    expect(await pendingInputs(owner, runId, 0)).toEqual([]);
    const base = url.slice(0, url.lastIndexOf('/') + 1);
    const tokens = [
      url.slice(base.length),
      `fi_${'A'.repeat(43)}`,
      randomUUID(),
      'fi_',
      'x'.repeat(4_000),
      '%00',
      "'; drop table x",
    ];
    const answers = new Set<string>();
    for (const token of tokens) {
      for (const response of [await answer(base + token, { value: { N: 0 } }), await answer(base + token)]) {
        const headers = [...response.headers].filter(([name]) => name !== 'date');
        answers.add(JSON.stringify([response.status, await response.text(), headers]));
      }
    }
    expect([...answers]).toEqual([expect.stringMatching(/^\[404,.*pending_input_not_found/)]);
    expect((await finishedRun(owner, runId)).status).toBe('stopped');
    expect(await codeOf(await answer(url, { value: { N: 0 } }))).toEqual([404, 'pending_input_not_found']);
  });
});

describe('several inputs', () => {
  it('of one run are listed and answered separately', async () => {
    const flow = new FlowBuilder();
    for (const name of ['left', 'right']) flow.output(name, flow.use('api_input', {}, { title: name }).output('value'));
    const { flow_run_id: runId } = await start(owner, `id=${await deploy(owner, await storeFlow(owner, flow))}`);
    const both = await pendingInputs(owner, runId, 2);
    const last = both.find(({ node_id }) => node_id === flow.nodes[2]!.id)!;
    await answer(last.url, { value: { S: 'right' } });
    // The node behind the first input runs. The other input is still open.
    const [first] = await pendingInputs(owner, runId);
    await waitFor(async () => {
      const { data } = await owner.client.from('node_run').select('end_time').eq('flow_run_id', runId)
        .eq('node_id', last.node_id).single();
      return data?.end_time ?? undefined;
    });
    await answer(first!.url, { value: { S: 'left' } });
    expect((await finishedRun(owner, runId)).output).toEqual({ M: { left: { S: 'left' }, right: { S: 'right' } } });
  });

  it('of a loop are requested one after the other', async () => {
    const flow = new FlowBuilder();
    const element = flow.foreach(flow.json([10, 20]));
    const node = flow.use('api_input', { timeout: element });
    flow.output('answer', flow.collect(node.output('value')));
    const { runId, url, input } = await asking(flow);
    expect(input.times).toBe(0);
    await answer(url, { values: 'first' });
    const second = await waitFor(async () => (await pendingInputs(owner, runId)).find(({ times }) => times === 1));
    expect(Date.parse(second.expires_at) - Date.parse(second.created_at)).toBeGreaterThan(19_000);
    await answer(second.url, { values: 'second' });
    expect(await endOf(runId)).toEqual({ A: [{ S: 'first' }, { S: 'second' }] });
  });

  it('of a called flow are listed for callers who see the started run', async () => {
    const calledId = await storeFlow(owner, askingFlow());
    const flow = new FlowBuilder();
    flow.output('answer', flow.interflow(calledId, {}, ['answer']).output('answer'));
    const { runId, url, input } = await asking(flow);
    expect(input.flow_run_id).not.toBe(runId);
    await answer(url, { values: 5 });
    expect(await endOf(runId)).toEqual({ U: '5' });
  });
});

it('only callers who see the run can list its inputs', async () => {
  const started = await (await call(`deployment/start?id=${deploymentId}`, { token: starter.token })).json();
  const byKey = await (await call(`deployment/start?id=${deploymentId}`, { token: PUBLIC_KEY })).json();
  const [input] = await pendingInputs(owner, started.flow_run_id);
  await pendingInputs(owner, byKey.flow_run_id);
  const guest = await anonymousSignIn();
  const [ownerKey, otherKey] = await Promise.all([createApiKey(owner), createApiKey(other)]);
  const urlsFor = async (client: Person['client'], runId: string) =>
    (await client.from('pending_inputs').select('url').eq('flow_run_id', runId).throwOnError()).data.length;
  const readers = {
    owner: owner.client,
    'API key of owner': clientWith({ 'x-api-key': ownerKey.key }),
    starter: starter.client,
    token: clientWith({ 'x-flow-run-token': started.token }),
    'other user': other.client,
    'API key of other': clientWith({ 'x-api-key': otherKey.key }),
    'other token': clientWith({ 'x-flow-run-token': byKey.token }),
    guest: clientWith({ authorization: `Bearer ${guest.token}` }),
    nobody: clientWith({}),
  };
  const seen = await Promise.all(
    Object.entries(readers).map(async ([name, client]) => [
      name,
      await urlsFor(client, started.flow_run_id),
      await urlsFor(client, byKey.flow_run_id),
    ]),
  );
  expect(seen).toEqual([
    ['owner', 1, 1],
    ['API key of owner', 1, 1],
    ['starter', 1, 0],
    ['token', 1, 0],
    ['other user', 0, 0],
    ['API key of other', 0, 0],
    ['other token', 0, 1],
    ['guest', 0, 0],
    ['nobody', 0, 0],
  ]);
  // The URL is the only credential: a wrong access token beside it has no effect.
  expect(await read(await answer(input!.url, { values: 1 }, { authorization: 'Bearer nonsense' }))).toEqual(DONE);
  expect(await endOf(started.flow_run_id)).toEqual({ U: '1' });
});
