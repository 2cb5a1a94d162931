import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readEvents } from '../../client/requests/event_stream.ts';
import { createFlowClient } from '../../client/index.ts';
import type { RunEvent } from '../../types/run_event.ts';
import { type EffectServer, startEffectServer } from '../support/effect_server.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';
import { type Gate, makeGate } from '../support/gate.ts';
import { answer, pendingInputs } from '../support/pending_inputs.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { anonymousSignIn, asSuperuser, createApiKey } from '../support/tokens.ts';

let owner: Person;
let other: Person;
let effects: EffectServer;
const gates: Gate[] = [];

beforeAll(async () => {
  [owner, other, effects] = await Promise.all([signUp(), signUp(), startEffectServer(0)]);
});
afterAll(() => Promise.all([effects?.close(), ...gates.map((gate) => gate.close())]));

async function newGate(): Promise<Gate> {
  const gate = await makeGate();
  gates.push(gate);
  return gate;
}

/** Adds a node that posts each value to its own path. Returns a port with the path. */
const post = (flow: FlowBuilder, base: string, value: Port, title: string): Port => {
  const url = flow.script(`if a == () { throw "nothing" } "${base}/" + a`, { a: value }, 1, `${title} url`).output('u');
  const posted = flow.use('http_request', { url }, { form: { method: 'POST' }, title });
  return flow.field('path', posted.output('body'), `${title} path`);
};

/** Adds nodes that output the value if the gate is open, and fail otherwise. */
const pass = (flow: FlowBuilder, gate: Gate, value: Port, title = 'gate'): Port => {
  const url = flow.script(`"${gate.url}?" + a`, { a: value }, 1, `${title} url`).output('u');
  const got = flow.use('http_request', { url }, { form: { method: 'GET' }, title });
  return flow.script('if b == () { throw "closed" } a', { a: value, b: got.output('body') }, 1, `${title} passed`)
    .output('u');
};

const redrive = async (person: Pick<Person, 'token'>, runId: string, query = '', headers = {}) => {
  const response = await call(`flow/redrive/${runId}${query}`, { token: person.token, headers });
  return { status: response.status, body: await response.json() };
};

/** Returns the owner's events of a run that has ended. */
async function eventsOf(runId: string): Promise<RunEvent[]> {
  const response = await call(`flow/events/${runId}`, { method: 'GET', token: owner.token });
  const events: RunEvent[] = [];
  for await (const event of readEvents(response.body!)) events.push(event);
  return events;
}

/** Starts a flow of the owner and waits for the end of the run. Returns the run. */
async function runOf(flow: FlowBuilder) {
  const flowId = await storeFlow(owner, flow);
  const { flow_run_id } = await (await call(`flow/start/${flowId}`, { token: owner.token })).json();
  return await finishedRun(owner, flow_run_id);
}

/** For each path below this base, returns the number of requests that the effect server received. */
const countsOf = (base: string) =>
  Object.fromEntries(
    [...effects.counts].filter(([path]) => path.startsWith(base)).map((
      [path, count],
    ) => [path.slice(base.length), count]),
  );

const nodeRuns = async (runId: string) => {
  const { data } = await owner.client.from('node_run').select('*').eq('flow_run_id', runId).order('node_id').order(
    'times',
  )
    .throwOnError();
  return data;
};

