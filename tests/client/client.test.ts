import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createFlowClient, type FlowClient, FlowError, type RunReference } from 'flow-deployments-client';
import { editorFlowToRow } from 'flow-deployments-client/editor-flow';
import { base58, base64 } from '@scure/base';
import exampleFlow from '../../docs/example_flow.json' with { type: 'json' };
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { checkedFetch } from '../support/checked_fetch.ts';
import { makeClaimedRun } from '../support/claimed_run.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { waitFlow } from '../support/mixed_flows.ts';
import { makeClient, type Person, signUp, storeFlow } from '../support/people.ts';
import { askingFlow } from '../support/pending_inputs.ts';
import { askFor, makeMessage, signMessage } from '../support/signature_requests.ts';
import { waitFor } from '../support/wait.ts';

/** The types that `npx flows types` writes for the example flow. */
interface Shop {
  inputs: { item?: string; quantity?: number | bigint };
  outputs: { total: string; receipt: string };
}

let owner: Person;
let flows: FlowClient;
/** A client of the same user that authenticates by an API key, without supabase-js. */
let scripted: FlowClient;
let nobody: FlowClient;
let stranger: FlowClient;
let shop: number;
beforeAll(async () => {
  const { API_URL: url, PUBLISHABLE_KEY: key } = inject('stack');
  const [person, other] = await Promise.all([signUp(), signUp()]);
  owner = person;
  flows = createFlowClient(owner.client);
  stranger = createFlowClient(other.client);
  const { data } = await owner.client.rpc('create_api_key', { name: 'client' }).throwOnError();
  const { key: apiKey } = data as { key: string };
  scripted = createFlowClient({ url, key, apiKey, fetch: checkedFetch });
  nobody = createFlowClient({ url, key, fetch: checkedFetch });
  shop = await flows.storeFlow(editorFlowToRow(exampleFlow));
});

const errorOf = async (promise: Promise<unknown>): Promise<FlowError> => {
  const error = await promise.then(() => undefined, (error: unknown) => error);
  expect(error).toBeInstanceOf(FlowError);
  return error as FlowError;
};

/** Allows anybody to start a deployment. */
const open = async (deployment: string) => {
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', deployment)
    .throwOnError();
};

const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** A flow that logs `n` lines, one after the other. */
function loggingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const element = flow.foreach(flow.range(flow.input('n')));
  const printed = flow.use('print', { print: element }, { title: 'print' }).output('__print_output');
  flow.output('out', flow.collect(printed));
  return flow;
}

