import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { connect, type Sql } from '../../dev/stack/postgres/postgres.ts';
import { type ClaimedRun, makeClaimedRun } from '../support/claimed_run.ts';
import { type CountedFlow, serveCountedFlow } from './counted_flow.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { type Person, signUp } from '../support/people.ts';
import { askFor } from '../support/signature_requests.ts';
import { asSuperuser } from '../support/tokens.ts';
import { waitFor } from '../support/wait.ts';

const ROUTES = ['output', 'signature_request'];

let owner: Person;
let flow: CountedFlow;
let [left, right]: ClaimedRun[] = [];

beforeAll(async () => {
  owner = await signUp();
});
beforeEach(async () => {
  [left, right] = await Promise.all([makeClaimedRun(owner.id), makeClaimedRun(owner.id)]);
  flow?.forget();
});

type Run = Pick<ClaimedRun, 'id' | 'token'>;

/** Stores runs of one flow that no worker executes. */
const makeRuns = (count: number): Promise<Run[]> =>
  asSuperuser(async (sql) => {
    const [flow] = await sql`insert into public.flows (user_id) values (${owner.id}) returning id`;
    return await sql<(Run & Record<string, unknown>)[]>`
      insert into public.flow_run (user_id, flow_id, status, start_time, inputs, chain_network)
      select ${owner.id}, ${flow!.id}, 'running', now(), '{"M": {}}', '{"cluster": "devnet"}'
      from generate_series(1, ${count}) returning id, private.run_token(id) as token`;
  });

/** Returns the status of an answer, and the error's code if there is one. */
async function readAnswer(response: Response | string): Promise<string> {
  if (typeof response === 'string') return response;
  const body = response.status === 204 ? {} : await response.json() as { code?: string };
  return [response.status, body.code].join(' ').trim();
}

describe('without SUPABASE_DB_URL', () => {
  /**
   * A number of looks. A look is one query for all waiting callers together. If none of so many looks in a row asks for
   * a run, no caller waits for that run. During the first ten seconds of a wait, there is a look every tenth of a
   * second.
   */
  const ENOUGH_LOOKS = 20;

  beforeAll(async () => {
    flow = await serveCountedFlow();
  });
  afterAll(() => flow?.stop());

  it.each(ROUTES)('the function stops polling for the %s of a run after its caller has disconnected', async (route) => {
    const [goes, stays] = [new AbortController(), new AbortController()];
    const answers = [
      flow.ask(route, left!, { signal: goes.signal }),
      flow.ask(route, right!, { signal: stays.signal }),
    ];
    await waitFor(() => flow.looks().some((line) => line.includes(left!.id) && line.includes(right!.id)) || undefined);
    goes.abort();
    expect(await answers[0]).toBe('AbortError');
    await waitFor(() => {
      const last = flow.looks().slice(-ENOUGH_LOOKS);
      return last.every((line) => !line.includes(left!.id) && line.includes(right!.id)) || undefined;
    });
    stays.abort();
    await answers[1];
    // After the disconnection, the function makes no further request for this caller.
    const told = flow.asked().filter((line) =>
      line.includes('rpc/') && !line.includes('asking') && line.includes(left!.id)
    );
    expect(told).toHaveLength(1);
  });

  it('hundreds of waiting callers share one look, and hold no database connection', async () => {
    const all = new AbortController();
    const waiting = Array.from({ length: 300 }, () => flow.ask('output', left!, { signal: all.signal }));
    await waitFor(() =>
      flow.asked().filter((line) => line.includes('await_flow_run_result')).length === 300 || undefined
    );
    await waitFor(() => flow.looks().length > 0 || undefined);
    // Another caller is answered meanwhile.
    expect(await readAnswer(await flow.ask('output', right!, { wait: 0 }))).toBe('202');
    await left!.end();
    const answers = await Promise.all((await Promise.all(waiting)).map(readAnswer));
    expect(new Set(answers)).toEqual(new Set(['409 run_stopped']));
    // There is one call for each caller. The shared looks are not counted here.
    const own = flow.asked().filter((line) => line.includes(left!.id) && !flow.looks().includes(line));
    expect(own).toHaveLength(300);
  });
});