describe('a run of loops and called flows', () => {
  it('continues after its failure, repeats no effect, and ends with the same output as without the failure', async () => {
    const base = `/${randomUUID()}`;
    const gate = await newGate();
    const called = new FlowBuilder();
    const given = called.input('n');
    const first = post(called, `${effects.url}${base}/called`, given, 'post');
    called.output('done', called.script('a', { a: pass(called, gate, given), b: first }, 1).output('u'));
    const calledId = await storeFlow(owner, called);

    const flow = new FlowBuilder();
    const element = flow.foreach(flow.json([0, 1, 2]));
    const before = post(flow, `${effects.url}${base}/before`, element, 'before');
    const through = pass(flow, gate, element);
    const after = post(flow, `${effects.url}${base}/after`, through, 'after');
    flow.output('paths', flow.collect(after));
    flow.output('before', flow.collect(before));
    flow.output('called', flow.interflow(calledId, { n: flow.json(7) }, ['done']).output('done'));

    const failed = await runOf(flow);
    expect(failed.status).toBe('failed');
    expect(countsOf(base)).toEqual({ '/before/0': 1, '/before/1': 1, '/before/2': 1, '/called/7': 1 });
    const rows = await nodeRuns(failed.id);
    expect(rows.every((row) => !row.is_taken_over)).toBe(true);

    gate.open();
    const { status, body } = await redrive(owner, failed.id);
    expect([status, body]).toEqual([200, {
      flow_run_id: expect.any(String),
      token: expect.stringMatching(/^fr_/),
    }]);
    const redriven = await finishedRun(owner, body.flow_run_id);
    expect(countsOf(base)).toEqual({
      '/before/0': 1,
      '/before/1': 1,
      '/before/2': 1,
      '/called/7': 1,
      '/after/0': 1,
      '/after/1': 1,
      '/after/2': 1,
    });
    expect(redriven).toMatchObject({
      redriven_from: failed.id,
      inputs: failed.inputs,
      flow_id: failed.flow_id,
      started_by: owner.id,
    });
    expect(redriven.output).toMatchObject({
      M: {
        paths: { A: [0, 1, 2].map((n) => ({ S: `${base}/after/${n}` })) },
        before: { A: [0, 1, 2].map((n) => ({ S: `${base}/before/${n}` })) },
        called: { D: '7' },
      },
    });
    // The failed run is unchanged, and the taken-over executions equal the executions of that run.
    expect(await nodeRuns(failed.id)).toEqual(rows);
    expect(await finishedRun(owner, failed.id)).toEqual(failed);
    const taken = (await nodeRuns(redriven.id)).filter((row) => row.is_taken_over);
    expect(taken.length).toBeGreaterThan(10);
    for (const { flow_run_id: _, is_taken_over: __, ...row } of taken) {
      expect(rows).toContainEqual({ ...row, flow_run_id: failed.id, is_taken_over: false });
    }

    // Watchers get an event for each execution. The events of taken-over executions come first.
    const events = await eventsOf(redriven.id);
    const executed = (event: string) =>
      events.flatMap(({ event: other, data }) =>
        other === event && 'attempt' in data && data.flow_run_id === redriven.id
          ? [[data.node_id, data.times, data.is_taken_over].join(' ')]
          : []
      ).toSorted();
    const all = (await nodeRuns(redriven.id)).map((row) => [row.node_id, row.times, row.is_taken_over].join(' '))
      .toSorted();
    expect(executed('node_start')).toEqual(all);
    expect(executed('node_finish')).toEqual(all);
    const places = (nodeName: string, event: string) =>
      events.flatMap(({ id, event: other, data }) =>
        other === event && 'name' in data && data.name === nodeName && data.flow_run_id === redriven.id ? [id] : []
      );
    expect(Math.max(...places('before url', 'node_finish'))).toBeGreaterThan(0);
    for (const [first, next] of [['before url', 'before path'], ['after url', 'after path']] as const) {
      const [finishes, starts] = [places(first, 'node_finish'), places(next, 'node_start')];
      expect([finishes.length, starts.length]).toEqual([3, 3]);
      starts.forEach((start, index) => expect(start).toBeGreaterThan(finishes[index]!));
    }
  });
});