describe.each([['with the session of supabase-js', () => flows], ['with an API key', () => scripted]])(
  'a client %s',
  (_how, get) => {
    it('adds a schedule and a webhook for a deployment, and lists their runs', async () => {
      const client = get();
      const { deployment_id } = await client.deploy(shop, { tag: 'stable' });
      const schedule = await client.schedule({ flow: shop, tag: 'stable' }, {
        cron: '30 6 * * MON-FRI',
        timeZone: 'Europe/Berlin',
        values: { item: 'tea' },
        inputs: { quantity: { U: '3' } },
        policy: 'skip',
      });
      expect(schedule).toMatchObject({
        flow: shop,
        tag: 'stable',
        time_zone: 'Europe/Berlin',
        policy: 'skip',
        values: { item: 'tea' },
        inputs: { quantity: { U: '3' } },
      });
      expect(await client.runs({ schedule: schedule.id })).toEqual([]);
      expect(await client.schedules()).toContainEqual(schedule);
      expect(await stranger.schedules()).toEqual([]);
      expect(await client.setScheduleActive(schedule.id, false)).toMatchObject({
        is_active: false,
        next_start_at: null,
      });
      expect(await client.setScheduleActive(schedule.id, true)).toMatchObject({
        is_active: true,
        next_start_at: schedule.next_start_at,
      });
      for (
        const change of [
          () => stranger.setScheduleActive(schedule.id, false),
          () => stranger.deleteSchedule(schedule.id),
          () => client.deleteSchedule(schedule.id).then(() => client.deleteSchedule(schedule.id)),
        ]
      ) expect(await errorOf(change())).toMatchObject({ code: 'schedule_not_found', status: 404 });
      expect((await client.schedules()).map(({ id }) => id)).not.toContain(schedule.id);
      expect(await errorOf(client.schedule(shop, { cron: '61 * * * *' }))).toMatchObject({ code: 'column_invalid' });

      const webhook = await client.createWebhook(deployment_id, { input: 'item', respond: true });
      expect(webhook).toMatchObject({ whole_request: false, respond: true, headers: [] });
      expect(webhook).toMatchObject({ deployment_id, input: 'item', verification: null });
      const headers = { 'content-type': 'application/json', prefer: 'wait=0' };
      const request = { method: 'POST', headers, body: '"tea"' };
      const response = await fetch(webhook.url, request);
      const { flow_run_id } = await response.json();
      expect(await client.output(flow_run_id)).toMatchObject({ receipt: expect.any(String) });
      expect((await client.runs({ webhook: webhook.id })).map(({ id }) => id)).toEqual([flow_run_id]);
      expect(await errorOf(stranger.createWebhook(deployment_id, { input: 'item' }))).toMatchObject({
        code: 'deployment_not_found',
      });
      const { url: _url, ...row } = webhook;
      const listed = (await client.webhooks()).find(({ id }) => id === webhook.id);
      expect(listed).toMatchObject({ id: row.id, prefix: row.prefix, last_flow_run_id: flow_run_id });
      expect(await stranger.webhooks()).toEqual([]);
      expect(await errorOf(stranger.deleteWebhook(webhook.id))).toMatchObject({
        code: 'webhook_not_found',
        status: 404,
      });
      await client.deleteWebhook(webhook.id);
      expect((await client.webhooks()).map(({ id }) => id)).not.toContain(webhook.id);
      expect((await fetch(webhook.url, request)).status).toBe(404);
    });

    it('lists, pauses and deletes row starts, and lists their runs', async () => {
      const client = get();
      const { flow, tag } = { flow: shop, tag: 'latest' };
      await client.deploy(flow);
      const table = `rows_of_client_${randomUUID().replaceAll('-', '_')}`;
      const sql = connect(inject('stack').DB_URL);
      try {
        await sql`create table public.${sql(table)} (id integer primary key)`;
        const [made] = await sql`
          select private.start_flow_on_rows(${`public.${table}`}, '{insert}', ${flow}, ${tag}, 'item') as id`;
        const id: string = made!.id;
        expect((await client.rowStarts()).find((row) => row.id === id)).toMatchObject({
          flow,
          tag,
          input: 'item',
          schema_name: 'public',
          table_name: table,
          events: ['insert'],
          is_active: true,
          last_error: null,
        });
        expect(await client.setRowStartActive(id, false)).toMatchObject({ id, is_active: false });
        await sql`insert into public.${sql(table)} values (1)`;
        expect(await client.runs({ rowStart: id })).toEqual([]);
        expect(await client.setRowStartActive(id, true)).toMatchObject({ id, is_active: true });
        await sql`insert into public.${sql(table)} values (2)`;
        expect(await client.runs({ rowStart: id })).toMatchObject([{ flow_id: flow }]);
        expect(await stranger.rowStarts()).toEqual([]);
        for (
          const change of [
            () => stranger.setRowStartActive(id, false),
            () => stranger.deleteRowStart(id),
            () => client.deleteRowStart(id).then(() => client.deleteRowStart(id)),
          ]
        ) expect(await errorOf(change())).toMatchObject({ code: 'row_start_not_found', status: 404 });
        expect((await client.rowStarts()).map((row) => row.id)).not.toContain(id);
      } finally {
        await sql`drop table if exists public.${sql(table)}`;
        await sql.end();
      }
    });

    it('stores, tests, lists and deletes connections', async () => {
      const client = get();
      const { API_URL, PUBLISHABLE_KEY } = inject('stack');
      const name = 'auth';
      const connection = await client.upsertConnection({
        name,
        kind: 'header',
        header: 'apikey',
        hosts: [`${API_URL.slice(7)}/auth/v1`],
        secret: { value: PUBLISHABLE_KEY },
      });
      expect(await client.testConnection(name, `${API_URL}/auth/v1/settings`)).toBe(200);
      expect(await client.connections()).toContainEqual({
        ...connection,
        last_tested_at: expect.any(String),
        last_test_status: 200,
      });
      expect(await stranger.connections()).toEqual([]);
      const elsewhere = client.testConnection(name, `${API_URL}/rest/v1/`);
      expect(await errorOf(elsewhere)).toMatchObject({ code: 'connection_test_failed', status: 422 });
      expect(await errorOf(stranger.deleteConnection(name))).toMatchObject({ code: 'connection_not_found' });
      await client.deleteConnection(name);
      expect(await client.connections()).toEqual([]);
    });

    it('stores, changes, deploys, tags and starts a flow, and reads its run', async () => {
      const client = get();
      const id = await client.storeFlow(editorFlowToRow(exampleFlow));
      expect(await client.storeFlow(editorFlowToRow({ ...exampleFlow, name: 'Changed' }), { id })).toBe(id);
      const { data } = await owner.client.from('flows').select('name').eq('id', id).single().throwOnError();
      expect(data.name).toBe('Changed');
      const first = await client.deploy(id, { tag: 'stable' });
      expect(first).toEqual({ deployment_id: expect.any(String), warnings: [] });
      await owner.client.from('flow_deployments').update({ start_permission: 'Authenticated' })
        .eq('id', first.deployment_id).throwOnError();
      const second = await client.deploy(id, { strict: true, settingsFrom: 'stable' });
      expect((await client.read(second.deployment_id)).start_permission).toBe('Authenticated');
      const targets = [first.deployment_id, { id: first.deployment_id }, { flow: id, tag: 'stable' }];
      for (const target of targets) {
        const run = await client.start(target, { item: 'tea', quantity: 3 });
        expect(await client.output(run)).toEqual({ total: '6.60', receipt: '3 x tea at 2.20 = 6.60' });
        expect((await client.run(run)).deployment_id).toBe(first.deployment_id);
      }
      await client.tag(second.deployment_id, 'stable');
      for (const target of [id, { flow: id }, { flow: id, tag: 'stable' }]) {
        const run = await client.start(target);
        expect((await client.run(run.flow_run_id)).deployment_id).toBe(second.deployment_id);
        await client.output(run.flow_run_id);
      }
      const listed = await client.runs({ flow: id });
      expect(listed).toHaveLength(6);
      expect(listed.map((run) => run.id)).toEqual(listed.map((run) => run.id).toSorted().toReversed());
      expect(await client.runs({ deployment: first.deployment_id, status: 'succeeded', limit: 2 })).toHaveLength(2);
      expect(await client.runs({ flow: id, before: listed[3]!.id })).toEqual(listed.slice(4));
    });

    it('stops a run, and throws for a run that ended without an output', async () => {
      const client = get();
      const { deployment_id } = await client.deploy(await storeFlow(owner, waitFlow(60_000)));
      const run = await client.start(deployment_id, { n: 1 });
      expect(await errorOf(client.output(run, { timeoutMs: 200 }))).toMatchObject({ code: 'timed_out' });
      await client.stop(run, { reason: 'enough', graceMs: 0 });
      const stopped = await errorOf(client.output(run));
      expect(stopped).toMatchObject({ code: 'run_stopped', status: 409, details: { output: { M: {} } } });
    });
  },
);

