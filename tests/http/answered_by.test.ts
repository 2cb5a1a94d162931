import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { FlowBuilder, type FormJson } from '../support/flow_builder.ts';
import { answer, askingFlow, pendingInputs } from '../support/pending_inputs.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { accessToken, asSuperuser, clientWith, createApiKey } from '../support/tokens.ts';

const PUBLIC_KEY = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';
const CONFIRMED = `${randomUUID()}@example.com`;
const UNCONFIRMED = `${randomUUID()}@example.com`;

let owner: Person;
let starter: Person;
let stranger: Person;
let listed: Person;
let unconfirmed: Person;

/** Gives a user an e-mail address, confirmed or not. */
const setEmail = (person: Person, email: string, isConfirmed: boolean) =>
  asSuperuser((sql) =>
    sql`update auth.users set email = ${email}, email_confirmed_at = ${isConfirmed ? new Date() : null}
      where id = ${person.id}`
  );

beforeAll(async () => {
  [owner, starter, stranger, listed, unconfirmed] = await Promise.all([
    signUp(),
    signUp(),
    signUp(),
    signUp(),
    signUp(),
  ]);
  await Promise.all([
    setEmail(listed, CONFIRMED.toUpperCase(), true),
    setEmail(unconfirmed, UNCONFIRMED, false),
    setEmail(owner, `${owner.id}@example.com`, true),
  ]);
});

/** Starts a run that asks; by default, the starter starts it. */
async function asking(answered_by: FormJson, byGuest = false): Promise<{ run: string; token: string; url: string }> {
  const flow = askingFlow({ answered_by, title: 'May we pay?', choices: ['yes', 'no'] });
  const id = await deploy(owner, await storeFlow(owner, flow));
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', id).throwOnError();
  const started = byGuest
    ? await (await call(`deployment/start?id=${id}`, { token: PUBLIC_KEY })).json()
    : await start(starter, `id=${id}`);
  const [input] = await pendingInputs(owner, started.flow_run_id);
  return { run: started.flow_run_id, token: started.token, url: input!.url };
}

const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });
const YES = { values: 'yes' };
const UNKNOWN = `fi_${'0'.repeat(43)}`;

/** Checks that the callers get the answer of an unknown token, also to a wrong body and a cancellation. */
async function expectRefusals(url: string, callers: Record<string, string>[]): Promise<void> {
  const unknown = await (await answer(url.replace(/fi_.*$/, UNKNOWN), YES)).json();
  for (const headers of [{}, { authorization: 'Bearer nonsense' }, ...callers]) {
    for (const body of [YES, { values: 'maybe' }, { wrong: 1 }, undefined]) {
      const response = await answer(url, body, headers);
      expect([response.status, await response.json()]).toEqual([404, unknown]);
    }
  }
}

async function expectAnswer(run: string, url: string, headers: Record<string, string>, by: string | null) {
  const key = { 'idempotency-key': randomUUID() };
  expect((await answer(url, { values: 'maybe' }, headers)).status).toBe(400);
  expect((await answer(url, YES, { ...headers, ...key })).status).toBe(200);
  expect((await answer(url, YES, { ...headers, ...key })).status).toBe(200);
  expect(await finishedRun(owner, run)).toMatchObject({ output: { M: { answer: { S: 'yes' } } } });
  const { data } = await owner.client.from('node_run').select('answered_by, answered_at, start_time, end_time')
    .eq('flow_run_id', run).not('answered_at', 'is', null).throwOnError();
  expect(data).toEqual([expect.objectContaining({ answered_by: by })]);
  const { answered_at, start_time, end_time } = data[0]!;
  expect(new Date(answered_at!) >= new Date(start_time) && new Date(answered_at!) <= new Date(end_time!)).toBe(true);
}