describe('a request that succeeded with other inputs', () => {
  /** A flow that posts the list of the elements that passed the gate, from a called flow. */
  async function flowsOf(base: string, gate: Gate) {
    const called = new FlowBuilder();
    const body = called.input('list');
    const posted = called.use('http_request', { body }, {
      form: { method: 'POST', url: `${effects.url}${base}/list` },
      title: 'post',
    });
    called.output('path', called.field('path', posted.output('body')));
    called.output('checked', pass(called, gate, called.json('end'), 'end'));
    const calledId = await storeFlow(owner, called);
    const flow = new FlowBuilder();
    const open = await newGate();
    open.open();
    const element = flow.foreach(flow.json([1, 2, 3]));
    const url = flow.script(`if a == 2 { "${gate.url}" } else { "${open.url}" }`, { a: element }, 1, 'url').output('u');
    const got = flow.use('http_request', { url }, { form: { method: 'GET' }, title: 'get' });
    const passed = flow.script('if b == () { throw "closed" } a', { a: element, b: got.output('body') }, 1).output('u');
    const list = flow.use('collect', { element: passed }, { form: { on_failed_element: 'leave_out' } }).output('array');
    flow.output('path', flow.interflow(calledId, { list }, ['path', 'checked']).output('path'));
    return { flow, repeated: { flow: calledId, node: posted.id } };
  }

  it('is not sent again, unless the redrive names its node', async () => {
    const base = `/${randomUUID()}`;
    const gate = await newGate();
    const { flow, repeated } = await flowsOf(base, gate);
    const failed = await runOf(flow);
    expect(countsOf(base)).toEqual({ '/list': 1 });
    gate.open();
    const client = createFlowClient(owner.client);
    const first = await client.redrive(failed.id);
    const refused = await finishedRun(owner, first.flow_run_id);
    expect(refused).toMatchObject({
      status: 'failed',
      errors: [expect.stringContaining('effect_already_done: the node succeeded in run')],
    });
    expect(refused.errors?.[0]).toContain('body was a list of 2 and is a list of 3');
    // A redrive of the redrive knows of the request, too.
    const second = await client.redrive(first);
    expect((await finishedRun(owner, second.flow_run_id)).status).toBe('failed');
    expect(countsOf(base)).toEqual({ '/list': 1 });
    const third = await client.redrive(second, { repeatEffects: [repeated] });
    expect(await client.output(third)).toEqual({ path: `${base}/list` });
    expect(countsOf(base)).toEqual({ '/list': 2 });
  });

  it.each([
    ['no list', 'x', /repeat_effects: /],
    [
      'a node of no flow',
      [{ flow_id: 1, node_id: randomUUID() }],
      /repeat_effects: the graph of the run has no flow 1 /,
    ],
    ['another member', [{ flow_id: 1, node_id: randomUUID(), times: 1 }], /repeat_effects/],
    ['no id', [{ flow_id: 1, node_id: 'x' }], /repeat_effects/],
    ['too many nodes', Array.from({ length: 101 }, () => ({ flow_id: 1, node_id: randomUUID() })), /repeat_effects: /],
  ])('is refused with repeat_effects that have %s', async (_, repeat_effects, message) => {
    const flow = new FlowBuilder();
    flow.output('u', flow.script('throw "wrong"', {}, 1).output('u'));
    const failed = await runOf(flow);
    const response = await call(`flow/redrive/${failed.id}`, {
      token: owner.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ repeat_effects }),
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'request_invalid', message: expect.stringMatching(message) }),
    ]);
    const { error } = await owner.client.rpc('redrive_flow_run', {
      flow_run_id: failed.id,
      repeat_effects: repeat_effects as never,
    });
    expect(error).toMatchObject({ code: 'request_invalid', message: expect.stringMatching(message) });
  });
});

