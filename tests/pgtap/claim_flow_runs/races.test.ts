import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { addFlowOwners, startRunsOf } from '../../support/flow_owners.ts';
import { fallsAsleep, hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let first: Sql;
let second: Sql;
let userId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  [first, second] = [database.connect(), database.connect()];
});
afterAll(() => database.close());

beforeEach(async () => {
  await first`delete from auth.users`;
  userId = randomUUID();
  await first`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  await first`insert into public.flows (user_id) values (${userId})`;
  const claims = JSON.stringify({ sub: userId, role: 'authenticated' });
  for (const sql of [first, second]) {
    await sql`select set_config('request.jwt.claims', ${claims}, false)`;
    // A statement that waits for a lock for 5 seconds fails.
    await sql`set lock_timeout = '5s'`;
  }
});

/** Queues runs of the user's flow, and returns their ids. */
const start = async (count = 1): Promise<string[]> =>
  (await first<{ id: string }[]>`
    select public.start_flow(f.id) ->> 'flow_run_id' as id from public.flows as f cross join generate_series(1, ${count})`)
    .map(({ id }) => id);

const claim = async (sql: Sql, count = 10, waitMs = 0): Promise<string[]> =>
  (await sql<{ flow_run_id: string }[]>`
    select flow_run_id from public.claim_flow_runs(${count}, 60, wait_ms => ${waitMs})`)
    .map((row) => row.flow_run_id);

const progress = (sql: Sql, id: string, claimNumber: number) =>
  sql.json({
    node_runs: [{
      flow_run_id: id,
      node_id: randomUUID(),
      times: claimNumber,
      start_time: new Date(),
      input: { M: {} },
    }],
  });
const checkpoint = (sql: Sql, id: string, claimNumber: number) =>
  codeOf(sql`select public.checkpoint_flow_run(${id}, ${claimNumber}, 60, ${progress(sql, id, claimNumber)})`);
const release = (sql: Sql, id: string, claimNumber: number, seconds: number) =>
  codeOf(sql`select public.release_flow_run(${id}, ${claimNumber}, ${progress(sql, id, claimNumber)}, ${seconds})`);
const finish = (sql: Sql, id: string, claimNumber: number) =>
  codeOf(sql`select public.finish_flow_run(${id}, ${claimNumber}, 'succeeded', '{"M": {}}', null, '{}', '{}')`);
const finishTogether = async (sql: Sql, ids: string[]): Promise<string[]> => {
  const results = ids.map((id) => ({ flow_run_id: id, claim_number: 1, status: 'succeeded', progress: {} }));
  return (await sql<[{ ids: string[] }]>`select public.finish_flow_runs(${sql.json(results)}) as ids`)[0].ids;
};
const stop = (sql: Sql, id: string) => codeOf(sql`select public.stop_flow_run(${id}, 'no more')`);
const heartbeat = (sql: Sql, id: string, claimNumber: number) =>
  sql`select is_lost, stop from public.heartbeat_flow_runs(${
    sql.json([{ flow_run_id: id, claim_number: claimNumber }])
  }, 60)`;

/** Ends the lease of the held run, so that its worker is late. */
const endLease = () => first`update private.flow_run_jobs set due_at = clock_timestamp() where state = 'held'`;

/** Makes a run that a worker has claimed once and whose lease has ended. */
async function claimedRun(): Promise<string> {
  const [id] = await start();
  await claim(first);
  await endLease();
  return id!;
}

/** Commits `lead` only after `follow` has ended or has reached a lock. */
async function race<Answer>(
  lead: (sql: Sql) => Promise<unknown>,
  follow: (sql: Sql) => Promise<Answer>,
  { waits }: { waits: boolean },
): Promise<Answer> {
  await first`begin`;
  try {
    await lead(first);
    const following = follow(second);
    if (waits) await hasToWait(first, following);
    else await following;
    await first`commit`;
    return await following;
  } catch (error) {
    await first`rollback`;
    throw error;
  }
}

const stateOf = async (id: string) =>
  (await first`
    select r.status, j.claim_number, j.state, j.stop_reason,
      (select count(*)::int from public.node_run as n where n.flow_run_id = r.id) as node_runs
    from public.flow_run as r join private.flow_run_jobs as j on j.flow_run_id = r.id
    where r.id = ${id}`)[0];

describe('two concurrent claims:', () => {
  it('the second does not wait, and gets the runs that the first has left', async () => {
    const ids = await start(5);
    let taken: string[] = [];
    const rest = await race(async (sql) => taken = await claim(sql, 3), (sql) => claim(sql, 3), { waits: false });
    expect(taken).toHaveLength(3);
    expect([...taken, ...rest].sort()).toEqual(ids.sort());
  });

  it('the second gets no run of the first, and a later claim gets all if the first is lost before it commits', async () => {
    const ids = await start(2);
    await first`begin`;
    await claim(first);
    expect(await claim(second)).toEqual([]);
    await first`rollback`;
    expect((await claim(second)).sort()).toEqual(ids.sort());
    expect(await stateOf(ids[0]!)).toMatchObject({ claim_number: 1 });
  });

  it('no claim is empty while runs are left, even if the others have locked the first of them', async () => {
    for (const owner of await addFlowOwners(first, 3)) await startRunsOf(first, owner, 200);
    const workers = Array.from({ length: 4 }, () => database.connect());
    let left = 600;
    await Promise.all(workers.map(async (sql) => {
      while (left > 0) {
        const count = (await claim(sql, 5)).length;
        left -= count;
        // A claim may get fewer runs only if the others are just taking the rest.
        if (count < 5) expect(left).toBeLessThanOrEqual(3 * 5);
      }
    }));
    expect(left).toBe(0);
  });

  it('while one makes many due runs ready, the other waits for them', async () => {
    const ids = await start(40);
    await claim(first, 40);
    await endLease();
    const workers = Array.from({ length: 4 }, () => database.connect());
    const taken = await Promise.all(workers.map((sql) => claim(sql, 10)));
    expect(taken.map(({ length }) => length)).toEqual([10, 10, 10, 10]);
    expect(taken.flat().sort()).toEqual(ids.sort());
  });

  it('each run is claimed by only one of them, however many runs there are', async () => {
    const ids = await start(60);
    const workers = Array.from({ length: 6 }, () => database.connect());
    const taken = (await Promise.all(workers.map(async (sql) => {
      const mine: string[] = [];
      for (let some = await claim(sql, 3); some.length > 0; some = await claim(sql, 3)) mine.push(...some);
      return mine;
    }))).flat();
    expect(taken.sort()).toEqual(ids.sort());
  });
});

describe('two callers that wait for a run:', () => {
  it('the first gets the run, and the second returns', async () => {
    const waiting = claim(second, 10, 20_000);
    expect(await fallsAsleep(first, waiting)).toBe(true);
    expect(await claim(first, 10, 20_000)).toEqual([]);
    const ids = await start();
    expect(await waiting).toEqual(ids);
  });

  it('neither waits if runs are claimable', async () => {
    const ids = await start(2);
    expect(await claim(first, 1, 20_000)).toEqual(ids.slice(0, 1));
    expect(await claim(second, 2, 20_000)).toEqual(ids.slice(1));
  });

  it('each gets no run when the time is over', async () => {
    expect(await claim(first, 10, 5)).toEqual([]);
    expect(await first`select from public.claim_flow_runs(10, 60, wait_ms => null)`).toHaveLength(0);
  });
});

describe('a claim and a worker whose lease is over:', () => {
  it.each([
    ['a checkpoint', (sql: Sql, id: string) => checkpoint(sql, id, 1), {
      status: 'running',
      state: 'held',
      node_runs: 1,
    }],
    ['a finish', (sql: Sql, id: string) => finish(sql, id, 1), { status: 'succeeded', state: 'ended' }],
  ])('%s that comes first keeps the run, and the claim skips it', async (_name, write, state) => {
    const id = await claimedRun();
    expect(await race((sql) => write(sql, id), claim, { waits: false })).toEqual([]);
    expect(await claim(second)).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ claim_number: 1, ...state });
  });

  it.each([
    ['a checkpoint', (sql: Sql, id: string) => checkpoint(sql, id, 1)],
    ['a finish', (sql: Sql, id: string) => finish(sql, id, 1)],
  ])('%s that comes second waits, and is refused', async (_name, write) => {
    const id = await claimedRun();
    expect(await race(claim, (sql) => write(sql, id), { waits: true })).toBe('claim_lost');
    expect(await stateOf(id)).toMatchObject({ status: 'running', claim_number: 2, state: 'held', node_runs: 0 });
  });

  it('a heartbeat that comes second extends no lease', async () => {
    const id = await claimedRun();
    await race(claim, (sql) => heartbeat(sql, id, 1), { waits: false });
    expect(await heartbeat(second, id, 1)).toEqual([{ is_lost: true, stop: null }]);
  });
});

describe('a claim and a stop:', () => {
  it('if the stop of a queued run comes first, the claim takes the other runs', async () => {
    const [id, other] = await start(2);
    expect(await race((sql) => stop(sql, id!), claim, { waits: false })).toEqual([other]);
    expect(await stateOf(id!)).toMatchObject({ status: 'stopped', claim_number: 0, state: 'ended' });
  });

  it('if the stop comes second, the worker learns of the stop', async () => {
    const [id] = await start();
    expect(await race(claim, (sql) => stop(sql, id!), { waits: true })).toBe('done');
    expect(await stateOf(id!)).toMatchObject({ status: 'running', claim_number: 1, stop_reason: 'no more' });
    expect(await heartbeat(second, id!, 1)).toEqual([{
      is_lost: false,
      stop: { reason: 'no more', timeout_millies: 0 },
    }]);
  });
});

describe('while owners take turns, and another transaction has locked runs,', () => {
  /** Owners in the order of their turns. Each has this number of runs, in the order of turns. */
  const startByOwners = async (owners: number, count: number): Promise<string[][]> => {
    const runs: string[][] = [];
    for (const owner of await addFlowOwners(first, owners)) runs.push(await startRunsOf(first, owner, count));
    await first`select setval('private.last_owner', 0, false)`;
    return runs;
  };
  const lock = (id: string) => first`select from private.flow_run_jobs where flow_run_id = ${id} for no key update`;
  const suspect = (id: string) =>
    first`update private.flow_run_jobs set lost_claim_count = 2 where flow_run_id = ${id}`;
  /** The owners and numbers of the claimed runs, such as `a1`, while the transaction `first` is still open. */
  const claimWhile = async (runs: string[][], counts: number[]): Promise<string[]> => {
    const claims: string[] = [];
    for (const count of counts) {
      const claimed = await claim(second, count);
      claims.push(
        claimed.map((id) => {
          const owner = runs.findIndex((ids) => ids.includes(id));
          return `${'abcdef'[owner]}${runs[owner]!.indexOf(id) + 1}`;
        }).join(' '),
      );
    }
    return claims;
  };

  it('all runs of the next owner: the claim continues with another owner', async () => {
    const runs = await startByOwners(2, 1);
    expect(await race(() => lock(runs[0]![0]!), (sql) => claim(sql, 1), { waits: false })).toEqual(runs[1]);
  });

  it('some runs of the next owners: other runs take their place', async () => {
    const runs = await startByOwners(4, 2);
    await first`begin`;
    for (const id of [runs[0]![0]!, ...runs[1]!]) await lock(id);
    const claims = await claimWhile(runs, [3, 9]);
    await first`rollback`;
    expect(claims).toEqual(['a2 c1 d1', 'c2 d2']);
    expect(await claimWhile(runs, [9])).toEqual(['a1 b1 b2']);
  });

  it('a suspect: owners take turns until the suspect is free', async () => {
    const runs = await startByOwners(4, 3);
    await suspect(runs[1]![0]!);
    await first`begin`;
    await lock(runs[1]![0]!);
    const claims = await claimWhile(runs, [1, 1, 1, 1, 1, 3]);
    await first`rollback`;
    expect(claims).toEqual(['a1', 'b2', 'c1', 'd1', 'a2', 'b3 c2 d2']);
    expect(await claimWhile(runs, [3, 3, 3])).toEqual(['a3', 'b1', 'c3 d3']);
  });

  it('a suspect of an owner who was searched in place of another owner: the suspect has one turn, and no second one', async () => {
    const runs = await startByOwners(6, 2);
    await suspect(runs[5]![0]!);
    await first`begin`;
    for (const id of runs[1]!) await lock(id);
    const claims = await claimWhile(runs, [3, 3, 3, 3]);
    await first`rollback`;
    expect(claims).toEqual(['a1 c1 d1', 'e1', 'f1', 'a2 c2 d2']);
  });

  it('a suspect is claimed alone when an older run of its owner is queued again', async () => {
    const runs = await startByOwners(3, 3);
    expect(await claimWhile(runs, [2])).toEqual(['a1 b1']);
    await suspect(runs[1]![1]!);
    expect(await claimWhile(runs, [3])).toEqual(['c1 a2']);
    await first`update private.flow_run_jobs set due_at = clock_timestamp() where flow_run_id = ${runs[1]![0]!}`;
    expect(await claimWhile(runs, [9, 9, 9])).toEqual(['b1 c2 a3', 'b2', 'c3 b3']);
  });

  it('a suspect is claimed between other runs: the owners continue where they were', async () => {
    const runs = await startByOwners(4, 2);
    await suspect(runs[1]![0]!);
    expect(await claimWhile(runs, [3, 3, 3])).toEqual(['a1', 'b1', 'c1 d1 a2']);
  });

  it('a suspect that was deleted does not keep another suspect from being claimed alone', async () => {
    const runs = await startByOwners(4, 1);
    await suspect(runs[1]![0]!);
    await suspect(runs[3]![0]!);
    expect(await claimWhile(runs, [2])).toEqual(['a1']);
    await first`delete from public.flow_run where id = ${runs[1]![0]!}`;
    expect(await claimWhile(runs, [2, 2, 2])).toEqual(['c1', 'd1', '']);
  });

  it('a suspect that has made progress is claimed with others', async () => {
    const runs = await startByOwners(3, 2);
    await suspect(runs[1]![0]!);
    expect(await claimWhile(runs, [3])).toEqual(['a1']);
    await first`update private.flow_run_jobs set lost_claim_count = 0`;
    expect(await claimWhile(runs, [9])).toEqual(['b1 c1 a2 b2 c2']);
  });
});

describe('a finish and a stop:', () => {
  it('if the finish comes first, nothing is left to stop', async () => {
    const id = await claimedRun();
    expect(await race((sql) => finish(sql, id, 1), (sql) => stop(sql, id), { waits: true })).toBe('done');
    expect(await stateOf(id)).toMatchObject({ status: 'succeeded', state: 'ended', stop_reason: null });
  });

  it('if the stop comes first, the run ends with the result of its worker', async () => {
    const id = await claimedRun();
    expect(await race((sql) => stop(sql, id), (sql) => finish(sql, id, 1), { waits: true })).toBe('done');
    expect(await stateOf(id)).toMatchObject({ status: 'succeeded', state: 'ended' });
  });
});

describe('workers that finish several runs at once:', () => {
  it('a call for several runs skips a locked run, and a call for one run waits for it', async () => {
    const [one, other] = await start(2);
    await claim(first);
    const finished = await race((sql) => stop(sql, one!), (sql) => finishTogether(sql, [one!, other!]), {
      waits: false,
    });
    expect(finished).toEqual([other]);
    expect(await stateOf(other!)).toMatchObject({ status: 'succeeded' });
    expect(await stateOf(one!)).toMatchObject({ status: 'running' });
    expect(await finish(second, one!, 1)).toBe('done');
  });

  it('heartbeats of runs that are being finished cause no deadlock', async () => {
    const ids = await start(640);
    await claim(first, ids.length);
    const beating = database.connect();
    let isOver = false;
    const beat = async (): Promise<void> => {
      const claims = beating.json(ids.map((flow_run_id) => ({ flow_run_id, claim_number: 1 })));
      while (!isOver) await beating`select from public.heartbeat_flow_runs(${claims}, 60)`;
    };
    const finishAll = async (sql: Sql, mine: string[]): Promise<void> => {
      for (let index = 0; index < mine.length; index += 32) {
        const group = mine.slice(index, index + 32);
        const finished = await finishTogether(sql, group);
        // A worker sends the results that a group has skipped one by one.
        for (const id of group) if (!finished.includes(id)) expect(await finish(sql, id, 1)).toBe('done');
      }
    };
    const beats = beat();
    await Promise.all([finishAll(first, ids.slice(320)), finishAll(second, ids.slice(0, 320))]).finally(() =>
      isOver = true
    );
    await beats;
  });

  it('each run is finished once, whichever worker holds it', async () => {
    const ids = await start(20);
    await claim(first, 20);
    const both = await Promise.all([finishTogether(first, ids), finishTogether(second, ids.toReversed())]);
    expect(both.flat().toSorted()).toEqual(ids.toSorted());
  });
});

describe('a release and', () => {
  it('a heartbeat of the same worker: the run stays claimable', async () => {
    const [id] = await start();
    await claim(first);
    await race((sql) => release(sql, id!, 1, 0), (sql) => heartbeat(sql, id!, 1), { waits: false });
    expect(await stateOf(id!)).toMatchObject({ state: 'ready' });
    expect(await claim(second)).toEqual([id]);
  });

  it('a stop: the run is claimable at once', async () => {
    const [id] = await start();
    await claim(first);
    await race((sql) => release(sql, id!, 1, 3600), (sql) => stop(sql, id!), { waits: true });
    expect(await claim(second)).toEqual([id]);
  });
});

describe('a claim and the deletion of the user:', () => {
  const deleteUser = (sql: Sql) => codeOf(sql`delete from auth.users where id = ${userId}`);

  it('if the deletion comes first, the claim finds no run', async () => {
    await start(3);
    expect(await race(deleteUser, claim, { waits: false })).toEqual([]);
    expect(await first`select from private.flow_run_jobs`).toHaveLength(0);
  });

  it('if the deletion comes second, it deletes the claimed run', async () => {
    const [id] = await start(3);
    expect(await race(claim, deleteUser, { waits: true })).toBe('done');
    expect(await first`select from private.flow_run_jobs`).toHaveLength(0);
    expect(await checkpoint(second, id!, 1)).toBe('claim_lost');
  });
});

it('claims, heartbeats and the deletion of the starter of many runs cause no deadlock', async () => {
  const ids = await start(400);
  const starterId = randomUUID();
  await first`insert into auth.users (id, email) values (${starterId}, ${`${starterId}@example.com`})`;
  await first`update public.flow_run set started_by = ${starterId}`;
  const workers = Array.from({ length: 3 }, () => database.connect());
  const claimAll = async (sql: Sql): Promise<string[]> => {
    const mine: string[] = [];
    for (let some = await claim(sql, 20); some.length > 0; some = await claim(sql, 20)) {
      mine.push(...some);
      await heartbeat(sql, some[0]!, 1);
    }
    return mine;
  };
  const [deleted, ...claimed] = await Promise.all([
    codeOf(first`delete from auth.users where id = ${starterId}`),
    ...workers.map(claimAll),
  ]);
  expect(deleted).toBe('done');
  // A claim skips the jobs that the deletion has locked.
  expect([...claimed.flat(), ...await claimAll(second)].sort()).toEqual(ids.sort());
  expect(await first`select from public.flow_run where started_by is not null`).toHaveLength(0);
});
