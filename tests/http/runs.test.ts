import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, makeClient, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { asSuperuser, clientWith, createApiKey } from '../support/tokens.ts';

const PUBLIC_KEY = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';

let owner: Person;
let other: Person;
let flowId: number;
let openDeployment: string;

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  flowId = await storeFlow(owner, textFlow(), { is_public: true, start_shared: true, start_unverified: true });
  openDeployment = await deploy(owner, flowId);
});

const startAs = async (token: string, headers: Record<string, string> = {}) =>
  await (await call(`deployment/start?id=${openDeployment}`, { token, headers })).json() as {
    flow_run_id: string;
    token: string;
  };

const get = (path: string, token?: string, headers?: Record<string, string>) =>
  call(path, { method: 'GET', token, headers });

/** A run that stays queued: its row is stored as for any run, but its message in the queue is delayed. */
async function queuedRun(person: Person): Promise<{ flow_run_id: string; token: string }> {
  return await asSuperuser((sql) =>
    sql.begin(async (tx) => {
      await tx`select set_config('request.jwt.claims', ${
        JSON.stringify({ sub: person.id, role: 'authenticated' })
      }, true)`;
      const [{ started }] = await tx<[{ started: { flow_run_id: string; token: string } }]>`
        select public.start_deployment(id => ${openDeployment}::uuid) as started`;
      await tx`
        update private.flow_run_jobs set state = 'sleeping', due_at = now() + interval '1 hour'
        where flow_run_id = ${started.flow_run_id}`;
      return started;
    })
  );
}

describe('GET /flow/output/{flow_run_id}', () => {
  it('waits for the run and answers with its bare output, to owner, starter and holder of the token', async () => {
    const run = await startAs(other.token);
    for (const token of [owner.token, other.token, run.token]) {
      const response = await get(`flow/output/${run.flow_run_id}`, token);
      expect([response.status, await response.json()]).toEqual([200, { M: { text: { S: 'nothing' } } }]);
    }
  });

  it('answers 202 with the status when the time is over', async () => {
    const { flow_run_id } = await queuedRun(owner);
    for (const wait of ['0', '0.3']) {
      const response = await get(`flow/output/${flow_run_id}?wait=${wait}`, owner.token);
      expect([response.status, await response.json()]).toEqual([202, { status: 'queued' }]);
    }
  });

  it('answers 409 run_failed with errors and output when the run has failed', async () => {
    const flow = textFlow();
    const missing = flow.node('teleport', { title: 'Beam' });
    const failing = await storeFlow(owner, flow);
    const { flow_run_id } = await start(owner, `id=${await deploy(owner, failing)}`);
    const response = await get(`flow/output/${flow_run_id}`, owner.token);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      code: 'run_failed',
      details: {
        errors: [`Beam ${missing.id}: node_not_implemented: there is no node teleport`],
        output: { M: { text: { S: 'nothing' } } },
      },
    });
  });

  it("answers the same 404 for another user's run and a missing one, and 401 without a credential and to a wrong token", async () => {
    const run = await startAs(owner.token);
    const another = await startAs(owner.token);
    const answers = await Promise.all(
      [[run.flow_run_id, other.token], [randomUUID(), other.token], [run.flow_run_id, another.token]].map(
        async ([id, token]) => {
          const response = await get(`flow/output/${id}`, token);
          return [response.status, await response.text()];
        },
      ),
    );
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(answers[0]?.[0]).toBe(404);
    expect((await get(`flow/output/${run.flow_run_id}`)).status).toBe(401);
    expect((await get(`flow/output/${run.flow_run_id}`, PUBLIC_KEY)).status).toBe(401);
    const forged = run.token.slice(0, -2) + (run.token.endsWith('AA') ? 'BB' : 'AA');
    expect((await get(`flow/output/${run.flow_run_id}`, forged)).status).toBe(401);
    expect((await get(`flow/output/nonsense`, owner.token)).status).toBe(400);
    expect((await get(`flow/output/${run.flow_run_id}?wait=x`, owner.token)).status).toBe(400);
  });
});