describe('a redrive on a newer deployment', () => {
  /** A flow that posts to two paths. It fails at `script` before the second post. */
  const build = (base: string, { script, last = '/second' }: { script: string; last?: string }) => {
    const flow = new FlowBuilder();
    const first = post(flow, `${effects.url}${base}`, flow.input('item', 'first'), 'first');
    const checked = flow.script(script, { a: first }, 1, 'check').output('u');
    flow.output('path', post(flow, `${effects.url}${base}${last}`, checked, 'last'));
    return flow;
  };
  const wrong = 'throw "wrong"';
  const right = '"corrected"';

  /** Runs the faulty flow until it fails, and then deploys each corrected version. */
  async function failAndDeploy(before: FlowBuilder, ...versions: FlowBuilder[]) {
    const flowId = await storeFlow(owner, before);
    const old = await deploy(owner, flowId);
    const failed = await finishedRun(owner, (await start(owner, `id=${old}`)).flow_run_id);
    const ids: string[] = [];
    for (const version of versions) {
      await owner.client.from('flows').update({ ...version.row() as object }).eq('id', flowId).throwOnError();
      ids.push(await deploy(owner, flowId));
    }
    return { failed, ids };
  }

  it('continues with the corrected flow and its settings, and repeats no effect', async () => {
    const base = `/${randomUUID()}`;
    const { failed, ids: [fixed] } = await failAndDeploy(
      build(base, { script: wrong }),
      build(base, { script: right }),
    );
    expect(failed.status).toBe('failed');
    const client = createFlowClient(owner.client);
    const network = { url: 'https://example.com/rpc', cluster: 'testnet' };
    await owner.client.from('flow_deployments').update({ chain_network: network }).eq('id', fixed!).throwOnError();
    const { flow_run_id } = await client.redrive(failed.id, { deployment: fixed });
    expect(await client.output(flow_run_id)).toEqual({ path: `${base}/second/corrected` });
    expect(countsOf(base)).toEqual({ '/first': 1, '/second/corrected': 1 });
    expect(await finishedRun(owner, flow_run_id)).toMatchObject({
      redriven_from: failed.id,
      deployment_id: fixed,
      chain_network: { cluster: 'testnet' },
      started_by: owner.id,
    });
  });

  it('is refused with the list of the nodes that have had effects and differ', async () => {
    const base = `/${randomUUID()}`;
    const before = build(base, { script: wrong });
    const { failed, ids: [other] } = await failAndDeploy(before, build(`${base}/other`, { script: right }));
    // A script that has changed makes the address of the first request. The node that sends the request is unchanged,
    // so the redrive is not refused. But the request was sent, so it is not sent to the new address.
    const { status: accepted, body: continued } = await redrive(owner, failed.id, `?deployment=${other}`);
    expect(accepted).toBe(200);
    expect(await finishedRun(owner, continued.flow_run_id)).toMatchObject({
      status: 'failed',
      error_code: 'effect_already_done',
      errors: [expect.stringMatching(/^first .*: effect_already_done: .* url was a text and is another one$/)],
    });
    expect(countsOf(`${base}/other/first`)).toEqual({});

    const changed = build(base, { script: right });
    const request = changed.nodes.find(({ data }) => data.display_name === 'first')!;
    request.data.targets_form = { form_data: { method: 'PUT' } as never };
    const again = await failAndDeploy(build(base, { script: wrong }), changed);
    const { status, body } = await redrive(owner, again.failed.id, `?deployment=${again.ids[0]}`);
    expect([status, body]).toMatchObject([409, {
      code: 'redrive_graph_changed',
      message: expect.stringContaining(request.id),
      details: [{ flow_run_id: again.failed.id, node_id: request.id, change: 'data' }],
      hint: expect.any(String),
    }]);
    expect((await redrive(owner, again.failed.id)).status).toBe(200);
  });

  it('continues a failed call of a corrected flow inside', async () => {
    const base = `/${randomUUID()}`;
    const calledId = await storeFlow(owner, build(base, { script: wrong }));
    const flow = new FlowBuilder();
    flow.output('path', flow.interflow(calledId, { item: flow.json('first') }, ['path']).output('path'));
    const flowId = await storeFlow(owner, flow);
    const old = await deploy(owner, flowId);
    const failed = await finishedRun(owner, (await start(owner, `id=${old}`)).flow_run_id);
    await owner.client.from('flows').update({ ...build(base, { script: right }).row() as object }).eq('id', calledId)
      .throwOnError();
    const { body } = await redrive(owner, failed.id, `?deployment=${await deploy(owner, flowId)}`);
    expect((await finishedRun(owner, body.flow_run_id)).output).toEqual({
      M: { path: { S: `${base}/second/corrected` } },
    });
    expect(countsOf(base)).toEqual({ '/first': 1, '/second/corrected': 1 });
  });

  it('happens once, even if two are requested at the same time for different deployments', async () => {
    const base = `/${randomUUID()}`;
    const fixed = build(base, { script: right });
    const { failed, ids } = await failAndDeploy(build(base, { script: wrong }), fixed, build(base, { script: '"b"' }));
    const answers = await Promise.all(ids.map((id) => redrive(owner, failed.id, `?deployment=${id}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [made, refused] = answers.toSorted((a, b) => a.status - b.status);
    expect(refused!.body).toMatchObject({
      code: 'run_redriven',
      details: { flow_run_id: made!.body.flow_run_id },
    });
    expect((await finishedRun(owner, made!.body.flow_run_id)).status).toBe('succeeded');
    expect(countsOf(base)['/first']).toBe(1);
  });

  it('is for the owner of the run and of the deployment', async () => {
    const base = `/${randomUUID()}`;
    const { failed, ids: [fixed] } = await failAndDeploy(
      build(base, { script: wrong }),
      build(base, { script: right }),
    );
    const foreign = await deploy(other, await storeFlow(other, new FlowBuilder()));
    const codeOf = async (person: Pick<Person, 'token'>, deployment: string) => {
      const { status, body } = await redrive(person, failed.id, `?deployment=${deployment}`);
      return [status, body.code];
    };
    expect(await codeOf(other, fixed!)).toEqual([404, 'flow_run_not_found']);
    expect(await codeOf(owner, foreign)).toEqual([404, 'deployment_not_found']);
    expect(await codeOf(owner, randomUUID())).toEqual([404, 'deployment_not_found']);
    expect(await codeOf(owner, 'latest')).toEqual([400, 'request_invalid']);
  });
});

/** A flow that fails until the gate is open. */
function gatedFlow(gate: Gate): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('out', pass(flow, gate, flow.input('value', 'x')));
  return flow;
}

describe('a caller who redrives', () => {
  it('must be the owner, by token or API key; all others get the same 404', async () => {
    const gate = await newGate();
    const flowId = await storeFlow(owner, gatedFlow(gate), { is_public: true, start_shared: true });
    const deploymentId = await deploy(owner, flowId);
    const { flow_run_id, token } = await start(other, `id=${deploymentId}`);
    const failed = await finishedRun(owner, flow_run_id);
    expect(failed).toMatchObject({ status: 'failed', started_by: other.id });

    const refused = await Promise.all([
      redrive(other, failed.id),
      redrive(await anonymousSignIn(), failed.id),
      redrive(owner, randomUUID()),
      call(`flow/redrive/${failed.id}`, { headers: { 'x-api-key': (await createApiKey(other)).key } })
        .then(async (response) => ({ status: response.status, body: await response.json() })),
    ]);
    for (const answer of refused) {
      expect(answer).toEqual({
        status: 404,
        body: {
          code: 'flow_run_not_found',
          message: 'There is no such run.',
          details: null,
          hint: null,
          error: 'There is no such run.',
        },
      });
    }
    // The run token shows the run, but is no user's credential.
    expect(await redrive({ token }, failed.id)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(await redrive({ token: inject('stack').SERVICE_ROLE_KEY }, failed.id)).toMatchObject({ status: 401 });

    gate.open();
    const { key } = await createApiKey(owner);
    const response = await call(`flow/redrive/${failed.id}`, { headers: { 'x-api-key': key } });
    const { flow_run_id: redrivenId } = await response.json();
    const redriven = await finishedRun(owner, redrivenId);
    expect(redriven).toMatchObject({ status: 'succeeded', started_by: other.id, deployment_id: deploymentId });
    // The starter of the failed run also sees the redrive.
    expect((await other.client.from('flow_run').select('status').eq('id', redrivenId)).data).toEqual([{
      status: 'succeeded',
    }]);
    expect((await other.client.from('node_run').select('*').eq('flow_run_id', redrivenId)).data).toEqual([]);
  });
});

describe('a redrive', () => {
  it('is allowed once for a run, and again for its redrive', async () => {
    const gate = await newGate();
    const failed = await runOf(gatedFlow(gate));
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 4 }, () => redrive(owner, failed.id, '', key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const { flow_run_id } = answers[0]!.body;
    expect(await redrive(owner, failed.id)).toMatchObject({
      status: 409,
      body: { code: 'run_redriven', details: { flow_run_id } },
    });
    expect(await redrive(owner, failed.id, '?accept_unknown=true', key)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_key_reused' },
    });
    expect(await finishedRun(owner, flow_run_id)).toMatchObject({ status: 'failed' });
    gate.open();
    const again = await redrive(owner, flow_run_id);
    expect(await finishedRun(owner, again.body.flow_run_id)).toMatchObject({
      status: 'succeeded',
      redriven_from: flow_run_id,
    });
    expect(await redrive(owner, again.body.flow_run_id)).toMatchObject({
      status: 409,
      body: { code: 'run_succeeded' },
    });
  });

  it('by two concurrent requests makes one run', async () => {
    const failed = await runOf(gatedFlow(await newGate()));
    const answers = await Promise.all(Array.from({ length: 6 }, () => redrive(owner, failed.id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it('of a run that has not ended is refused', async () => {
    const flow = new FlowBuilder();
    flow.output('out', flow.wait(flow.json('x'), 600_000));
    const flowId = await storeFlow(owner, flow);
    const { flow_run_id } = await (await call(`flow/start/${flowId}`, { token: owner.token })).json();
    expect(await redrive(owner, flow_run_id)).toMatchObject({ status: 409, body: { code: 'run_not_ended' } });
    await call(`flow/stop/${flow_run_id}`, { token: owner.token });
    expect(await finishedRun(owner, flow_run_id)).toMatchObject({ status: 'stopped' });
    const { body } = await redrive(owner, flow_run_id);
    await call(`flow/stop/${body.flow_run_id}`, { token: owner.token });
    expect(await finishedRun(owner, body.flow_run_id)).toMatchObject({ status: 'stopped', redriven_from: flow_run_id });
  });

  it('of a called run redrives the whole tree', async () => {
    const gate = await newGate();
    const called = gatedFlow(gate);
    const calledId = await storeFlow(owner, called);
    const flow = new FlowBuilder();
    flow.output('out', flow.interflow(calledId, {}, ['out']).output('out'));
    const failed = await runOf(flow);
    const { data } = await owner.client.from('flow_run').select('id').eq('parent_flow_run_id', failed.id).single();
    gate.open();
    const { body } = await redrive(owner, data!.id);
    expect(await finishedRun(owner, body.flow_run_id)).toMatchObject({ status: 'succeeded', redriven_from: failed.id });
  });

  it('needs neither the deployment nor the unchanged flow', async () => {
    const gate = await newGate();
    const flowId = await storeFlow(owner, gatedFlow(gate));
    const deploymentId = await deploy(owner, flowId);
    const { flow_run_id } = await start(owner, `id=${deploymentId}`);
    await finishedRun(owner, flow_run_id);
    await owner.client.from('flow_deployments').delete().eq('id', deploymentId).throwOnError();
    await owner.client.from('flows').update({ nodes: [], edges: [] }).eq('id', flowId).throwOnError();
    await asSuperuser((sql) => sql`select private.delete_unused_snapshots(1000)`);
    gate.open();
    const { body } = await redrive(owner, flow_run_id);
    expect(await finishedRun(owner, body.flow_run_id)).toMatchObject({
      status: 'succeeded',
      deployment_id: deploymentId,
      output: { M: { out: { S: 'x' } } },
    });
  });

  it('refuses unknown parameters', async () => {
    const failed = await runOf(gatedFlow(await newGate()));
    for (const query of ['?accept_unknown=yes', '?accept_unknown=', '?accept_unknown=true&accept_unknown=true']) {
      expect(await redrive(owner, failed.id, query)).toMatchObject({ status: 400, body: { code: 'request_invalid' } });
    }
    expect(await redrive(owner, 'x')).toMatchObject({ status: 400 });
    const response = await call(`flow/redrive/${failed.id}`, {
      token: owner.token,
      body: '{"inputs": {}}',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(400);
    expect((await call(`flow/redrive/${failed.id}`, { method: 'GET', token: owner.token })).status).toBe(405);
  });

  it('can be made by the client', async () => {
    const gate = await newGate();
    const failed = await runOf(gatedFlow(gate));
    const client = createFlowClient(owner.client);
    gate.open();
    const redriven = await client.redrive(failed.id);
    expect(await client.output(redriven)).toEqual({ out: 'x' });
    await expect(client.redrive(failed.id)).rejects.toMatchObject({ code: 'run_redriven' });
  });
});

describe('failed runs of a flow', () => {
  it('are redriven together, by their error and time', async () => {
    const gate = await newGate();
    const flowId = await storeFlow(owner, gatedFlow(gate));
    const deploymentId = await deploy(owner, flowId);
    const runs = await Promise.all(Array.from({ length: 3 }, () => start(owner, `id=${deploymentId}`)));
    for (const { flow_run_id } of runs) await finishedRun(owner, flow_run_id);
    const ids = runs.map(({ flow_run_id }) => flow_run_id).toSorted();
    const none = await owner.client.rpc('redrive_flow_runs', { flow: flowId, error_code: 'worker_lost' });
    expect(none.data).toEqual([]);
    gate.open();
    const { data } = await owner.client.rpc('redrive_flow_runs', { deployment: deploymentId, max_runs: 2 })
      .throwOnError();
    expect(data).toEqual(
      ids.slice(0, 2).map((id) => ({ flow_run_id: id, redriven_as: expect.any(String), error: null })),
    );
    for (const { redriven_as } of data) {
      expect(await finishedRun(owner, redriven_as)).toMatchObject({ status: 'succeeded' });
    }
    const rest = await owner.client.rpc('redrive_flow_runs', { flow: flowId }).throwOnError();
    expect(rest.data.map((row) => row.flow_run_id)).toEqual(ids.slice(2));
    expect((await other.client.rpc('redrive_flow_runs', { flow: flowId })).error).toMatchObject({
      code: 'flow_not_found',
    });
    expect((await other.client.rpc('redrive_flow_runs', { deployment: deploymentId })).error).toMatchObject({
      code: 'deployment_not_found',
    });
  });
});

describe('a pending input of a failed run', () => {
  it('is taken over if it was answered, and else requested again', async () => {
    const flow = new FlowBuilder();
    flow.output('approved', flow.use('api_input', {}, { title: 'approve' }).output('value'));
    flow.output('name', flow.use('api_input', {}, { title: 'name' }).output('value'));
    const flowId = await storeFlow(owner, flow);
    const { flow_run_id } = await (await call(`flow/start/${flowId}`, { token: owner.token })).json();
    const urlsOf = async (runId: string, count: number) => {
      const titles = new Map(flow.nodes.map((node) => [node.id, node.data.display_name]));
      const inputs = await pendingInputs(owner, runId, count);
      return Object.fromEntries(inputs.map(({ node_id, url }) => [titles.get(node_id), url]));
    };
    const asked = await urlsOf(flow_run_id, 2);
    expect((await answer(asked.approve!, { values: true })).status).toBe(200);
    // Cancel the input, because waiting for its expiry would take too long.
    expect((await answer(asked.name!)).status).toBe(200);
    const failed = await finishedRun(owner, flow_run_id);
    expect(failed).toMatchObject({ status: 'failed', errors: [expect.stringContaining('input_cancelled')] });

    const { body } = await redrive(owner, flow_run_id);
    const again = await urlsOf(body.flow_run_id, 1);
    expect(Object.keys(again)).toEqual(['name']);
    expect(again.name).not.toBe(asked.name);
    expect((await answer(again.name!, { values: 'Ann' })).status).toBe(200);
    expect(await finishedRun(owner, body.flow_run_id)).toMatchObject({
      status: 'succeeded',
      output: { M: { approved: { B: true }, name: { S: 'Ann' } } },
    });
    const told = (await eventsOf(body.flow_run_id)).filter(({ event }) => event === 'api_input');
    expect(told.map(({ data }) => 'name' in data && data.name)).toEqual(['name']);
  });
});
