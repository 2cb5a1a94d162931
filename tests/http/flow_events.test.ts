import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../types/run_event.ts';
import { readEvents } from '../../client/requests/event_stream.ts';
import { NO_PROGRESS } from '../../runner/queue/claim/claims.ts';
import { type ClaimedRun, makeClaimedRun, stackClaims } from '../support/claimed_run.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { answer, askingFlow, pendingInputs } from '../support/pending_inputs.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { rest } from '../support/rest.ts';
import { askFor } from '../support/signature_requests.ts';
import { asSuperuser, createApiKey } from '../support/tokens.ts';

/** A constant of the owner's flows that nobody else may read. */
const SECRET = 'only the owner knows';

let owner: Person;
let starter: Person;
let other: Person;
let run: { flow_run_id: string; token: string };
let failed: { flow_run_id: string; token: string };

const watch = (id: string, token: string | undefined, after?: number | string, signal?: AbortSignal) =>
  call(`flow/events/${id}`, {
    method: 'GET',
    ...(token !== undefined && { token }),
    ...(after !== undefined && { headers: { 'last-event-id': String(after) } }),
    ...(signal && { signal }),
  });

async function eventsOf(response: Response): Promise<RunEvent[]> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const events: RunEvent[] = [];
  for await (const event of readEvents(response.body!)) events.push(event);
  return events;
}

beforeAll(async () => {
  [owner, starter, other] = await Promise.all([signUp(), signUp(), signUp()]);
  const secret = new FlowBuilder();
  secret.output('secret', secret.constant({ S: SECRET }));
  const asking = new FlowBuilder();
  const heard = asking.interflow(await storeFlow(owner, secret), {}, ['secret'], 'ask').output('secret');
  asking.output('length', asking.script('print(a); a.len', { a: heard }, 1, 'measure').output('u'));
  const failing = new FlowBuilder();
  failing.output('said', failing.script(`throw "${SECRET}"`, {}, 1, 'try').output('u'));
  const ids = await Promise.all(
    [asking, failing].map(async (flow) => await deploy(owner, await storeFlow(owner, flow))),
  );
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).in('id', ids).throwOnError();
  [run, failed] = await Promise.all(ids.map((id) => start(starter, `id=${id}`))) as [typeof run, typeof run];
  await Promise.all([run, failed].map(({ flow_run_id }) => finishedRun(owner, flow_run_id)));
});

/** Returns for each event its name, the name of its node, and whether it belongs to a called run. */
const outline = (events: RunEvent[]) =>
  events.map((
    { event, data },
  ) => [event, 'name' in data ? data.name : null, data.called_by === null ? 'root' : 'called']);