it('a typed deployment starts, runs and returns values of its types', async () => {
  await flows.deploy(shop);
  const teaShop = flows.deployment<Shop>({ flow: shop });
  const { total, receipt } = await teaShop.run({ item: 'tea', quantity: 2n });
  expect([total, receipt]).toEqual(['4.40', '2 x tea at 2.20 = 4.40']);
  const run = await teaShop.start();
  const output = await flows.output(run);
  expect(output.receipt).toContain('coffee');
  // @ts-expect-error: the deployment has no such input. The backend refuses it, too.
  const wrong = teaShop.start({ itme: 'tea' });
  expect(await errorOf(wrong)).toMatchObject({ code: 'inputs_invalid', status: 400 });
});

it('reads the inputs and outputs of a deployment for callers who may start it, by each kind of target', async () => {
  const { deployment_id } = await flows.deploy(shop, { tag: 'read' });
  for (const target of [deployment_id, shop, { flow: shop, tag: 'read' }]) {
    expect(await flows.read(target)).toMatchObject({ deployment_id, flow_id: shop, start_permission: 'Owner' });
  }
  const { inputs, outputs } = await scripted.read(deployment_id);
  expect(inputs.map(({ name }) => name)).toEqual(['item', 'quantity']);
  expect(outputs.map(({ name }) => name)).toEqual(['total', 'receipt']);
  const { publicKey } = makeKeypair();
  for (const read of [() => stranger.read(shop), () => nobody.read(shop, { publicKey })]) {
    expect(await errorOf(read())).toMatchObject({ code: 'deployment_not_found', status: 404 });
  }
  await open(deployment_id);
  expect(await nobody.read(deployment_id, { publicKey })).toEqual(await flows.read(deployment_id));
});

