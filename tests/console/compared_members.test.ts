import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compareGraphs, type GraphJson, isEqual } from '../../console/shared/compare/compare_graphs.ts';
import { isObject, type PlainObject } from '../../console/shared/graph/drawn_node.ts';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
  await sql`insert into public.nodes (type, data, sources, targets) values ('openapi', ${
    JSON.stringify({ node_id: 'charge', version: '1', display_name: 'Charge', implementation: { path: '/charges' } })
  }::text::jsonb, '[]', '[]')`;
});

afterAll(() => database.close());

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const port = (number: number, members: object) => ({ id: id(number), name: `port${number}`, ...members });

/** A flow that uses each member of a node and of an edge that runs read. */
const flow = {
  nodes: [1, 2].map((node) => ({
    id: id(node),
    position: { x: node, y: 0 },
    data: {
      ...(node === 1
        ? { type: 'native', node_id: 'http_request' }
        : { type: 'openapi', node_id: 'charge', version: '1' }),
      display_name: 'request',
      retry: { max_attempts: 3, delay_ms: 100, backoff: 2, max_delay_ms: 1000 },
      on_error: 'output',
      timeout_ms: 500,
      sources: [port(10 + node, { type: 'free', optional: true }), port(20 + node, { name: 'error', type: 'free' })],
      targets: [port(30 + node, {
        required: false,
        passthrough: true,
        type_bounds: ['free'],
        when_absent: 'run',
      })],
      targets_form: { form_data: { url: 'https://a.example', list: [1, 2] }, extra: { pinned: ['store/key'] } },
      instruction_info: { before: ['a'], signature: 'signature', after: ['b'] },
    },
  })),
  edges: [{
    source: id(1),
    sourceHandle: id(11),
    target: id(2),
    targetHandle: id(32),
    data: { expression: 'a + 1' },
  }],
  environment: { STAGE: 'test' },
  instructions_bundling: 'Automatic',
};

/** Returns the graph of the flow as a snapshot keeps it. */
async function reducedGraph(): Promise<GraphJson> {
  const [row] = await sql<{ data: string; findings: unknown[] }[]>`
    select r.data, r.findings from private.reduce_flow(jsonb_populate_record(null::public.flows, ${
    JSON.stringify({ id: 1, ...flow })
  }::text::jsonb), false, null) as r`;
  expect(row!.findings).toEqual([]);
  return JSON.parse(row!.data).entry;
}

/** Returns a copy of a value for each value in it, with that value removed or replaced. */
function* variants(value: unknown, path: string): Generator<[path: string, variant: unknown]> {
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) {
      for (const [place, variant] of variants(member, `${path}[${index}]`)) yield [place, value.with(index, variant)];
    }
    yield [path, value.slice(1)];
    if (value.length > 1) yield [`${path} in another order`, value.toReversed()];
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...others } = value;
      for (const [place, variant] of variants(member, `${path}.${name}`)) yield [place, { ...value, [name]: variant }];
      yield [`${path} without ${name}`, others];
    }
  } else {
    yield [path, `another ${String(value)}`];
  }
}

it('a change of any part of a snapshot is a difference', async () => {
  const graph = await reducedGraph();
  expect(isEqual(compareGraphs(graph, structuredClone(graph)))).toBe(true);
  const all = [...variants(graph, 'graph')].filter(([path]) =>
    // These are not graphs.
    !['graph without nodes', 'graph without edges'].includes(path)
  );
  expect(all.length).toBeGreaterThan(100);
  const unseen = all.filter(([, variant]) => isEqual(compareGraphs(graph, variant as GraphJson))).map(([path]) => path);
  expect(unseen).toEqual([]);
});

it('the flow of this test has every member that a snapshot keeps', async () => {
  const source = readFileSync('sql/350_flows/60_stored/66_reduce_flow.sql', 'utf8');
  const functions = /create function private\.reduce_nodes[\s\S]*?create function private\.interflow_references/.exec(
    source,
  )!;
  const kept = new Set([...functions[0].matchAll(/"([a-zA-Z_]+)": /g)].map(([, name]) => name!));
  expect(kept.size).toBeGreaterThan(20);
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (isObject(value)) {
      for (const [name, member] of Object.entries(value as PlainObject)) {
        found.add(name);
        collect(member);
      }
    }
  };
  collect(await reducedGraph());
  expect([...kept].filter((name) => !found.has(name))).toEqual([]);
});
