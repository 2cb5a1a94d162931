import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { rest } from '../support/rest.ts';
import { waitFor } from '../support/wait.ts';
import { startWebhookReceiver, type WebhookReceiver, withStatus } from '../support/webhook_receiver.ts';

let owner: Person;
let receiver: WebhookReceiver;
let flowId: number;

beforeAll(async () => {
  [owner, receiver] = await Promise.all([signUp(), startWebhookReceiver()]);
  flowId = await storeFlow(owner, textFlow());
});
afterAll(() => receiver.close());

/**
 * Deploys the flow, with messages about these events of its runs. The address is a path of the receiver, unless `url`
 * is given.
 */
async function deployTelling(events: string[], url?: string): Promise<{ id: string; path: string }> {
  const path = `/${randomUUID()}`;
  const id = await deploy(owner, flowId);
  const on_end = { url: url ?? `${receiver.url}${path}`, events };
  const { error } = await owner.client.from('flow_deployments').update({ on_end }).eq('id', id);
  expect(error).toBeNull();
  return { id, path };
}

async function rotate(): Promise<string> {
  const { data, error } = await owner.client.rpc('rotate_on_end_secret', { flow_id: flowId });
  expect(error).toBeNull();
  return (data as { secret: string }).secret;
}

/** Waits for the delivery of a run in the state that the test needs. */
const delivery = (
  runId: string,
  isAsWanted: (row: { status: string; attempts: number; is_held: boolean }) => boolean,
) =>
  waitFor(async () => {
    const { data, error } = await owner.client.from('webhook_deliveries').select('*').eq('flow_run_id', runId);
    if (error !== null) throw new Error(error.message, { cause: error });
    return data[0] !== undefined && isAsWanted(data[0]) ? data[0] : undefined;
  });

const isDelivered = ({ status }: { status: string }) => status === 'delivered';
const isTriedOnce = ({ attempts, is_held }: { attempts: number; is_held: boolean }) => attempts === 1 && !is_held;

it('the end of a run is posted as a message that the Standard Webhooks library verifies', async () => {
  const secret = await rotate();
  const { id, path } = await deployTelling(['succeeded']);
  const { flow_run_id } = await start(owner, `id=${id}`);
  const run = await finishedRun(owner, flow_run_id);
  const [webhook] = await receiver.next(path);
  expect(webhook).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
  expect(new Webhook(secret).verify(webhook!.body, webhook!.headers)).toEqual({
    type: 'flow_run.succeeded',
    timestamp: expect.any(String),
    data: {
      flow_run_id,
      deployment_id: id,
      flow_id: flowId,
      schedule_id: null,
      status: 'succeeded',
      error_code: null,
      created_at: run.created_at,
      start_time: run.start_time,
      end_time: run.end_time,
    },
  });
  expect(await delivery(flow_run_id, isDelivered)).toMatchObject({
    id: webhook!.headers['webhook-id'],
    event: 'succeeded',
    attempts: 1,
    next_attempt_at: null,
    last_http_status: 204,
    last_error: null,
  });
});

it('a replaced secret verifies messages for a day, but never a forged one', async () => {
  const secrets = [await rotate(), await rotate()];
  const { id, path } = await deployTelling(['succeeded']);
  await start(owner, `id=${id}`);
  const [webhook] = await receiver.next(path);
  for (const secret of secrets) expect(new Webhook(secret).verify(webhook!.body, webhook!.headers)).toBeTruthy();
  const forged = webhook!.body.replace('succeeded', 'failed');
  expect(() => new Webhook(secrets[1]!).verify(forged, webhook!.headers)).toThrow('No matching signature found');
  expect(() => new Webhook(`whsec_${btoa('a'.repeat(32))}`).verify(webhook!.body, webhook!.headers)).toThrow();
});