describe('POST /flow/stop/{flow_run_id}', () => {
  it('stops a queued run at once, so that it never runs', async () => {
    const { flow_run_id, token } = await queuedRun(owner);
    const response = await call(`flow/stop/${flow_run_id}`, { token });
    expect([response.status, await response.json()]).toEqual([200, { success: true }]);
    const run = await finishedRun(owner, flow_run_id);
    expect(run).toMatchObject({ status: 'stopped', start_time: null, errors: null, output: { M: {} } });
    expect(run.not_run).toHaveLength(3);
    const output = await get(`flow/output/${flow_run_id}`, owner.token);
    expect([output.status, (await output.json()).code]).toEqual([409, 'run_stopped']);
    await call('runner', { token: inject('stack').SERVICE_ROLE_KEY });
    expect((await finishedRun(owner, flow_run_id)).status).toBe('stopped');
  });

  it('does not change a run that has ended', async () => {
    const { flow_run_id } = await startAs(owner.token);
    await finishedRun(owner, flow_run_id);
    expect((await call(`flow/stop/${flow_run_id}`, { token: owner.token })).status).toBe(200);
    expect((await finishedRun(owner, flow_run_id)).status).toBe('succeeded');
  });

  it('refuses callers who may not see the run, and invalid bodies', async () => {
    const { flow_run_id } = await queuedRun(owner);
    expect((await call(`flow/stop/${flow_run_id}`, { token: other.token })).status).toBe(404);
    expect((await call(`flow/stop/${flow_run_id}`)).status).toBe(401);
    const response = await call(`flow/stop/${flow_run_id}`, {
      token: owner.token,
      body: '{"timeout_millies": 300001}',
      headers: { 'content-type': 'application/json' },
    });
    expect([response.status, (await response.json()).details[0].path]).toEqual([400, 'timeout_millies']);
  });
});

describe('POST /flow/start/{flow_id}', () => {
  it("runs the owner's present flow, without a deployment", async () => {
    const ownFlow = await storeFlow(owner, textFlow());
    const response = await call(`flow/start/${ownFlow}`, {
      token: owner.token,
      body: '{"inputs": {"value": {"S": "now"}}}',
      headers: { 'content-type': 'application/json' },
    });
    const { flow_run_id } = await response.json();
    expect(await finishedRun(owner, flow_run_id)).toMatchObject({
      deployment_id: null,
      flow_id: ownFlow,
      output: { M: { text: { S: 'now' } } },
    });

    const edited = new FlowBuilder();
    edited.output('edited', edited.constant({ S: 'later' }));
    await owner.client.from('flows').update(edited.row() as never).eq('id', ownFlow).throwOnError();
    const again = await (await call(`flow/start/${ownFlow}`, { token: owner.token })).json();
    expect((await finishedRun(owner, again.flow_run_id)).output).toEqual({ M: { edited: { S: 'later' } } });
    expect((await finishedRun(owner, flow_run_id)).output).toEqual({ M: { text: { S: 'now' } } });
  });

  it("answers the same 404 for another user's flow, public or not, and a missing one, and 422 for one that can't run", async () => {
    const answers = await Promise.all([flowId, 2_147_483_647].map(async (id) => {
      const response = await call(`flow/start/${id}`, { token: other.token });
      return [response.status, await response.text()];
    }));
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(404);
    const flow = textFlow();
    flow.edges.push(flow.edges[0]!);
    const invalid = await storeFlow(owner, flow);
    expect((await call(`flow/start/${invalid}`, { token: owner.token })).status).toBe(422);
    expect((await call(`flow/start/${invalid}`)).status).toBe(401);
  });
});