describe('the events of a run', () => {
  it('come in the order in which the nodes ran, with those of the runs that it called', async () => {
    const events = await eventsOf(await watch(run.flow_run_id, owner.token));
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    const named = outline(events).filter(([, name]) =>
      name !== null && !['flow_output', 'const'].includes(String(name))
    );
    expect(outline(events).at(0)).toEqual(['run_start', null, 'root']);
    expect(outline(events).at(-1)).toEqual(['run_finish', null, 'root']);
    expect(named.filter(([, , where]) => where === 'root')).toEqual([
      ['node_start', 'ask', 'root'],
      ['node_finish', 'ask', 'root'],
      ['node_start', 'measure', 'root'],
      ['log', 'measure', 'root'],
      ['node_finish', 'measure', 'root'],
      ['node_start', 'length', 'root'],
      ['node_finish', 'length', 'root'],
    ]);
    // The events of the called run are between the start and the end of the node that called it.
    const place = (event: string, name: string | null | undefined, where: string) =>
      outline(events).findIndex((row) => JSON.stringify(row) === JSON.stringify([event, name, where]));
    const called = [place('run_start', null, 'called'), place('run_finish', null, 'called')];
    expect([place('node_start', 'ask', 'root'), ...called, place('node_finish', 'ask', 'root')])
      .toEqual(
        [...called, place('node_start', 'ask', 'root'), place('node_finish', 'ask', 'root')].toSorted((a, b) => a - b),
      );
    expect(events.find(({ event, data }) => event === 'run_start' && data.called_by !== null)?.data.called_by)
      .toMatchObject({ flow_run_id: run.flow_run_id, times: 0 });
  });

  it('match the stored rows, each once', async () => {
    const events = await eventsOf(await watch(run.flow_run_id, owner.token));
    const rows = await asSuperuser((sql) =>
      sql<{ key: string }[]>`
        with tree as (select id from public.flow_run where ${run.flow_run_id} in (id, parent_flow_run_id))
        select concat_ws(' ', e.event, n.flow_run_id, n.node_id) as key from public.node_run as n
        cross join (values ('node_start'), ('node_finish')) as e (event) where n.flow_run_id in (select id from tree)
        union all select concat_ws(' ', 'log', l.flow_run_id, l.node_id) from public.flow_run_logs as l where l.flow_run_id in (select id from tree)
        union all select concat_ws(' ', e.event, tree.id) from tree cross join (values ('run_start'), ('run_finish')) as e (event)`
    );
    const told = events.map(({ event, data }) =>
      [event, data.flow_run_id, ...('node_id' in data ? [data.node_id] : [])].join(' ')
    );
    expect(told.toSorted()).toEqual(rows.map(({ key }) => key).toSorted());
  });

  it('hold values, errors and log lines for the owner', async () => {
    const events = await eventsOf(await watch(run.flow_run_id, owner.token));
    const node = (event: string) =>
      events.find((other) => other.event === event && 'name' in other.data && other.data.name === 'measure')?.data;
    expect(node('node_start')).toMatchObject({ input: { M: { a: { S: SECRET } } } });
    expect(node('node_finish')).toMatchObject({ output: { M: { u: { I: String(SECRET.length) } } } });
    expect(node('log')).toMatchObject({ content: SECRET, log_level: 'Info', module: 'rhai_script_1x1' });
    expect(events.at(-1)).toMatchObject({ event: 'run_finish', data: { status: 'succeeded', errors: null } });
    const [error] = (await eventsOf(await watch(failed.flow_run_id, owner.token))).filter(({ event }) =>
      event === 'node_error'
    );
    expect(error?.data).toMatchObject({ name: 'try', errors: [expect.stringContaining(SECRET)] });
  });

  it('omit values of more than 8 KiB', async () => {
    const flow = new FlowBuilder();
    flow.output('long', flow.script('let s = "x"; for i in 0..14 { s += s; } s', {}, 1, 'make').output('u'));
    const large = await start(owner, `id=${await deploy(owner, await storeFlow(owner, flow))}`);
    const events = await eventsOf(await watch(large.flow_run_id, owner.token));
    const ends = events.filter(({ event, data }) => event === 'node_finish' && 'name' in data && data.name === 'make');
    expect(ends.map(({ data }) => 'output' in data && data.output)).toEqual([null]);
  });

  /** The callers who may see the run but do not own the flow, with their credentials. */
  const watchers: Record<string, () => Promise<RequestInit & { token?: string }>> = {
    'who started it': async () => ({ token: starter.token }),
    'their API key': async () => ({ headers: { 'x-api-key': (await createApiKey(starter)).key } }),
    'the holder of its token': async () => ({ headers: { 'x-flow-run-token': run.token } }),
  };
  it.each(Object.keys(watchers))('hold only names and times for %s', async (label) => {
    const credential = await watchers[label]!();
    const response = await call(`flow/events/${run.flow_run_id}`, { method: 'GET', ...credential });
    const events = await eventsOf(response);
    expect(JSON.stringify(events)).not.toContain(SECRET);
    expect(new Set(events.flatMap(({ data }) => Object.keys(data)))).toEqual(
      new Set(['flow_run_id', 'called_by', 'time', 'node_id', 'times', 'name', 'attempt', 'is_taken_over', 'status']),
    );
    const all = await eventsOf(await watch(run.flow_run_id, owner.token));
    expect(outline(events)).toEqual(outline(all.filter(({ event }) => event !== 'log')));
  });

  it('hold the error of a failed node only for the owner', async () => {
    const events = await eventsOf(await watch(failed.flow_run_id, failed.token));
    expect(JSON.stringify(events)).not.toContain(SECRET);
    expect(outline(events)).toContainEqual(['node_error', 'try', 'root']);
    expect(events.at(-1)?.data).toMatchObject({ status: 'failed' });
  });

  it('are the same by the RPC, page by page', async () => {
    const streamed = await eventsOf(await watch(run.flow_run_id, owner.token));
    const paged: RunEvent[] = [];
    for (let hasMore = true; hasMore;) {
      const { data } = await owner.client.rpc('flow_run_events', {
        flow_run_id: run.flow_run_id,
        after: paged.at(-1)?.id ?? 0,
      }).throwOnError();
      // SAFETY: the function returns a page of this shape.
      const page = data as unknown as { events: RunEvent[]; has_more: boolean };
      paged.push(...page.events);
      hasMore = page.has_more;
    }
    expect(paged).toEqual(streamed);
  });
});

