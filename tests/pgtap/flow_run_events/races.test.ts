import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let sql: Sql;
let writers: Sql[];
let readers: Sql[];

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
  writers = Array.from({ length: 4 }, () => database.connect());
  readers = Array.from({ length: 4 }, () => database.connect());
});
afterAll(() => database.close());

/** A transaction that stores something about the run. */
interface Write {
  /** Milliseconds before the transaction begins, and before it ends. */
  waits: number;
  lasts: number;
  writer: number;
  /**
   * The numbers of the node executions that the transaction reports as begun or ended. A repeated number is a
   * repeated report.
   */
  nodes: { number: number; hasEnded: boolean; logs: number }[];
  /** The other effect of the transaction. */
  and: 'nothing' | 'is sent twice' | 'rolls back' | 'asks for a signature' | 'calls a flow';
}

interface Race {
  writes: Write[];
  /**
   * For each reader: `pause`, the milliseconds between two reads, and `drops`, the number of events of a read that it
   * keeps. It drops the rest.
   */
  readers: { pause: number; drops: number }[];
}

const write = fc.record<Write>({
  waits: fc.integer({ min: 0, max: 6 }),
  lasts: fc.integer({ min: 0, max: 6 }),
  writer: fc.integer({ min: 0, max: 3 }),
  nodes: fc.array(
    fc.record({
      number: fc.integer({ min: 0, max: 30 }),
      hasEnded: fc.boolean(),
      logs: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 6 },
  ),
  and: fc.constantFrom('nothing', 'is sent twice', 'rolls back', 'asks for a signature', 'calls a flow'),
});
const races = fc.record<Race>({
  writes: fc.array(write, { minLength: 8, maxLength: 24 }),
  readers: fc.array(
    fc.record({ pause: fc.integer({ min: 0, max: 4 }), drops: fc.integer({ min: 1, max: 9 }) }),
    { minLength: 4, maxLength: 4 },
  ),
});

const TIME = '2026-01-01T00:00:00Z';
const nodeId = (number: number): string => `10000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** An event as the function returns it. */
interface PageEvent {
  id: number;
  event: string;
  data: Record<string, unknown>;
  owner: Record<string, unknown>;
}

/** An event that a reader gets. Each reader keeps its events in their order. */
interface Told {
  id: number;
  key: string;
}

/** The keys of the events that follow from the rows of a run's tree. */
const expectedOf = async (runId: string): Promise<string[]> =>
  (await sql<{ key: string }[]>`
    with tree as (
      select r.* from public.flow_run as r where ${runId} in (r.id, r.parent_flow_run_id)
    )
    select concat_ws(' ', 'run_start', t.id) as key from tree as t where t.start_time is not null
    union all select concat_ws(' ', 'run_finish', t.id) from tree as t where t.end_time is not null
    union all select concat_ws(' ', 'node_start', n.flow_run_id, n.node_id) from public.node_run as n join tree as t on t.id = n.flow_run_id
    union all select concat_ws(' ', 'node_finish', n.flow_run_id, n.node_id) from public.node_run as n join tree as t on t.id = n.flow_run_id
      where n.end_time is not null
    union all select concat_ws(' ', 'log', l.flow_run_id, l.log_index) from public.flow_run_logs as l join tree as t on t.id = l.flow_run_id
    union all select concat_ws(' ', 'signature_request', s.id) from public.signature_requests as s where s.root_flow_run_id = ${runId}
  `).map(({ key }) => key).toSorted();

/**
 * Reads until the end of the run. Each read begins after the last event that was kept, which may be in the middle of
 * the previous read.
 */
async function follow(reader: Sql, runId: string, { pause, drops }: Race['readers'][number]): Promise<Told[]> {
  const told: Told[] = [];
  for (;;) {
    const after = told.at(-1)?.id ?? 0;
    const [row] = await reader`select private.watched_run_events(${[runId]}::uuid[], ${[after]}::integer[]) as pages`;
    const [page] = row!['pages'];
    const events: Told[] = (page?.events ?? []).slice(0, drops).map(({ id, event, data, owner }: PageEvent) => {
      const { flow_run_id, node_id, log_index } = { ...data, ...owner };
      const key = event === 'signature_request'
        ? [event, data['id']]
        : [event, flow_run_id, ...(log_index === undefined ? node_id === undefined ? [] : [node_id] : [log_index])];
      return { id, key: key.join(' ') };
    });
    told.push(...events);
    if (page?.has_ended && events.length === page.events.length) return told;
    await sleep(pause);
  }
}

async function race({ writes, readers: plans }: Race): Promise<void> {
  const userId = randomUUID();
  await sql`insert into auth.users (id) values (${userId})`;
  const [{ id }] = await sql<[{ id: string }]>`select test.claimed_run(${userId}) as id`;
  const [{ flow_id }] = await sql<[{ flow_id: number }]>`select flow_id from public.flow_run where id = ${id}`;
  let logs = 0;

  const store = async ({ waits, lasts, writer, nodes, and }: Write) => {
    await sleep(waits);
    const child = randomUUID();
    const progress = {
      transactions: [],
      work_ms: 0,
      output_bytes: 0,
      children: and !== 'calls a flow' ? [] : [{
        id: child,
        flow_id,
        status: 'succeeded',
        inputs: { M: {} },
        output: { M: {} },
        errors: null,
        not_run: [],
        start_time: TIME,
        end_time: TIME,
        parent_flow_run_id: id,
        parent_node_id: nodeId(0),
        parent_times: 0,
      }],
      node_runs: [...new Map(nodes.map((node) => [node.number, node])).values()].map(({ number, hasEnded }) => ({
        flow_run_id: id,
        node_id: nodeId(number),
        times: 0,
        start_time: TIME,
        end_time: hasEnded ? TIME : null,
        input: { M: {} },
        output: hasEnded ? { M: {} } : null,
        errors: null,
      })),
      logs: nodes.flatMap((node) =>
        Array.from({ length: node.logs }, () => ({
          flow_run_id: id,
          log_index: logs++,
          node_id: nodeId(node.number),
          times: 0,
          time: TIME,
          log_level: 'Info',
          module: null,
          content: 'x',
        }))
      ),
    };
    if (and === 'is sent twice') await sql`select public.checkpoint_flow_run(${id}, 1, 60, ${sql.json(progress)})`;
    await writers[writer]!.begin(async (tx) => {
      await tx`select public.checkpoint_flow_run(${id}, 1, 60, ${tx.json(progress)})`;
      if (and === 'asks for a signature') await tx`select test.ask(${id}, test.request())`;
      await sleep(lasts);
      if (and === 'rolls back') await tx`select 1 / 0`;
    }).catch((error: unknown) => {
      if ((error as { code?: string }).code !== '22012') throw error;
    });
  };

  const reading = plans.map((plan, index) => follow(readers[index]!, id, plan));
  await Promise.all(writes.map(store));
  await sql`select private.end_flow_run(${id}, 'stopped')`;
  const expected = await expectedOf(id);
  for (const told of await Promise.all(reading)) {
    expect(told.map((event) => event.id)).toEqual(told.map((_, index) => index + 1));
    expect(told.map(({ key }) => key).toSorted()).toEqual(expected);
    expect(told.at(-1)?.key).toBe(`run_finish ${id}`);
  }
}

it('no event is lost or repeated, whichever transactions run meanwhile and wherever a watcher continues', async () => {
  await fc.assert(fc.asyncProperty(races, race), { numRuns: 8, endOnFailure: true });
});