it('the fees of a deployment and of its runs keep all their digits', async () => {
  const { deployment_id } = await flows.deploy(await flows.storeFlow(editorFlowToRow(exampleFlow)));
  const { publicKey } = makeKeypair();
  const fees = ['0', '9007199254740993', '18446744073709551615'].map((lamports) => [publicKey, lamports]);
  await owner.client.from('flow_deployments').update({ fees }).eq('id', deployment_id).throwOnError();
  const exact = fees.map(([address, lamports]) => [address, BigInt(lamports!)]);
  expect((await flows.read(deployment_id)).fees).toEqual(exact);
  const run = await scripted.start(deployment_id);
  const row = await scripted.run(run);
  expect(row.fees).toEqual(exact);
  expect(row).not.toHaveProperty('fees_text');
});

it('plain inputs are converted by the types of the deployment, or refused before the run', async () => {
  const flow = new FlowBuilder();
  const amount = flow.input('amount');
  flow.output('out', flow.range(amount));
  const { deployment_id } = await flows.deploy(await storeFlow(owner, flow));
  // Without the type of the port, a bigint would become an integer. This port takes decimals.
  const run = await flows.start(deployment_id, { amount: 2n });
  expect((await flows.run(run)).inputs).toEqual({ M: { amount: { D: '2' } } });
  expect(await errorOf(flows.start(deployment_id, { amount: 'two' }))).toMatchObject({
    code: 'inputs_invalid',
    message: expect.stringContaining('amount'),
  });
  await flows.output(run);
});

it('the same idempotency key returns the same run, and other inputs with it are refused', async () => {
  await flows.deploy(shop);
  const idempotencyKey = randomUUID();
  const first = await flows.start(shop, { item: 'tea' }, { idempotencyKey });
  expect(await flows.start(shop, { item: 'tea' }, { idempotencyKey })).toEqual(first);
  expect(await errorOf(flows.start(shop, {}, { idempotencyKey }))).toMatchObject({ code: 'idempotency_key_reused' });
});

it('a priority is sent with the start', async () => {
  await flows.deploy(shop);
  await flows.output(await flows.start(shop, { item: 'tea' }, { priority: 60 }));
  expect(await errorOf(flows.start(shop, {}, { priority: 3_601 }))).toMatchObject({ code: 'priority_invalid' });
});

