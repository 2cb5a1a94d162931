import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeIds, nodeRegistry } from '../../functions/runner/nodes/registry.ts';
import type { Sql } from '../../supabase/local/postgres.ts';
import { projectNodesDir, readDefinitionFiles } from '../../supabase/tools/publish_nodes.ts';
import type { FlowWarning } from '../../types/deployment.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

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

/** The codes and messages of a flow's warnings about one node. */
async function warningsOf(flow: FlowBuilder): Promise<string[]> {
  const { nodes, edges } = flow.row();
  const [row] = await sql<[{ warnings: FlowWarning[] }]>`
    select private.flow_warnings(${sql.json(nodes as never)}, ${sql.json(edges as never)}) as warnings`;
  return row.warnings.map(({ code, message }) => `${code} ${/"([^"]*)"/.exec(message)?.[1]}`);
}

it.each(nodeIds())('SQL knows %s, and which inputs it needs', async (nodeId) => {
  const flow = new FlowBuilder();
  flow.use(nodeId, {}, { form: { label: 'its name' } });
  const { targets } = nodeRegistry(nodeId)!.definition;
  const isLabelled = nodeRegistry(nodeId)!.labelledSide === 'input';
  const needed = targets.filter(({ required }) => required).map(({ name }) => isLabelled ? 'its name' : name);
  expect((await warningsOf(flow)).toSorted()).toEqual(needed.map((name) => `input_missing ${name}`).toSorted());
});

it.each(nodeIds())('SQL knows whether %s has ports that only the flow says', async (nodeId) => {
  const { takesPortsFromFlow, definition, labelledSide } = nodeRegistry(nodeId)!;
  const form = Object.fromEntries([['label', 'label'], ...definition.targets.map(({ name }) => [name, 1] as const)]);
  const flow = new FlowBuilder();
  const node = flow.node(nodeId, { inputs: ['own?'], outputs: ['own'], form });
  const source = flow.constant({ N: 0 });
  flow.connect(source, node.input('own'));
  const sink = flow.use('to_string');
  flow.connect(node.output('own'), sink.input('stringify'));
  const codes = (await warningsOf(flow)).filter((warning) => warning !== 'input_missing label');
  expect(codes).toEqual([
    ...(takesPortsFromFlow !== undefined || labelledSide === 'input' ? [] : ['edge_target_port_unknown own']),
    ...(takesPortsFromFlow === true || labelledSide === 'output' ? [] : ['edge_source_port_unknown own']),
  ]);
});