describe('Idempotency-Key', () => {
  const begin = (token: string, key: string, options: { query?: string; body?: string } = {}) =>
    call(`deployment/start?${options.query ?? `id=${openDeployment}`}`, {
      token,
      body: options.body ?? '{"inputs": {"value": {"S": "x"}}}',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
    });

  it('returns the same run and token for repeated and concurrent requests', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => await (await begin(owner.token, key)).json()),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const { data } = await owner.client.from('flow_run').select('id').eq('id', answers[0].flow_run_id);
    expect(data).toHaveLength(1);
    const sameInOtherWords = await begin(owner.token, key, { body: ' {"inputs":{ "value":{"S":"x"} }} ' });
    expect(await sameInOtherWords.json()).toEqual(answers[0]);
  });

  it('answers 409 to a different request with the same key, and separates callers', async () => {
    const key = randomUUID();
    const first = await (await begin(owner.token, key)).json();
    for (const options of [{ body: '{}' }, { query: `flow=${flowId}` }, { query: `flow=${flowId}&tag=latest` }]) {
      const response = await begin(owner.token, key, options);
      expect([response.status, (await response.json()).code]).toEqual([409, 'idempotency_key_reused']);
    }
    expect((await (await begin(other.token, key)).json()).flow_run_id).not.toBe(first.flow_run_id);
    expect((await (await begin(PUBLIC_KEY, key)).json()).flow_run_id).not.toBe(first.flow_run_id);
  });

  it('compares the query as sent, even if the tag has moved', async () => {
    const ownFlow = await storeFlow(owner, textFlow());
    await deploy(owner, ownFlow);
    const key = randomUUID();
    const first = await (await begin(owner.token, key, { query: `flow=${ownFlow}` })).json();
    await deploy(owner, ownFlow);
    expect(await (await begin(owner.token, key, { query: `flow=${ownFlow}` })).json()).toEqual(first);
  });

  it('checks the permission first, and expires after 24 hours', async () => {
    const key = randomUUID();
    const first = await (await begin(owner.token, key)).json();
    await owner.client.from('flow_deployments').update({ start_permission: 'Owner' }).eq('id', openDeployment)
      .throwOnError();
    expect((await begin(other.token, key)).status).toBe(404);
    await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', openDeployment)
      .throwOnError();
    await asSuperuser((sql) =>
      sql`update private.idempotency_keys set created_at = now() - interval '25 hours' where flow_run_id = ${first.flow_run_id}`
    );
    expect((await (await begin(owner.token, key)).json()).flow_run_id).not.toBe(first.flow_run_id);
  });

  it('needs 22 characters from a caller with only a public key, and may have 255 at most', async () => {
    expect((await begin(PUBLIC_KEY, 'short')).status).toBe(400);
    expect((await begin(PUBLIC_KEY, 'x'.repeat(22))).status).toBe(200);
    expect((await begin(owner.token, 'x')).status).toBe(200);
    expect((await (await begin(owner.token, 'x'.repeat(256))).json()).code).toBe('idempotency_key_invalid');
  });

  it('works for a normal run too', async () => {
    const ownFlow = await storeFlow(owner, textFlow());
    const key = randomUUID();
    const begun = await Promise.all(
      [1, 2].map(async () =>
        await (await call(`flow/start/${ownFlow}`, { token: owner.token, headers: { 'idempotency-key': key } })).json()
      ),
    );
    expect(begun[0]).toEqual(begun[1]);
  });
});

describe('API keys and run tokens on /rest/v1', () => {
  it('lets the holder of an API key read and write as its owner, and refuses a wrong key', async () => {
    const { key } = await createApiKey(owner);
    const client = clientWith({ 'x-api-key': key });
    const { data } = await client.from('flows').insert({ name: 'by key' }).select('user_id').single().throwOnError();
    expect(data?.user_id).toBe(owner.id);
    expect((await client.rpc('whoami')).data).toEqual({ user_id: owner.id, is_anonymous: false });
    const wrong = await clientWith({ 'x-api-key': `${key.slice(0, -1)}!` }).from('flows').select('id');
    expect([wrong.status, wrong.error?.code]).toEqual([401, 'api_key_invalid']);
  });

  it('shows a key once, stores only its hash, lists it by prefix, and refuses to make keys with keys', async () => {
    const { id, key } = await createApiKey(owner, 'ci');
    expect(key).toMatch(/^fk_[\w-]{43}$/);
    const { data } = await owner.client.from('api_keys').select('*').eq('id', id).single();
    expect(data).toEqual({
      id,
      user_id: owner.id,
      name: 'ci',
      prefix: key.slice(0, 10),
      created_at: expect.any(String),
    });
    expect((await other.client.from('api_keys').select('*').eq('id', id)).data).toEqual([]);
    const stored = await asSuperuser((sql) =>
      sql`select h::text as row from private.api_key_hashes as h union all select k::text from public.api_keys as k`
    );
    expect(JSON.stringify(stored)).not.toContain(key.slice(12));
    const byKey = await clientWith({ 'x-api-key': key }).rpc('create_api_key', { name: 'more' });
    expect([byKey.status, byKey.error?.code]).toEqual([403, 'token_required']);
    expect((await owner.client.rpc('create_api_key', { name: '' })).status).toBe(400);
    expect((await makeClient().rpc('create_api_key', { name: 'x' })).status).toBe(401);
  });

  it('shows only this run to the holder of a run token', async () => {
    const run = await startAs(PUBLIC_KEY);
    await startAs(PUBLIC_KEY);
    await finishedRun(owner, run.flow_run_id);
    const client = clientWith({ 'x-flow-run-token': run.token });
    const { data } = await client.from('flow_run').select('*');
    expect(data?.map((row) => row.id)).toEqual([run.flow_run_id]);
    expect((await client.from('node_run').select('*')).status).toBe(401);
    const forged = await clientWith({ 'x-flow-run-token': `fr_${'A'.repeat(64)}` }).from('flow_run').select('*');
    expect([forged.status, forged.error?.code]).toEqual([401, 'token_invalid']);
    expect((await makeClient().from('flow_run').select('*')).data).toEqual([]);
  });
});