it('values pass through a run without loss', async () => {
  const flow = new FlowBuilder();
  flow.output('out', flow.input('in'));
  const { deployment_id } = await flows.deploy(await storeFlow(owner, flow));
  const sent = [
    18446744073709551615n,
    -170141183460469231731687303715884105728n,
    'tea \u2028 \u{1f375}',
    null,
    true,
    new Uint8Array([0, 255]),
    { deep: [{ list: [] }], __proto: 1n },
  ];
  for (const value of sent) {
    const run = await flows.start(deployment_id, { in: value });
    expect(await flows.output(run)).toEqual({ out: value });
  }
  const tagged = await flows.start(deployment_id, {}, { inputs: { in: { F: '1e-7' } } });
  expect(await flows.output(tagged)).toEqual({ out: 1e-7 });
  expect(await flows.outputValues(tagged)).toEqual({ out: { F: '1e-7' } });
  const both = flows.start(deployment_id, { in: 1 }, { inputs: { in: { N: 0 } } });
  expect(await errorOf(both)).toMatchObject({ code: 'value_invalid', status: 0 });
  expect(await errorOf(flows.start(deployment_id, { in: new Date(0) as never }))).toMatchObject({
    code: 'value_invalid',
    message: expect.stringContaining('The input in cannot be converted to a value'),
  });
});

it('anybody can start an anonymous deployment by a public key, and continue with the token of the run', async () => {
  const { deployment_id } = await flows.deploy(await storeFlow(owner, waitFlow(300)));
  const { publicKey } = makeKeypair();
  const refused = await errorOf(nobody.start(deployment_id, { n: 1 }, { publicKey }));
  expect(refused).toMatchObject({ code: 'deployment_not_found', status: 404 });
  await open(deployment_id);
  expect(await errorOf(nobody.start(deployment_id, { n: 1 }))).toMatchObject({ code: 'unauthenticated', status: 401 });
  const run = await nobody.start(deployment_id, { n: 1 }, { publicKey });
  expect((await nobody.run(run)).started_by_public_key).toBe(publicKey);
  expect(await errorOf(nobody.run(run.flow_run_id))).toMatchObject({ code: 'flow_run_not_found' });
  expect(await nobody.output(run)).toEqual({ out: 1n });
  await nobody.stop(run);
  // A signed-in user may also start by a public key, as a caller without an account does.
  for (const somebody of [flows, scripted]) {
    const asNobody = await somebody.start(deployment_id, { n: 2 }, { publicKey });
    expect(await flows.run(asNobody)).toMatchObject({ started_by: null, started_by_public_key: publicKey });
    expect(await somebody.output(asNobody)).toEqual({ out: 2n });
  }
});

describe('the log of a run', () => {
  it('is read whole at any length, and from any line on', async () => {
    const { deployment_id } = await flows.deploy(await storeFlow(owner, loggingFlow()));
    const run = await flows.start(deployment_id, { n: 450 });
    await flows.output(run);
    const lines = await collect(flows.logs(run));
    expect(lines.map(({ log_index }) => log_index)).toEqual(lines.map((_, index) => index));
    expect(lines.filter(({ content }) => /^\d+$/.test(content))).toHaveLength(450);
    expect(await collect(flows.logs(run, { after: 440 }))).toEqual(lines.slice(441));
  });

  it('is followed until the run ends, with each line once', async () => {
    const flow = new FlowBuilder();
    const element = flow.foreach(flow.range(flow.input('n')));
    const printed = flow.use('print', { print: element }, { title: 'print' }).output('__print_output');
    flow.output('out', flow.collect(flow.wait(printed, 1_200)));
    const { deployment_id } = await flows.deploy(await storeFlow(owner, flow));
    const run = await flows.start(deployment_id, { n: 3 });
    const lines = await collect(flows.logs(run, { follow: true }));
    expect((await flows.run(run)).end_time).not.toBeNull();
    expect(lines).toEqual(await collect(flows.logs(run)));
    expect(lines.filter(({ content }) => /^[012]$/.test(content))).toHaveLength(3);
  });

  it('is refused to others, and stops when the caller aborts', async () => {
    const { deployment_id } = await flows.deploy(await storeFlow(owner, waitFlow(60_000)));
    const run = await flows.start(deployment_id, { n: 1 });
    expect(await errorOf(collect(stranger.logs(run.flow_run_id)))).toMatchObject({ code: 'flow_run_not_found' });
    const ended = new AbortController();
    const following = errorOf(collect(flows.logs(run, { follow: true, signal: ended.signal })));
    ended.abort();
    expect(await following).toMatchObject({ code: 'aborted' });
    await flows.stop(run);
  });
});

