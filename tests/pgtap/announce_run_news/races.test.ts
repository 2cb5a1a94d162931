import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeOpenNewsSession } from '../../../functions/_shared/waiting/news_session.ts';
import { makeRunNews } from '../../../functions/_shared/waiting/run_news.ts';
import {
  lookForEndedBySession,
  lookForSignatureRequestsBySession,
  makeRunWaiter,
} from '../../../functions/_shared/waiting/run_waiter.ts';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { countAdvisoryLocks } from '../../support/locks.ts';
import { waitFor } from '../../support/wait.ts';
import { fuzzCases } from '../../support/fuzz_cases.ts';

let database: TestDatabase;
let sql: Sql;
let enders: Sql[];

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
  enders = Array.from({ length: 8 }, () => database.connect());
});
afterAll(() => database.close());

const news = makeRunNews((listener) => makeOpenNewsSession(database.url('postgres'))!(listener));
// The queries for runs that no session follows find no news here. The waits of this test end before the sessions read
// all followed runs again.
const nobody = async () => new Map();
const ends = makeRunWaiter(nobody, { news, look: lookForEndedBySession });
const requests = makeRunWaiter(nobody, { news, look: lookForSignatureRequestsBySession });
const WAIT_SECONDS = 12;

interface Race {
  /** Milliseconds before the wait begins, and before the transaction with the news begins. */
  waits: number;
  begins: number;
  /** How long the transaction lasts. */
  lasts: number;
  isRequest: boolean;
}

const races = fc.array(
  fc.record<Race>({
    waits: fc.integer({ min: 0, max: 12 }),
    begins: fc.integer({ min: 0, max: 12 }),
    lasts: fc.integer({ min: 0, max: 6 }),
    isRequest: fc.boolean(),
  }),
  { minLength: 32, maxLength: 32 },
);

/** Makes runs of a new user, each run of its own flow. */
async function makeRuns(count: number): Promise<string[]> {
  const userId = randomUUID();
  await sql`insert into auth.users (id) values (${userId})`;
  const rows = await sql`select test.claimed_run(${userId}) as id from generate_series(1, ${count})`;
  return rows.map((row) => row['id'] as string);
}

/**
 * Makes runs, and commits news of each run while sessions begin to wait for that news. Returns what the waiting
 * sessions get.
 */
async function race(plans: Race[]): Promise<boolean[]> {
  const ids = await makeRuns(plans.length);
  const makeNews = async ({ begins, lasts, isRequest }: Race, index: number) => {
    await sleep(begins);
    await enders[index % enders.length]!.begin(async (tx) => {
      const id = ids[index]!;
      if (isRequest) await tx`select test.ask(${id}, test.request())`;
      else await tx`select private.end_flow_run(${id}, 'stopped')`;
      await sleep(lasts);
    });
  };
  const wait = async ({ waits, isRequest }: Race, index: number) => {
    await sleep(waits);
    return await (isRequest ? requests : ends).wait(ids[index]!, WAIT_SECONDS) !== undefined;
  };
  const [answered] = await Promise.all([
    Promise.all(plans.map(wait)),
    Promise.all(plans.map(makeNews)),
  ]);
  return answered;
}

it('news is never lost, whenever it is committed', async () => {
  const [first] = await makeRuns(1);
  // Opens the session, and keeps it open.
  const gone = new AbortController();
  const kept = ends.wait(first!, 100, gone.signal);
  await fc.assert(
    fc.asyncProperty(races, async (plans) => {
      expect(await race(plans)).toEqual(plans.map(() => true));
    }),
    { numRuns: fuzzCases(20), endOnFailure: true },
  );
  // All waits have ended, so only the lock of the first run is left.
  await waitFor(async () => await countAdvisoryLocks(sql, 'private.announce_run_news/ends') === 1 || undefined);
  gone.abort();
  await kept;
});
