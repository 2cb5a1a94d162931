import { beforeAll, describe, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { rest } from '../support/rest.ts';
import { createApiKey } from '../support/tokens.ts';

const PUBLIC_KEY = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';
/** A constant of the owner's flows that nobody else may read. */
const SECRET = 'only the owner knows';

let owner: Person;
let starter: Person;
let other: Person;
let runId: string;
let childId: string;
let grandchildId: string;
let ofKey: { flow_run_id: string; token: string };

beforeAll(async () => {
  [owner, starter, other] = await Promise.all([signUp(), signUp(), signUp()]);
  const secret = new FlowBuilder();
  secret.output('secret', secret.constant({ S: SECRET }));
  const middle = new FlowBuilder();
  middle.output('secret', middle.interflow(await storeFlow(owner, secret), {}, ['secret']).output('secret'));
  const asking = new FlowBuilder();
  const heard = asking.interflow(await storeFlow(owner, middle), {}, ['secret']).output('secret');
  asking.output('length', asking.script('a.len', { a: heard }).output('u'));
  const deploymentId = await deploy(owner, await storeFlow(owner, asking));
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', deploymentId)
    .throwOnError();
  runId = (await start(starter, `id=${deploymentId}`)).flow_run_id;
  ofKey = await (await call(`deployment/start?id=${deploymentId}`, { token: PUBLIC_KEY })).json();
  await Promise.all([finishedRun(owner, runId), finishedRun(owner, ofKey.flow_run_id)]);
  const idOfChild = async (id: string) =>
    (await owner.client.from('flow_run').select('id').eq('parent_flow_run_id', id).single().throwOnError()).data.id;
  childId = await idOfChild(runId);
  grandchildId = await idOfChild(childId);
});

it('the owner reads the inputs and outputs of called runs', async () => {
  const { data } = await owner.client.from('flow_run').select('*').in('id', [childId, grandchildId]).order('id')
    .throwOnError();
  expect(data.map((run) => run.output)).toEqual([
    { M: { secret: { S: SECRET } } },
    { M: { secret: { S: SECRET } } },
  ]);
  const response = await call(`flow/output/${childId}`, { method: 'GET', token: owner.token });
  expect([response.status, await response.json()]).toEqual([200, { M: { secret: { S: SECRET } } }]);
});

describe('of called runs', () => {
  /** The callers who may see the root run, with their credentials. */
  const callers: Record<string, () => Promise<{ token?: string; headers?: Record<string, string>; rootId: string }>> = {
    'who started it': async () => ({ token: starter.token, rootId: runId }),
    'their API key': async () => ({ headers: { 'x-api-key': (await createApiKey(starter)).key }, rootId: runId }),
    'the holder of the run token': async () => ({
      headers: { 'x-flow-run-token': ofKey.token },
      rootId: ofKey.flow_run_id,
    }),
  };

  it.each(Object.entries(callers))('%s sees id, status and times, and nothing else', async (_who, makeCaller) => {
    const { rootId, ...caller } = await makeCaller();
    const rows = await rest('flow_run?select=*', caller);
    expect(rows.body.map((row: { id: string }) => row.id)).toEqual([rootId]);

    const seen: string[] = [JSON.stringify(rows.body)];
    let id = rootId;
    for (let depth = 0; depth < 2; depth++) {
      const { status, body } = await rest('rpc/called_flow_runs', { ...caller, body: { flow_run_id: id } });
      expect([status, body]).toEqual([200, [{
        id: expect.any(String),
        status: 'succeeded',
        created_at: expect.any(String),
        start_time: expect.any(String),
        end_time: expect.any(String),
        parent_flow_run_id: id,
        parent_node_id: expect.any(String),
        parent_times: 0,
      }]]);
      seen.push(JSON.stringify(body));
      id = body[0].id;

      const output = await call(`flow/output/${id}`, { method: 'GET', ...caller });
      const unknown = await call(`flow/output/${owner.id}`, { method: 'GET', ...caller });
      const text = await output.text();
      expect([output.status, text]).toEqual([unknown.status, await unknown.text()]);
      expect(JSON.parse(text).code).toBe('flow_run_not_found');
      expect((await rest('rpc/flow_run_result', { ...caller, body: { flow_run_id: id } })).status).toBe(404);
      // A request to stop this run concerns the whole tree of runs, which has already ended.
      expect((await call(`flow/stop/${id}`, caller)).status).toBe(200);
    }
    expect(seen.join()).not.toContain(SECRET);
  });

  it('other callers get the same 404', async () => {
    const ask = (id: string) => rest('rpc/called_flow_runs', { token: other.token, body: { flow_run_id: id } });
    const answers = await Promise.all([runId, childId, other.id].map(ask));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await rest('rpc/called_flow_runs', { body: { flow_run_id: runId } })).body.code).toBe('unauthenticated');
    expect((await rest(`flow_run?select=id&id=in.(${runId},${childId})`, { token: other.token })).body).toEqual([]);
  });
});
