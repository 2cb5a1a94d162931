import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasEffects, isInstructionNode, makeRunGraph } from '../../runner/engine/graph/graph.ts';
import { onlyNative } from '../../runner/engine/node.ts';
import { nodeIds, nodeRegistry } from '../../runner/nodes/registry.ts';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { projectNodesDir, readDefinitionFiles } from '../../dev/nodes/publish_nodes.ts';
import type { FlowWarning } from '../../types/deployment.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { FlowBuilder, type FormJson } from '../support/flow_builder.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
  for (const { text } of await readDefinitionFiles(projectNodesDir)) {
    await sql`insert into public.nodes select * from json_populate_record(null::public.nodes, ${text}::text::json)`;
  }
});

afterAll(() => database.close());

/** Returns the codes and messages of a flow's warnings about one node. */
async function warningsOf(flow: FlowBuilder): Promise<string[]> {
  const { nodes, edges } = flow.row();
  const [row] = await sql<[{ warnings: FlowWarning[] }]>`
    select private.flow_warnings(${sql.json(nodes as never)}, ${sql.json(edges as never)}, '{}') as warnings`;
  return row.warnings.map(({ code, message }) => `${code} ${/"([^"]*)"/.exec(message)?.[1]}`);
}

/** The form data of a node const. Other nodes have no such member. */
const ONE_CONSTANT = { type: 'null' };

it.each(nodeIds())('SQL knows %s and its required inputs', async (nodeId) => {
  const flow = new FlowBuilder();
  flow.use(nodeId, {}, { form: { label: 'its name', ...ONE_CONSTANT } });
  const { definition: { targets }, takesPortsFromFlow, labelledSide } = nodeRegistry(nodeId)!;
  const isLabelled = labelledSide === 'input';
  // For a script, the flow declares the inputs. Only the deploy route checks them.
  const areDefined = takesPortsFromFlow === undefined || takesPortsFromFlow === 'outputs';
  const needed = targets.filter(({ required }) => required && areDefined)
    .map(({ name }) => isLabelled ? 'its name' : name);
  expect((await warningsOf(flow)).toSorted()).toEqual(needed.map((name) => `input_missing ${name}`).toSorted());
});

it.each(nodeIds())('SQL knows whether only the flow declares the ports of %s', async (nodeId) => {
  const { takesPortsFromFlow, definition, labelledSide } = nodeRegistry(nodeId)!;
  const form = Object.fromEntries([
    ...Object.entries({ label: 'label', ...ONE_CONSTANT }),
    ...definition.targets.map(({ name }) => [name, 1] as const),
  ]);
  const flow = new FlowBuilder();
  const node = flow.node(nodeId, { inputs: ['own?'], outputs: ['own'], form });
  const source = flow.constant({ N: 0 });
  flow.connect(source, node.input('own'));
  const sink = flow.use('to_string');
  flow.connect(node.output('own'), sink.input('stringify'));
  // The values of the form have other types than some of the ports.
  const codes = (await warningsOf(flow)).filter((warning) => warning.startsWith('edge_'));
  const isDrawn = (side: 'input' | 'output') =>
    takesPortsFromFlow === true || takesPortsFromFlow === `${side}s` || labelledSide === side;
  expect(codes).toEqual([
    ...(isDrawn('input') ? [] : ['edge_target_port_unknown own']),
    ...(isDrawn('output') ? [] : ['edge_source_port_unknown own']),
  ]);
});

it('SQL and the runner agree on which nodes have effects', async () => {
  const methods = [
    undefined,
    null,
    'GET',
    'get',
    'HEAD',
    'options',
    'POST',
    '',
    ' GET',
    1,
    true,
    ['GET'],
    'getAsset',
    'ISBlockhashValid',
    'simulateBundle',
    'send',
  ];
  const forms = [
    ...methods.map((method) => method === undefined ? {} : { method }),
    ...[undefined, 'GET', 'POST', 1].map((method) => ({ query: { table: 'notes', ...(method && { method }) } })),
    { query: null },
    { query: 'GET' },
    { safe_to_repeat: true },
  ] as FormJson[];
  const flow = new FlowBuilder();
  const given = flow.constant({ S: 'GET' });
  for (const nodeId of nodeIds()) {
    for (const form of forms) flow.use(nodeId, {}, { form });
    const deciding = nodeRegistry(nodeId)!.effectsByInput?.name;
    if (deciding === undefined) continue;
    const form = { method: 'GET', query: { table: 'notes', method: 'GET' } };
    flow.use(nodeId, { [deciding]: given }, { form });
  }
  const { nodes } = makeRunGraph(flow.graph(), onlyNative(nodeRegistry));
  const expected = nodes.filter((node) => hasEffects(node, () => 'none'));
  const rows = await sql<{ node_id: string; is_settled: boolean }[]>`
    select * from private.acting_nodes(${sql.json(flow.nodes as never)}, ${sql.json(flow.edges as never)}, '{}')`;
  expect(rows.map(({ node_id }) => node_id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
  expect(rows.filter(({ is_settled }) => is_settled).map(({ node_id }) => node_id).toSorted())
    .toEqual(expected.filter(isInstructionNode).map(({ id }) => id).toSorted());
});

/** Nodes that use the owner's stores or files, but whose outputs have none of their contents. */
const GIVE_NO_DATA = [
  'kv_create_store',
  'kv_delete_store',
  'storage_delete',
  'storage_get_public_url',
  'storage_upload',
];

it('SQL knows all nodes that read data of the owner', async () => {
  const using = nodeIds().filter((nodeId) => {
    const file = join(projectNodesDir, nodeId, 'index.ts');
    return existsSync(file) && /\b(kv|files\.|files }|sendQuery)\b/.test(readFileSync(file, 'utf8'));
  });
  const rows = await sql<{ id: string }[]>`
    select n.id from unnest(${nodeIds()}::text[]) as n (id) where private.reads_owner_data(n.id)`;
  const known = rows.map(({ id }) => id);
  expect([...new Set([...known, ...GIVE_NO_DATA])].toSorted()).toEqual(
    [...new Set([...using, ...known])].toSorted(),
  );
});