describe('with SUPABASE_DB_URL', () => {
  let sql: Sql;

  beforeAll(async () => {
    const { DB_URL } = inject('stack');
    sql = connect(DB_URL, { max: 2 });
    flow = await serveCountedFlow({ SUPABASE_DB_URL: DB_URL });
  });
  afterAll(async () => {
    await flow?.stop();
    await sql?.end();
  });

  /** Ends runs like a worker. */
  const end = (...runs: Run[]) =>
    sql`select private.end_flow_run(r.id, 'stopped') from unnest(${runs.map(({ id }) => id)}::uuid[]) as r (id)`;

  /** Lists the sessions that follow these runs, each with its process id. */
  const followers = async (...runs: Run[]): Promise<{ pid: number; runs: number }[]> =>
    await sql<{ pid: number; runs: number }[]>`
      select l.pid, count(distinct r.id)::integer as runs
      from unnest(${runs.map(({ id }) => id)}::uuid[]) as r (id)
      join pg_locks as l on l.locktype = 'advisory' and l.granted
        and (l.classid, l.objid) = (hashtext('private.announce_run_news/ends')::oid, uuid_hash(r.id)::oid)
      group by l.pid`;

  /** Resolves when one session follows all of these runs, with the id of its process. */
  const areFollowed = (...runs: Run[]): Promise<number> =>
    waitFor(async () => {
      const [session, ...others] = await followers(...runs);
      expect(others).toEqual([]);
      return session?.runs === runs.length ? session.pid : undefined;
    });

  /** Returns the time of a session's last query. */
  const lastAsked = async (pid: number): Promise<string | undefined> => {
    const [row] = await sql`select query_start::text as at from pg_stat_activity where pid = ${pid}`;
    return row?.['at'];
  };

  it('one session receives the end, without a request to PostgREST until then, and with one query in 15 s', async () => {
    const waiting = flow.ask('output', left!);
    const pid = await areFollowed(left!);
    // Do not count the call of `turn_owners`, which the function makes once.
    const askedForRuns = () => flow.asked().filter((line) => !line.startsWith('/rest/v1/rpc/turn_owners')).length;
    const asked = askedForRuns();
    const began = performance.now();
    const times = new Set<string | undefined>();
    // If the function polled, it would look dozens of times during these calls.
    const others = 100;
    for (let call = 0; call < others; call++) {
      times.add(await lastAsked(pid));
      await flow.ask('output', right!, { wait: 0 });
    }
    expect(times).not.toContain(undefined);
    expect(askedForRuns()).toBe(asked + others);
    // The session has made one query to follow the run, and since then at most one in 15 s.
    expect(times.size).toBeLessThanOrEqual(2 + (performance.now() - began) / 15_000);
    await end(left!);
    expect(await readAnswer(await waiting)).toBe('409 run_stopped');
    expect(askedForRuns()).toBe(asked + others);
    await waitFor(async () => (await followers(left!)).length === 0 || undefined);
  });

  it('one session serves hundreds of callers who wait for as many runs', async () => {
    const runs = await makeRuns(200);
    const waiting = runs.map((run) => flow.ask('output', run));
    await areFollowed(...runs);
    await end(...runs);
    const answers = await Promise.all((await Promise.all(waiting)).map(readAnswer));
    expect(new Set(answers)).toEqual(new Set(['409 run_stopped']));
    await waitFor(async () => (await followers(...runs)).length === 0 || undefined);
  });

  it('callers who wait for a signature request get it when it is made, or learn that none will come', async () => {
    const waiting = [left!, right!].map((run) => flow.ask('signature_request', run));
    await areFollowed(left!, right!);
    const looks = flow.looks().length;
    const id = await askFor(left!, makeKeypair());
    const request = await waiting[0];
    expect(request).toBeInstanceOf(Response);
    expect(await (request as Response).json()).toMatchObject({ id, flow_run_id: left!.id });
    await end(right!);
    expect(await readAnswer(await waiting[1]!)).toBe('404 signature_request_not_found');
    expect(flow.looks().length).toBe(looks);
  });

  it.each(ROUTES)('the run of a disconnected caller is unfollowed, for the %s', async (route) => {
    const [goes, stays] = [new AbortController(), new AbortController()];
    const answers = [
      flow.ask(route, left!, { signal: goes.signal }),
      flow.ask(route, right!, { signal: stays.signal }),
    ];
    await areFollowed(left!, right!);
    goes.abort();
    expect(await answers[0]).toBe('AbortError');
    await waitFor(async () => (await followers(left!)).length === 0 || undefined);
    expect(await followers(right!)).toHaveLength(1);
    stays.abort();
    await answers[1];
    await waitFor(async () => (await followers(right!)).length === 0 || undefined);
  });

  it('waiting callers are answered although the session is ended meanwhile', async () => {
    const waiting = [left!, right!].map((run) => flow.ask('output', run));
    const pid = await areFollowed(left!, right!);
    flow.forget();
    await sql.begin(async (tx) => {
      // No session is notified of this end: the transaction that ends the run begins before the session ends, but
      // commits afterwards.
      await tx`select private.end_flow_run(${left!.id}, 'stopped')`;
      await sql`select pg_terminate_backend(${pid})`;
      await waitFor(() => flow.looks().length > 0 || undefined);
    });
    expect(await readAnswer(await waiting[0]!)).toBe('409 run_stopped');
    // A new session follows the other run.
    expect(await areFollowed(right!)).not.toBe(pid);
    await end(right!);
    expect(await readAnswer(await waiting[1]!)).toBe('409 run_stopped');
  });

  it('the session ends after some time without waiting callers', async () => {
    const waiting = flow.ask('output', left!);
    const pid = await areFollowed(left!);
    await end(left!);
    expect(await readAnswer(await waiting)).toBe('409 run_stopped');
    expect(await lastAsked(pid)).toBeDefined();
    await waitFor(async () => await lastAsked(pid) === undefined || undefined);
  });
});