it('the owner answers, and nobody else does', async () => {
  const { run, token, url } = await asking('owner');
  await expectRefusals(url, [
    bearer(starter),
    bearer(stranger),
    bearer({ token }),
    { 'x-flow-run-token': token },
    bearer({ token: await accessToken(owner.id, { secret: 'x'.repeat(40) }) }),
    bearer({ token: await accessToken(owner.id, { expiresIn: -60 }) }),
  ]);
  const { data } = await starter.client.from('pending_inputs').select('id').eq('root_flow_run_id', run).throwOnError();
  expect(data).toEqual([]);
  const { key } = await createApiKey(owner);
  await expectAnswer(run, url, { 'x-api-key': key }, `${owner.id}@example.com`);
});

it('the user who started the run answers, and the run token alone does not do', async () => {
  const { run, token, url } = await asking('starter');
  await expectRefusals(url, [bearer(owner), bearer(stranger), bearer({ token })]);
  const { data } = await asSuperuser((sql) => sql`select email from auth.users where id = ${starter.id}`)
    .then(([row]) => ({ data: row!.email as string }));
  await expectAnswer(run, url, bearer(starter), data);
});

it('a guest who started the run answers with the run token', async () => {
  const { run, token, url } = await asking('starter', true);
  await expectRefusals(url, [bearer(owner), bearer(stranger)]);
  const client = clientWith({ 'x-flow-run-token': token });
  expect(await pendingInputs({ client }, run)).toMatchObject([{ url, answered_by: 'starter', starter: null }]);
  await expectAnswer(run, url, { 'x-flow-run-token': token }, 'a guest');
});

it('a listed person with a confirmed address answers, and sees only the question', async () => {
  const { run, token, url } = await asking([CONFIRMED, UNCONFIRMED]);
  const claimed = { token: await accessToken(stranger.id) };
  await expectRefusals(url, [bearer(owner), bearer(starter), bearer(unconfirmed), bearer(claimed), bearer({ token })]);
  const { data: seen } = await listed.client.from('pending_inputs').select('*, may_answer').throwOnError();
  expect(seen).toMatchObject([{ url, title: 'May we pay?', may_answer: true, answered_by: 'listed' }]);
  for (const person of [unconfirmed, stranger]) {
    expect((await person.client.from('pending_inputs').select('id').throwOnError()).data).toEqual([]);
  }
  expect((await listed.client.from('flow_run').select('id').throwOnError()).data).toEqual([]);
  expect((await listed.client.from('node_run').select('node_id').throwOnError()).data).toEqual([]);
  for (const path of [`flow/output/${run}`, `flow/events/${run}`]) {
    expect((await call(path, { method: 'GET', token: listed.token })).status).toBe(404);
  }
  // An address that is confirmed later counts from then on.
  await setEmail(unconfirmed, UNCONFIRMED, true);
  expect((await unconfirmed.client.from('pending_inputs').select('id').throwOnError()).data).toHaveLength(1);
  await expectAnswer(run, url, bearer(listed), CONFIRMED);
});

it('anyone with the link answers, also with a credential that is not valid', async () => {
  const { run, url } = await asking('anyone_with_the_link');
  await expectAnswer(run, url, { authorization: 'Bearer nonsense' }, null);
});

it('no edge and no wrong setting chooses who may answer: the node fails', async () => {
  const flow = askingFlow({ answered_by: 'me' });
  const { flow_run_id } = await start(owner, `id=${await deploy(owner, await storeFlow(owner, flow))}`);
  const { errors } = await finishedRun(owner, flow_run_id);
  expect(errors?.join()).toContain('bad_config: answered_by: must be owner, starter, anyone_with_the_link');

  const edged = new FlowBuilder();
  const node = edged.node('api_input', {
    inputs: ['answered_by?'],
    outputs: ['value'],
    form: { answered_by: 'owner' },
  });
  edged.connect(edged.input('who'), node.input('answered_by'));
  edged.output('answer', node.output('value'));
  const run = await start(owner, `id=${await deploy(owner, await storeFlow(owner, edged))}`, {
    inputs: { who: { S: 'anyone_with_the_link' } },
  });
  expect((await finishedRun(owner, run.flow_run_id)).errors?.join()).toContain('there is no input "answered_by"');
});