describe('signature requests', () => {
  it('come one after the other, are answered, and end with the run', async () => {
    const claimed = await makeClaimedRun(owner.id);
    const run = { flow_run_id: claimed.id, token: claimed.token };
    const [payer, other] = [makeKeypair(), makeKeypair()];
    const keys = new Map([payer, other].map((pair) => [pair.publicKey, pair]));
    await askFor(claimed, payer);
    await askFor(claimed, other);
    const asked: string[] = [];
    for await (const request of nobody.signatureRequests(run)) {
      asked.push(request.pubkey);
      const signature = signMessage(keys.get(request.pubkey)!, request.message);
      const answer = asked.length === 1 ? signature : base58.decode(signature);
      await nobody.submitSignature(request.id, answer);
      if (asked.length === 2) await claimed.end();
    }
    expect(asked).toEqual([payer.publicKey, other.publicKey]);
  });

  it('are yielded once until the time is over if nobody answers', async () => {
    const claimed = await makeClaimedRun(owner.id);
    await askFor(claimed, makeKeypair());
    const requests = await collect(
      nobody.signatureRequests({ flow_run_id: claimed.id, token: claimed.token }, { timeoutMs: 1_500 }),
    );
    expect(requests).toHaveLength(1);
    await claimed.end();
  });

  it('refuse a wrong signature with the error of the backend, and accept a changed message', async () => {
    const claimed = await makeClaimedRun(owner.id);
    const payer = makeKeypair();
    const id = await askFor(claimed, payer, makeMessage(payer.publicKey));
    const wrong = await errorOf(flows.submitSignature(id, new Uint8Array(64)));
    expect(wrong).toMatchObject({ code: 'signature_invalid', status: 400 });
    const changed = makeMessage(payer.publicKey, { price: 7n });
    await flows.submitSignature(id, signMessage(payer, changed), { newMessage: base64.decode(changed) });
    const { data } = await owner.client.from('signature_requests').select('new_msg').eq('id', id).single()
      .throwOnError();
    expect(data.new_msg).toBe(changed);
    await claimed.end();
  });
});

describe("another user's", () => {
  it('flow, deployment and run are not found', async () => {
    const { deployment_id } = await flows.deploy(shop);
    const run = await flows.start(deployment_id);
    const notFound = { status: 404 };
    expect(await errorOf(stranger.storeFlow({ nodes: [], edges: [] }, { id: shop }))).toMatchObject({
      ...notFound,
      code: 'flow_not_found',
    });
    expect(await errorOf(stranger.deploy(shop))).toMatchObject({ ...notFound, code: 'flow_not_found' });
    expect(await errorOf(stranger.tag(deployment_id, 'mine'))).toMatchObject({
      ...notFound,
      code: 'deployment_not_found',
    });
    for (const id of [run.flow_run_id, randomUUID()]) {
      expect(await errorOf(stranger.output(id))).toMatchObject({ ...notFound, code: 'flow_run_not_found' });
      expect(await errorOf(stranger.stop(id))).toMatchObject({ ...notFound, code: 'flow_run_not_found' });
      expect(await errorOf(stranger.run(id))).toMatchObject({ ...notFound, code: 'flow_run_not_found' });
    }
    expect(await stranger.runs({ deployment: deployment_id })).toEqual([]);
  });
});

