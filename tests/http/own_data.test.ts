import { beforeAll, expect, inject, it } from 'vitest';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';
import { deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

let owner: Person;
let other: Person;
beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
});

/** Adds a node that changes a query; the form data are the operands of the change. Returns the node's output. */
function builder(
  flow: FlowBuilder,
  name: string,
  query: Port,
  form: Record<string, string | number | { name: string }>,
): Port {
  const node = flow.node(`postgrest_builder_${name}`, {
    inputs: ['query', ...Object.keys(form)],
    outputs: ['query'],
    form,
  });
  flow.connect(query, node.input('query'));
  return node.output('query');
}

/** Adds a node that executes a query, and a flow output of this name for the result. */
function execute(flow: FlowBuilder, query: Port, name: string): void {
  const node = flow.node('postgrest_execute_query', { inputs: ['query', 'headers?'], outputs: ['result', 'headers'] });
  flow.connect(query, node.input('query'));
  flow.output(name, node.output('result'));
}

const newQuery = (flow: FlowBuilder): Port =>
  flow.node('postgrest_new_query', {
    inputs: ['url?', 'schema?', 'table'],
    outputs: ['query'],
    form: { table: 'flows' },
  })
    .output('query');

const startedRun = async (person: Person, flow: FlowBuilder) =>
  await finishedRun(
    person,
    (await start(person, `id=${await deploy(person, await storeFlow(person, flow))}`)).flow_run_id,
  );

it("a flow writes and reads its owner's rows, and neither sees nor changes those of another user", async () => {
  const foreign = String(await storeFlow(other, new FlowBuilder(), { name: 'of the other' }));
  const own = String(await storeFlow(owner, new FlowBuilder(), { name: 'before' }));
  const flow = new FlowBuilder();
  for (const [name, id] of [['own', own], ['foreign', foreign]] as const) {
    const rows = () => builder(flow, 'eq', newQuery(flow), { column: 'id', filter: id });
    execute(flow, builder(flow, 'select', rows(), { columns: 'name' }), `${name}_before`);
    const updated = builder(flow, 'update', rows(), { body: { name: 'after' } });
    execute(flow, builder(flow, 'select', updated, { columns: 'name' }), `${name}_after`);
  }
  const inserted = builder(flow, 'insert', newQuery(flow), { body: { name: 'new' } });
  execute(flow, builder(flow, 'select', inserted, { columns: 'name,user_id' }), 'inserted');
  const run = await startedRun(owner, flow);
  const rows = (...names: string[]) => ({ A: names.map((name) => ({ M: { name: { S: name } } })) });
  expect([run.errors, run.output]).toMatchObject([null, {
    M: {
      own_after: rows('after'),
      foreign_before: rows(),
      foreign_after: rows(),
      inserted: { A: [{ M: { name: { S: 'new' }, user_id: { S: owner.id } } }] },
    },
  }]);
  const { data } = await other.client.from('flows').select('name').eq('id', Number(foreign));
  expect(data).toEqual([{ name: 'of the other' }]);
});

it('a function is called as the owner, whoever starts the flow, and its refusal is the error of the node', async () => {
  const flow = new FlowBuilder();
  const call = (form: Record<string, string>) =>
    flow.node('sql_function', { inputs: ['schema?', 'function', 'params?'], outputs: ['result'], form });
  flow.output('caller', call({ schema: 'public', function: 'whoami' }).output('result'));
  flow.output('key', call({ function: 'max_queue_length' }).output('result'));
  const id = await deploy(owner, await storeFlow(owner, flow));
  await owner.client.from('flow_deployments').update({ start_permission: 'Authenticated' }).eq('id', id).throwOnError();
  const { flow_run_id } = await start(other, `id=${id}`);
  const run = await finishedRun(owner, flow_run_id);
  expect(run.output).toEqual({ M: { caller: { M: { user_id: { S: owner.id }, is_anonymous: { B: false } } } } });
  // Only the service role may call this function.
  expect(run.errors).toEqual([expect.stringContaining('"permission denied for function max_queue_length"')]);
});

it('a flow reads more rows than one answer of the REST API has', async () => {
  const sql = connect(inject('stack').SUPERUSER_URL);
  try {
    await sql`insert into public.kv_stores (user_id, name) values (${owner.id}, 'many')`;
    await sql`
      insert into public.kv_items (user_id, store, key, value)
      select ${owner.id}, 'many', to_char(n, 'FM0000'), '{"N":0}' from generate_series(1, 1500) as n order by random()`;
  } finally {
    await sql.end();
  }
  const flow = new FlowBuilder();
  const many = flow.node('postgrest_new_query', {
    inputs: ['url?', 'schema?', 'table'],
    outputs: ['query'],
    form: { table: 'kv_items' },
  }).output('query');
  const filtered = builder(flow, 'eq', many, { column: 'store', filter: 'many' });
  const keys = builder(flow, 'select', filtered, { columns: 'key' });
  execute(flow, keys, 'all');
  execute(flow, builder(flow, 'order', keys, { columns: 'updated_at' }), 'ordered');
  execute(flow, builder(flow, 'limit', builder(flow, 'offset', keys, { count: 200 }), { count: 1_200 }), 'part');
  const { errors, output } = await startedRun(owner, flow);
  expect(errors).toBeNull();
  const rows = (from: number, to: number) => ({
    A: Array.from({ length: to - from }, (_, index) => ({
      M: { key: { S: String(from + index).padStart(4, '0') } },
    })),
  });
  expect(output).toEqual({ M: { all: rows(1, 1_501), ordered: rows(1, 1_501), part: rows(201, 1_401) } });
});

it('a flow that starts itself ends', async () => {
  const flowId = await storeFlow(owner, new FlowBuilder());
  const flow = new FlowBuilder();
  flow.node('sql_function', {
    inputs: ['function', 'params'],
    outputs: ['result'],
    form: { function: 'start_flow', params: { flow_id: flowId } },
  });
  const row = flow.row() as never;
  await owner.client.from('flows').update(row).eq('id', flowId).throwOnError();
  await owner.client.rpc('start_flow', { flow_id: flowId }).throwOnError();
  const runs = await waitFor(async () => {
    const { data } = await owner.client.from('flow_run').select('status, errors').eq('flow_id', flowId).order('id');
    return data?.some(({ status }) => status === 'failed') ? data : undefined;
  });
  expect(runs.map(({ status }) => status)).toEqual([...Array(16).fill('succeeded'), 'failed']);
  expect(runs.at(-1)!.errors).toEqual([
    expect.stringContaining('17 runs have started one another: it seems to be a loop.'),
  ]);
}, 60_000);