it('a failure has its code in the message, and only chosen events are posted', async () => {
  const failing = new FlowBuilder();
  failing.output('out', failing.use('http_request', { url: failing.input('url') }, { form: {} }).output('body'));
  const failingId = await storeFlow(owner, failing);
  const deploymentId = await deploy(owner, failingId);
  const path = `/${randomUUID()}`;
  await owner.client.from('flow_deployments')
    .update({ on_end: { url: `${receiver.url}${path}`, events: ['failed'] } }).eq('id', deploymentId);
  const inputs = { url: { S: 'ftp://secret.example.com' } };
  const failed = await start(owner, `id=${deploymentId}`, { inputs });
  const [webhook] = await receiver.next(path);
  expect(webhook?.message).toMatchObject({
    type: 'flow_run.failed',
    data: { flow_run_id: failed.flow_run_id, status: 'failed' },
  });
  expect(webhook?.body).not.toContain('secret.example.com');
  const silent = await deployTelling(['failed']);
  const { flow_run_id } = await start(owner, `id=${silent.id}`);
  await finishedRun(owner, flow_run_id);
  expect((await owner.client.from('webhook_deliveries').select('id').eq('flow_run_id', flow_run_id)).data).toEqual([]);
});

it('the owner can read a failed answer, and redeliver_webhook posts the same message again', async () => {
  const { id, path } = await deployTelling(['succeeded']);
  receiver.answer(path, withStatus(503, { 'retry-after': '3600' }, 'out of \0order'));
  const { flow_run_id } = await start(owner, `id=${id}`);
  const failed = await delivery(flow_run_id, isTriedOnce);
  expect(failed).toMatchObject({
    status: 'pending',
    last_http_status: 503,
    last_response: 'out of \uFFFDorder',
    last_error: 'The address answered with the status 503, but a status from 200 to 299 is needed.',
  });
  expect(Date.parse(failed.next_attempt_at!) - Date.now()).toBeGreaterThan(3_000_000);
  receiver.answer(path, withStatus(200));
  expect((await owner.client.rpc('redeliver_webhook', { id: failed.id })).error).toBeNull();
  await delivery(flow_run_id, isDelivered);
  const [first, second] = await receiver.next(path, 2);
  expect(second).toMatchObject({ body: first!.body, headers: { 'webhook-id': first!.headers['webhook-id'] } });
});

it('a redirect is not followed, and only the beginning of a long answer is stored', async () => {
  const { id, path } = await deployTelling(['succeeded']);
  const elsewhere = `/${randomUUID()}`;
  receiver.answer(path, withStatus(307, { location: elsewhere }));
  const { flow_run_id } = await start(owner, `id=${id}`);
  expect(await delivery(flow_run_id, isTriedOnce)).toMatchObject({ status: 'pending', last_http_status: 307 });
  expect(receiver.received.filter((webhook) => webhook.path === elsewhere)).toEqual([]);

  const long = await deployTelling(['succeeded']);
  receiver.answer(long.path, (response) => {
    response.writeHead(200);
    const fill = () => {
      while (!response.destroyed && response.write('ä'.repeat(10_000)));
    };
    response.on('drain', fill);
    fill();
  });
  const endless = await start(owner, `id=${long.id}`);
  expect(await delivery(endless.flow_run_id, isDelivered)).toMatchObject({
    last_http_status: 200,
    last_response: 'ä'.repeat(1_000),
  });
});

it.each([
  ['http://169.254.169.254/latest/meta-data', 'IP address not allowed: 169.254.169.254'],
  ['http://[fd00:ec2::254]/', 'IP address not allowed: fd00:ec2::254'],
  ['http://0.0.0.0/', 'IP address not allowed: 0.0.0.0'],
  ['http://user:pa%ss@127.0.0.1/', "the URL's credentials are malformed"],
  ['https://a:b:c/', 'the URL is malformed'],
])('no message is posted to %s', async (url, last_error) => {
  const { id } = await deployTelling(['succeeded'], url);
  const { flow_run_id } = await start(owner, `id=${id}`);
  expect(await delivery(flow_run_id, isTriedOnce)).toMatchObject({
    status: 'pending',
    last_error,
    last_http_status: null,
  });
});