describe('errors of the backend keep all their parts:', () => {
  it('the findings of an invalid flow, from a function', async () => {
    const twice = { ...editorFlowToRow(exampleFlow), nodes: [...exampleFlow.nodes, exampleFlow.nodes[0]!] };
    const error = await errorOf(flows.deploy(await flows.storeFlow(twice)));
    expect(error).toMatchObject({ code: 'flow_invalid', status: 422 });
    expect(error.details).toContainEqual(expect.objectContaining({ code: expect.any(String) }));
  });

  it('the details of PostgREST, which sends them as text', async () => {
    const { deployment_id } = await flows.deploy(shop);
    await flows.deploy(shop);
    expect(await errorOf(flows.tag(deployment_id, 'latest'))).toMatchObject({
      code: 'tag_latest_protected',
      status: 409,
    });
    expect(await errorOf(flows.tag(deployment_id, 'not a tag'))).toMatchObject({ status: 400 });
    expect(await errorOf(flows.runs({ deployment: 'x' }))).toMatchObject({ status: 400 });
  });

  it('a malformed API key, and a flow that is no number', async () => {
    const { API_URL: url, PUBLISHABLE_KEY: key } = inject('stack');
    const client = createFlowClient({ url, key, apiKey: 'fk_none' });
    expect(await errorOf(client.runs())).toMatchObject({ code: 'api_key_invalid', status: 401 });
    expect(await errorOf(client.start(1))).toMatchObject({ code: 'api_key_invalid', status: 401 });
    expect(await errorOf(flows.deploy('7' as never))).toMatchObject({ code: 'value_invalid' });
    expect(() => editorFlowToRow({ nodes: 7 })).toThrow(
      /This is not a flow as an editor exports it: nodes: must be an array/,
    );
  });
});

it('a client is unauthenticated before a sign-in, and acts as the user after it', async () => {
  const supabase = makeClient();
  const client = createFlowClient(supabase);
  expect(await errorOf(client.start(shop))).toMatchObject({ code: 'unauthenticated' });
  await supabase.auth.signUp({ email: `${randomUUID()}@example.com`, password: randomUUID() });
  expect(await errorOf(client.start(shop))).toMatchObject({ code: 'deployment_not_found' });
});

describe('a run that waits for an input', () => {
  const startAsking = async () => {
    const { deployment_id } = await flows.deploy(await storeFlow(owner, askingFlow()));
    await open(deployment_id);
    return deployment_id;
  };
  const waiting = (client: FlowClient, run: RunReference) => waitFor(async () => (await client.pendingInputs(run))[0]);

  it('is listed for the holder of its token, and continues with the submitted value', async () => {
    const run = await nobody.start(await startAsking(), {}, { publicKey: makeKeypair().publicKey });
    const input = await waiting(nobody, run);
    expect(await scripted.pendingInputs(run.flow_run_id)).toEqual([input]);
    expect(await stranger.pendingInputs(run.flow_run_id)).toEqual([]);
    // Without a run's id, the client lists the inputs of all runs that the caller owns or started.
    expect(await flows.pendingInputs()).toContainEqual(input);
    expect(await stranger.pendingInputs()).toEqual([]);
    const idempotencyKey = randomUUID();
    const value = { ok: true, amount: 12345678901234567890n, bytes: new Uint8Array([1, 2]) };
    await nobody.submitInput(input.url, value, { idempotencyKey });
    await nobody.submitInput(input.url, value, { idempotencyKey });
    expect(await nobody.output(run)).toEqual({ answer: value });
    expect(await nobody.pendingInputs(run)).toEqual([]);
    expect((await errorOf(nobody.submitInput(input.url, value))).code).toBe('pending_input_answered');
  });

  it('accepts plain values, and fails its node when it is cancelled', async () => {
    const deployment = await startAsking();
    const [one, two] = await Promise.all([flows.start(deployment), flows.start(deployment)]);
    await flows.submitInput((await waiting(flows, one)).url, null);
    expect(await flows.output(one)).toEqual({ answer: null });
    // The token of the input is enough; no URL is needed.
    await nobody.cancelInput((await waiting(flows, two)).url.split('/').at(-1)!);
    expect((await errorOf(flows.output(two))).code).toBe('run_failed');
  });

  it("can't be answered by another URL, and a token is sent to the client's own project only", async () => {
    for (const url of ['', 'https://example.com/', 'https://example.com/flow/submit/fi_x']) {
      expect((await errorOf(nobody.submitInput(url, 1))).code).toBe('client_invalid');
    }
    const elsewhere = `https://example.invalid/flow/submit/fi_${'A'.repeat(43)}`;
    expect((await errorOf(nobody.cancelInput(elsewhere))).code).toBe('pending_input_not_found');
  });
});