describe('a run that waits for a value', () => {
  it('sends all watchers the URL until the value is submitted', async () => {
    const flow = new FlowBuilder();
    const calledId = await storeFlow(owner, askingFlow());
    flow.output('answer', flow.interflow(calledId, {}, ['answer']).output('answer'));
    const id = await deploy(owner, await storeFlow(owner, flow));
    await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', id).throwOnError();
    const asking = await start(starter, `id=${id}`);
    const asked = async (token: string) => {
      for await (const event of readEvents((await watch(asking.flow_run_id, token)).body!)) {
        if (event.event === 'api_input') return event;
      }
      throw new Error('The stream ended without the event.');
    };
    const told = await Promise.all([owner, starter, asking].map(({ token }) => asked(token)));
    const [input] = await pendingInputs(owner, asking.flow_run_id);
    const { id: inputId, node_id, flow_run_id, times, url, expires_at, created_at } = input!;
    for (const { data } of told) {
      expect(data).toEqual({
        id: inputId,
        node_id,
        flow_run_id,
        times,
        url,
        expires_at,
        time: created_at,
        name: 'Approve',
        called_by: expect.objectContaining({ flow_run_id: asking.flow_run_id }),
      });
    }
    expect((await answer(url, { values: 1 })).status).toBe(200);
    const events = await eventsOf(await watch(asking.flow_run_id, owner.token));
    expect(events.filter(({ event }) => event === 'api_input').map(({ data }) => data)).toEqual([
      { ...told[0]!.data, url: null },
    ]);
    expect(outline(events).filter(([, name]) => name === 'Approve')).toEqual([
      ['node_start', 'Approve', 'called'],
      ['api_input', 'Approve', 'called'],
      ['log', 'Approve', 'called'],
      ['node_finish', 'Approve', 'called'],
    ]);
  });
});

describe('a watcher who reconnects', () => {
  it('continues after the event that it names', async () => {
    const all = await eventsOf(await watch(run.flow_run_id, owner.token));
    for (const { id } of all.slice(0, -1)) {
      expect(await eventsOf(await watch(run.flow_run_id, owner.token, id))).toEqual(all.slice(id));
    }
  });

  it('gets a 204 after the last event', async () => {
    const all = await eventsOf(await watch(run.flow_run_id, owner.token));
    const response = await watch(run.flow_run_id, owner.token, all.length);
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  it.each(['x', '-1', '1.5', '2147483647', '2147483648', '99999999999', '1000'])(
    'is refused with the id %s',
    async (id) => {
      const response = await watch(run.flow_run_id, owner.token, id);
      const { code, message } = await response.json();
      expect([response.status, code, message]).toEqual([
        400,
        'request_invalid',
        expect.stringMatching(/^The header Last-Event-ID is invalid: must be /),
      ]);
    },
  );
});

describe('other callers', () => {
  it('get the same 404 as for a missing run', async () => {
    const answers = await Promise.all([
      watch(run.flow_run_id, other.token),
      watch(randomUUID(), other.token),
      watch(run.flow_run_id, failed.token),
      watch(randomUUID(), owner.token),
    ]);
    const bodies = await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]));
    expect(new Set(bodies.map(String)).size).toBe(1);
    expect(bodies[0]).toEqual([404, expect.stringContaining('flow_run_not_found')]);
  });

  it('without a credential get a 401', async () => {
    const response = await watch(run.flow_run_id, undefined);
    expect([response.status, (await response.json()).code]).toEqual([401, 'unauthenticated']);
    const { status } = await rest('rpc/watched_run_events', {
      method: 'POST',
      token: owner.token,
      body: JSON.stringify({ flow_run_ids: [run.flow_run_id], after: [0] }),
    });
    expect([401, 403]).toContain(status);
  });
});