it('a wrong on_end is refused with the expected form, and null ends the messages', async () => {
  const { id } = await deployTelling(['succeeded']);
  const patch = (on_end: unknown) =>
    rest(`flow_deployments?id=eq.${id}`, { method: 'PATCH', body: { on_end }, token: owner.token });
  const wrong = await patch({ url: 'example.com', events: ['failed'], secret: 'x' });
  expect([wrong.status, wrong.body.code, wrong.body.message]).toEqual([
    400,
    'on_end_invalid',
    'on_end.url: must be an http or https address of at most 2048 characters.',
  ]);
  expect(JSON.parse(wrong.body.details)).toMatchObject([{ path: 'on_end.url' }, { path: 'on_end.secret' }]);
  expect((await patch(null)).status).toBe(204);
  const { flow_run_id } = await start(owner, `id=${id}`);
  await finishedRun(owner, flow_run_id);
  expect((await owner.client.from('webhook_deliveries').select('id').eq('flow_run_id', flow_run_id)).data).toEqual([]);
});

it('a deployment whose own messages start it is started a limited number of times', async () => {
  const flow = new FlowBuilder();
  flow.input('event');
  const deploymentId = await deploy(owner, await storeFlow(owner, flow));
  const { data } = await owner.client.rpc('create_webhook', { deployment_id: deploymentId, input: 'event' })
    .throwOnError();
  const { id, url } = data as { id: string; url: string };
  await owner.client.from('flow_deployments').update({ on_end: { url, events: ['succeeded'] } }).eq('id', deploymentId)
    .throwOnError();
  // Start with the header that the 15th run in a chain of runs sends. After that run, only one more run may start.
  const headers = { 'content-type': 'application/json', 'flow-chain-depth': '15' };
  const { flow_run_id } = await fetch(url, { method: 'POST', headers, body: '{}' }).then((response) => response.json());
  await delivery(flow_run_id, isDelivered);
  const { data: runs } = await owner.client.from('flow_run').select('id').eq('webhook_id', id).order('id')
    .throwOnError();
  expect(runs.map((run) => run.id)).toEqual([flow_run_id, expect.any(String)]);
  const refused = await delivery(runs[1]!.id, isTriedOnce);
  expect(refused).toMatchObject({ status: 'pending', last_http_status: 409 });
  expect(JSON.parse(refused.last_response!).code).toBe('webhook_loop');
  const { data: webhook } = await owner.client.from('flow_webhooks').select('last_error').eq('id', id).single()
    .throwOnError();
  expect(webhook.last_error).toBe('webhook_loop: 17 runs have started one another by webhooks: it seems to be a loop.');
});

it("callers who may start a deployment can't read its webhook address", async () => {
  const { id } = await deployTelling(['succeeded'], 'https://hidden.example.com/hook');
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', id);
  const starter = await signUp();
  const { flow_run_id, token } = await start(starter, `id=${id}`);
  const texts = await Promise.all([
    call(`deployment/read?id=${id}`, { method: 'GET', token: starter.token }).then((response) => response.text()),
    rest(`flow_run?id=eq.${flow_run_id}&select=*,deployment(*)`, { token: starter.token }).then(JSON.stringify),
    rest(`flow_run?id=eq.${flow_run_id}`, { headers: { 'x-flow-run-token': token } }).then(JSON.stringify),
    rest('webhook_deliveries', { token: starter.token }).then(({ body }) => JSON.stringify(body)),
    rest('webhook_deliveries', { headers: { 'x-flow-run-token': token } }).then(JSON.stringify),
  ]);
  expect(texts[1]).toContain(flow_run_id);
  expect(texts[3]).toBe('[]');
  for (const text of texts) expect(text).not.toContain('hidden.example.com');
});

it('only the owner can rotate the secret and deliver again', async () => {
  const other = await signUp();
  const rotated = await rest('rpc/rotate_on_end_secret', { body: { flow_id: flowId }, token: other.token });
  expect([rotated.status, rotated.body.code]).toEqual([404, 'flow_not_found']);
  const { id, path } = await deployTelling(['succeeded']);
  await start(owner, `id=${id}`);
  const [webhook] = await receiver.next(path);
  const redelivered = await rest('rpc/redeliver_webhook', {
    body: { id: webhook!.headers['webhook-id'] },
    token: other.token,
  });
  expect([redelivered.status, redelivered.body.code]).toEqual([404, 'webhook_delivery_not_found']);
});
