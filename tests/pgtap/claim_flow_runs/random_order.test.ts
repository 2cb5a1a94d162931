import '../../support/fuzz_seed.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { addFlowOwners, type FlowOwner, startRunsOf } from '../../support/flow_owners.ts';
import { fuzzCases } from '../../support/fuzz_cases.ts';

const OWNERS = 5;
const CASES = fuzzCases(40);

let database: TestDatabase;
let sql: Sql;
let owners: FlowOwner[];

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
  owners = await addFlowOwners(sql, OWNERS);
});
afterAll(() => database.close());

const start = (owner: number, count: number) => startRunsOf(sql, owners[owner]!, count);

const claim = async (count: number): Promise<string[]> =>
  (await sql<
    { id: string }[]
  >`select flow_run_id as id from public.claim_flow_runs(${count}, 60, max_lost_claims => null)`)
    .map((row) => row.id);

const setLost = (id: string, count: number) =>
  sql`update private.flow_run_jobs set lost_claim_count = ${count} where flow_run_id = ${id}`;

/** Ends the lease of the run, so that its worker is lost. One lost worker does not make the run a suspect. */
async function lose(id: string): Promise<void> {
  await sql`update private.flow_run_jobs set due_at = clock_timestamp() where flow_run_id = ${id}`;
  await setLost(id, -1);
}

const release = (id: string) =>
  sql`
    select public.release_flow_run(flow_run_id, claim_number, '{}') from private.flow_run_jobs where flow_run_id = ${id}`;

const commands = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('start' as const), owner: fc.nat(OWNERS - 1), count: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ do: fc.constant('claim' as const), count: fc.integer({ min: 1, max: 12 }) }),
    fc.record({
      do: fc.constantFrom(
        'lose' as const,
        'release' as const,
        'suspect' as const,
        'acquit' as const,
        'delete' as const,
      ),
      which: fc.nat(),
    }),
  ),
  { minLength: 4, maxLength: 24 },
);

it('owners take turns, and the runs of each owner come in their order, however many runs are claimed at a time', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      await sql`delete from public.flow_run`;
      await sql`select setval('private.last_owner', 0, false)`;
      /** The waiting runs of each owner, in the order of their turns. */
      const waiting = owners.map((): { id: string; turn: number }[] => []);
      const held: { id: string; owner: number; turn: number }[] = [];
      let [turn, last] = [0, OWNERS - 1];
      const wait = (owner: number, run: { id: string; turn: number }) => {
        waiting[owner]!.push(run);
        waiting[owner]!.sort((a, b) => a.turn - b.turn);
      };
      /** The next run is the first waiting run of the next owner who has waiting runs. */
      const claimNext = (): string[] => {
        for (let distance = 1; distance <= OWNERS; distance++) {
          const owner = (last + distance) % OWNERS;
          const run = waiting[owner]!.shift();
          if (run === undefined) continue;
          last = owner;
          held.push({ ...run, owner });
          return [run.id];
        }
        return [];
      };
      for (const step of [...steps, { do: 'claim' as const, count: 200 }]) {
        if (step.do === 'start') {
          for (const id of await start(step.owner, step.count)) wait(step.owner, { id, turn: turn++ });
        } else if (step.do === 'claim') {
          const expected = Array.from({ length: step.count }, claimNext).flat();
          expect(await claim(step.count)).toEqual(expected);
        } else if ((step.do === 'lose' || step.do === 'release') && held.length > 0) {
          const [run] = held.splice(step.which % held.length, 1);
          await (step.do === 'lose' ? lose(run!.id) : release(run!.id));
          wait(run!.owner, { id: run!.id, turn: step.do === 'lose' ? run!.turn : turn++ });
        }
      }
      expect(waiting.flat()).toEqual([]);
    }),
    { numRuns: CASES },
  );
});

it('a run that lost two workers is claimed alone, and soon, however many other runs are queued', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      await sql`delete from public.flow_run`;
      await sql`select setval('private.last_owner', 0, false)`;
      const waiting = new Set<string>();
      const suspects = new Set<string>();
      const held: string[] = [];
      const claimSome = async (count: number): Promise<string[]> => {
        const claimed = await claim(count);
        const isAlone = claimed.some((id) => suspects.delete(id));
        expect(claimed.length > 0 || waiting.size === 0).toBe(true);
        // A claim ends before a suspect.
        if (isAlone) expect(claimed).toHaveLength(1);
        else if (suspects.size === 0) expect(claimed).toHaveLength(Math.min(count, waiting.size));
        for (const id of claimed) expect(waiting.delete(id)).toBe(true);
        held.push(...claimed);
        return claimed;
      };
      for (const step of steps) {
        if (step.do === 'start') { for (const id of await start(step.owner, step.count)) waiting.add(id); }
        if (step.do === 'claim') await claimSome(step.count);
        if (step.do === 'suspect' && waiting.size > 0) {
          const id = [...waiting][step.which % waiting.size]!;
          await setLost(id, 9);
          suspects.add(id);
        }
        if ((step.do === 'lose' || step.do === 'release') && held.length > 0) {
          const [id] = held.splice(step.which % held.length, 1);
          await (step.do === 'lose' ? lose(id!) : release(id!));
          waiting.add(id!);
        }
        if (step.do === 'delete' && waiting.size > 0) {
          const id = [...suspects, ...waiting][step.which % waiting.size]!;
          await sql`delete from public.flow_run where id = ${id}`;
          waiting.delete(id);
          suspects.delete(id);
        }
        if (step.do === 'acquit' && suspects.size > 0) {
          const id = [...suspects][step.which % suspects.size]!;
          await setLost(id, -1);
          suspects.delete(id);
        }
      }
      while (steps.length % 2 === 0 && waiting.size > 0) await claimSome(3);
      // All owners have many runs. The next claim after one that ended before a suspect takes the suspect. Every other
      // claim takes two runs of each owner.
      const before = waiting.size;
      let claims = 0;
      for (; suspects.size > 0; claims++) {
        for (let owner = 0; owner < OWNERS; owner++) for (const id of await start(owner, 2)) waiting.add(id);
        await claimSome(2 * OWNERS);
      }
      expect(claims).toBeLessThanOrEqual(3 * before);
      while ((await claimSome(50)).length > 0);
      expect([...waiting]).toEqual([]);
    }),
    { numRuns: CASES },
  );
});
