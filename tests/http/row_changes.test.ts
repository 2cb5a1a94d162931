import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connect, type Sql } from '../../dev/stack/postgres/postgres.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, type Person, signUp, storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const TABLE = `changed_rows_${process.pid}`;
let superuser: Sql;
/** The role postgres, as in the SQL editor of a hosted project. */
let editor: Sql;
let owner: Person;
let writer: Person;
/** The writer's client, without the types of the project's own tables. */
let writing: SupabaseClient;

beforeAll(async () => {
  superuser = connect(inject('stack').SUPERUSER_URL);
  editor = connect(inject('stack').DB_URL, { max: 3 });
  [owner, writer] = await Promise.all([signUp(), signUp()]);
  writing = writer.client as unknown as SupabaseClient;
  await editor.unsafe(`
    create table public.${TABLE} (id integer primary key, text text);
    alter table public.${TABLE} enable row level security;
    create policy anybody on public.${TABLE} to authenticated using (true) with check (true);
    grant select, insert, update on public.${TABLE} to authenticated;
    notify pgrst, 'reload schema'`);
  await waitFor(async () => (await writing.from(TABLE).select()).error === null ? true : undefined);
});
afterAll(async () => {
  await editor.unsafe(`drop table public.${TABLE}; notify pgrst, 'reload schema'`);
  await Promise.all([superuser.end(), editor.end()]);
});

/** Makes a row start of the table, and returns its id. */
async function startOnRows(sql: Sql, flowId: number, event: string): Promise<string> {
  const [row] = await sql`
    select private.start_flow_on_rows(${TABLE}::regclass, ${[event]}, ${flowId}, 'latest', 'change') as id`;
  return row!.id;
}

const runsOf = async (rowStartId: string) => {
  const { data, error } = await owner.client.from('flow_run').select('*').eq('row_start_id', rowStartId).order('id');
  if (error !== null) throw new Error(error.message, { cause: error });
  return data;
};

it("an insert of a signed-in user starts the owner's flow for each row, and the runner executes the runs", async () => {
  const flow = new FlowBuilder();
  flow.output('seen', flow.input('change'));
  const flowId = await storeFlow(owner, flow);
  await deploy(owner, flowId);
  const rowStartId = await startOnRows(editor, flowId, 'insert');

  expect((await writing.from(TABLE).insert([{ id: 1, text: 'one' }, { id: 2, text: 'two' }])).error).toBeNull();
  const runs = await runsOf(rowStartId);
  expect(runs).toHaveLength(2);
  expect(runs[0]).toMatchObject({ started_by: owner.id, started_by_run_id: null });
  for (const [place, { id }] of runs.entries()) {
    const text = ['one', 'two'][place];
    expect(await finishedRun(owner, id)).toMatchObject({
      status: 'succeeded',
      output: {
        M: {
          seen: {
            M: {
              operation: { S: 'insert' },
              schema: { S: 'public' },
              table: { S: TABLE },
              user_id: { S: writer.id },
              row: { M: { id: { U: String(place + 1) }, text: { S: text } } },
              old_row: { N: 0 },
            },
          },
        },
      },
    });
  }
  const { data } = await writer.client.from('flow_row_starts').select();
  expect(data).toEqual([]);
  const deleted = await owner.client.from('flow_row_starts').delete().eq('id', rowStartId).select();
  expect(deleted.data).toMatchObject([{ id: rowStartId, table_name: TABLE, refused: 0 }]);
});

it('a flow that writes the row that starts it ends with start_loop', async () => {
  const flow = new FlowBuilder();
  flow.input('change');
  const query = flow.node('postgrest_new_query', {
    inputs: ['url?', 'schema?', 'table'],
    outputs: ['query'],
    form: { table: TABLE },
  });
  const update = flow.node('postgrest_builder_update', {
    inputs: ['query', 'body'],
    outputs: ['query'],
    form: { body: { text: 'again' } },
  });
  const match = flow.node('postgrest_builder_eq', {
    inputs: ['query', 'column', 'filter'],
    outputs: ['query'],
    form: { column: 'id', filter: '9' },
  });
  const execute = flow.node('postgrest_execute_query', {
    inputs: ['query', 'headers?'],
    outputs: ['result', 'headers'],
  });
  flow.connect(query.output('query'), update.input('query'));
  flow.connect(update.output('query'), match.input('query'));
  flow.connect(match.output('query'), execute.input('query'));
  flow.output('result', execute.output('result'));
  const flowId = await storeFlow(owner, flow);
  await deploy(owner, flowId);
  const rowStartId = await startOnRows(editor, flowId, 'update');

  await editor`insert into ${editor(TABLE)} (id) values (9)`;
  await editor`update ${editor(TABLE)} set text = 'first' where id = 9`;
  const [refused] = await waitFor(async () => {
    const rows = await editor`select refused, last_error from public.flow_row_starts where id = ${rowStartId}`;
    return rows[0]!.refused === 0 ? undefined : rows;
  });
  expect(refused).toEqual({
    refused: 1,
    last_error: 'start_loop: 17 runs have started one another: it seems to be a loop.',
  });
  const runs = await runsOf(rowStartId);
  expect(runs).toHaveLength(17);
  expect(runs[1]!.started_by_run_id).toBe(runs[0]!.id);
  expect(await finishedRun(owner, runs[16]!.id)).toMatchObject({ status: 'succeeded' });
  await editor`delete from public.flow_row_starts where id = ${rowStartId}`;
}, 60_000);

it('a write does not wait for the deletion of the deployment', async () => {
  const flow = new FlowBuilder();
  flow.input('change');
  const flowId = await storeFlow(owner, flow);
  const deploymentId = await deploy(owner, flowId);
  const rowStartId = await startOnRows(editor, flowId, 'insert');
  await editor.begin(async (deleting) => {
    await deleting`delete from public.flow_deployments where id = ${deploymentId}`;
    await editor`insert into ${editor(TABLE)} (id) values (20)`;
  });
  const [row] = await editor`select refused, last_error from public.flow_row_starts where id = ${rowStartId}`;
  expect(row).toEqual({
    refused: 1,
    last_error: `deployment_not_found: Flow ${flowId} has no deployment with the tag latest.`,
  });
  await editor`delete from public.flow_row_starts where id = ${rowStartId}`;
});

it("a role that has the rights of the table's owner makes a row start, and a role that could only call it does not", async () => {
  const flow = new FlowBuilder();
  flow.input('change');
  const flowId = await storeFlow(owner, flow);
  await deploy(owner, flowId);
  const undo = new Error('undo');
  const role = `member_${process.pid}`;
  await expect(superuser.begin(async (sql) => {
    await sql.unsafe(`create role ${role}; grant postgres to ${role}; set local role ${role}`);
    expect(await startOnRows(sql as unknown as Sql, flowId, 'insert')).toMatch(/^[0-9a-f-]{36}$/);
    throw undo;
  })).rejects.toBe(undo);
  await expect(superuser.begin(async (sql) => {
    await sql.unsafe(`create role ${role}; grant usage on schema private, public to ${role};
      grant execute on all functions in schema private to ${role}; set local role ${role}`);
    await startOnRows(sql as unknown as Sql, flowId, 'insert');
  })).rejects.toThrow(`belongs to postgres, and ${role} does not have the rights of this role`);
});
