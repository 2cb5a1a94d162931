import { afterAll, beforeAll, expect, it } from 'vitest';
import { textFlow } from '../support/flow_builder.ts';
import { accessToken } from '../support/tokens.ts';
import { type FlowOwner, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';
import { auditReading, type Reader } from './audit_reading.ts';
import { makeFindings } from './findings.ts';

let workers: WorkerStack;
let owner: FlowOwner;
let readers: Reader[];

beforeAll(async () => {
  workers = await makeWorkerStack('reading', { sweep: false });
  owner = await workers.addOwner();
  const other = await workers.addOwner();
  const [runId] = await owner.start(await owner.storeFlow(textFlow()), [{}, {}]);
  const { sql, stack } = workers;
  await sql`insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, input)
    values (${runId!}, ${runId!}, 0, ${owner.id}, now(), '{"M": {}}')`;
  const [{ token }] = await sql<[{ token: string }]>`select private.run_token(${runId!}) as token`;
  const readerOf = async (label: string, id: string): Promise<Reader> => {
    const bearer = await accessToken(id, { secret: stack.status.JWT_SECRET });
    return { label, headers: { authorization: `Bearer ${bearer}` }, userId: id, runId: null };
  };
  readers = [
    { label: 'nobody', headers: {}, userId: null, runId: null },
    await readerOf('owner', owner.id),
    await readerOf('other', other.id),
    { label: 'holder', headers: { 'x-flow-run-token': token }, userId: null, runId: runId! },
  ];
});
afterAll(() => workers?.remove());

const audit = async () => {
  const findings = makeFindings();
  await auditReading(workers.sql, workers.stack.status, readers, findings);
  return findings.list().map(({ check, detail }) => ({ check, ...detail }));
};

/**
 * Audits while a rule is broken, and repairs the rule afterwards. PostgREST notices a change of the schema only after
 * it has reloaded the schema.
 */
async function auditBroken(broken: string, mended: string) {
  await workers.sql.unsafe(broken);
  try {
    return await audit();
  } finally {
    await workers.sql.unsafe(mended);
  }
}

it('finds nothing if all readers see only their own rows', async () => {
  expect(await audit()).toEqual([]);
});

it('finds rows that others can read', async () => {
  const found = await auditBroken(
    `create policy leak on public.node_run for select to authenticated using (true)`,
    `drop policy leak on public.node_run`,
  );
  expect(found).toEqual([expect.objectContaining({ check: 'row_readable', reader: 'other', table: 'node_run' })]);
});

it('finds rows that a run token shows too many of, to its holder and without it', async () => {
  const found = await auditBroken(
    `create policy leak on public.flow_run for select to anon using (true)`,
    `drop policy leak on public.flow_run`,
  );
  expect(found.map((finding) => [finding.check, 'reader' in finding && finding.reader])).toEqual([
    ['row_readable', 'nobody'],
    ['row_readable', 'nobody'],
    ['row_readable', 'holder'],
  ]);
});

it("finds rows that their owner can't read", async () => {
  const found = await auditBroken(
    `alter policy flows_select_owner on public.flows using (is_public)`,
    `alter policy flows_select_owner on public.flows using (user_id = (select auth.uid()))`,
  );
  expect(found).toEqual([expect.objectContaining({ check: 'row_hidden', reader: 'owner', table: 'flows' })]);
});

it('finds a table without a rule on its readers', async () => {
  const found = await auditBroken('create table public.secrets (id integer)', 'drop table public.secrets');
  expect(found).toEqual([{ check: 'table_without_rule', table: 'secrets' }]);
});