// The tests run concurrently, because two of them last until a stream looks for events by itself.
describe.concurrent('during a run', () => {
  const claims = stackClaims();
  const progress = (live: ClaimedRun, nodeId: string, end_time: string | null) => ({
    ...NO_PROGRESS,
    node_runs: [{
      flow_run_id: live.id,
      node_id: nodeId,
      times: 0,
      attempt: 1,
      retry_at: null,
      start_time: new Date().toISOString(),
      end_time,
      input: { M: {} },
      output: end_time === null ? null : { M: {} },
      errors: null,
      start_position: 1,
      end_position: end_time === null ? null : 2,
    }],
  });

  it('its events pass the gateway as soon as they are stored, and the stream ends with the run', async () => {
    const live = await makeClaimedRun(owner.id);
    const response = await watch(live.id, live.token);
    const events = readEvents(response.body!);
    expect((await events.next()).value).toMatchObject({ id: 1, event: 'run_start' });
    const nodeId = randomUUID();
    await claims.checkpoint(live.claim, progress(live, nodeId, null));
    expect((await events.next()).value).toMatchObject({ id: 2, event: 'node_start', data: { node_id: nodeId } });
    await claims.checkpoint(live.claim, progress(live, nodeId, new Date().toISOString()));
    expect((await events.next()).value).toMatchObject({ id: 3, event: 'node_finish', data: { node_id: nodeId } });
    const { publicKey } = makeKeypair();
    const id = await askFor(live, { publicKey } as never);
    expect((await events.next()).value).toMatchObject({
      id: 4,
      event: 'signature_request',
      data: { id, pubkey: publicKey },
    });
    await asSuperuser((sql) => sql`select private.end_flow_run(${live.id}, 'stopped')`);
    expect((await events.next()).value).toMatchObject({ id: 5, event: 'run_finish', data: { status: 'stopped' } });
    expect(await events.next()).toEqual({ value: undefined, done: true });
  });

  it('the stream of a deleted run ends', async () => {
    const live = await makeClaimedRun(owner.id);
    const events = readEvents((await watch(live.id, owner.token)).body!);
    await events.next();
    await asSuperuser((sql) => sql`delete from public.flow_run where id = ${live.id}`);
    expect(await events.next()).toEqual({ value: undefined, done: true });
  });

  it('a queued run has no events, and its stream sends them all after its start', async () => {
    const [flow] = await owner.client.from('flows').insert({}).select('id').throwOnError().then(({ data }) => data);
    const queued = await asSuperuser(async (sql) => {
      const [row] = await sql`
        insert into public.flow_run (user_id, flow_id, inputs, chain_network)
        values (${owner.id}, ${flow!.id}, '{"M": {}}', '{"cluster": "devnet"}') returning id`;
      return row!['id'] as string;
    });
    const events = readEvents((await watch(queued, owner.token)).body!);
    const next = events.next();
    await asSuperuser((sql) =>
      sql`update public.flow_run set status = 'running', start_time = now() where id = ${queued}`
    );
    expect((await next).value).toMatchObject({ id: 1, event: 'run_start' });
    await events.return();
  });
});
