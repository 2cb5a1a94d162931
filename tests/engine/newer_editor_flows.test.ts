import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import { hasEffects, makeRunGraph } from '../../runner/engine/graph/graph.ts';
import { type HttpRequest, NodeError } from '../../runner/engine/node.ts';
import { onlyNative } from '../../runner/engine/node.ts';
import { nodeIds, nodeRegistry } from '../../runner/nodes/registry.ts';
import { editorFlowToRow, readEditorFlow } from '../../types/editor/editor_flow.ts';
import { ACTING_NODES } from '../../types/editor/newer_editor_effects.ts';
import { executeFlow } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

/** Makes a flow with these nodes, in the form of the newer editor. */
const newer = (nodes: object[], edges: object[] = [], members: object = {}) => ({
  name: 'n',
  nodes,
  edges,
  ...members,
});

const node = (id: number, node_id: string, ports: object, config?: object, type = 'native') => ({
  id: `00000000-0000-4000-8000-00000000000${id}`,
  type,
  position: { x: 1, y: 2 },
  data: { node_id, version: '0.1', name: `title ${id}`, ports, config },
});

const edge = (source: number, sourceHandle: string, target: number, targetHandle: string) => ({
  source: `00000000-0000-4000-8000-00000000000${source}`,
  sourceHandle,
  target: `00000000-0000-4000-8000-00000000000${target}`,
  targetHandle,
});

async function run(json: unknown) {
  const row = editorFlowToRow(json);
  const flow = new FlowBuilder();
  // SAFETY: `executeFlow` reads all members of a flow, so a missing one would fail the test.
  Object.assign(flow, { nodes: row.nodes, edges: row.edges });
  return await executeFlow(flow);
}

const SUM = newer([
  node(1, '@spo/core.const.0.1', { outputs: [{ id: 'c', name: 'output' }] }, { type: 'U64', value: { U: '2' } }),
  node(2, 'flow_input', { outputs: [{ id: 'i', name: 'price' }] }, { label: 'other', value: { D: '1.5' } }),
  node(3, 'rhai_script_2x1', {
    inputs: [{ id: 's', name: 'source' }, { id: 'a', name: 'a' }, { id: 'b', name: 'b' }],
    outputs: [{ id: 'u', name: 'u' }],
  }, { source: { S: 'a * b' } }),
  node(4, 'flow_output', { inputs: [{ id: 'o', name: 'total', required: true }] }, { label: 'old' }),
], [edge(1, 'c', 3, 'a'), edge(2, 'i', 3, 'b'), edge(3, 'u', 4, 'o')]);

describe('a flow of the newer editor', () => {
  it('runs after its conversion, with its ports and plain settings', async () => {
    expect(readEditorFlow(SUM).leftOut).toEqual([]);
    expect(await run(SUM)).toMatchObject({ errors: null, output: { M: { total: { D: '3.0' } } } });
    expect(editorFlowToRow(SUM).nodes[0]).toMatchObject({
      position: { x: 1, y: 2 },
      data: {
        type: 'native',
        node_id: 'const',
        display_name: 'title 1',
        sources: [{ id: 'c', name: 'Source', type: 'free', optional: false }],
        newer_editor: { node_id: '@spo/core.const.0.1' },
      },
    });
  });

  it('of the newest form, with the ports in data itself, becomes the same flow', async () => {
    const newest = {
      ...SUM,
      nodes: SUM.nodes.map((json) => {
        const { data: { ports, ...data }, ...others } = json as { data: { ports: object } };
        return { ...others, data: { ...data, ...ports } };
      }),
    };
    expect(readEditorFlow(newest)).toEqual(readEditorFlow(SUM));
    expect(await run(newest)).toMatchObject({ errors: null, output: { M: { total: { D: '3.0' } } } });
    const note = {
      id: '00000000-0000-4000-8000-000000000009',
      data: { node_id: 'note', config: { text: { S: 'a' } } },
    };
    expect(editorFlowToRow({ nodes: [note], edges: [] }).nodes).toMatchObject([
      { data: { sources: [], targets: [], targets_form: { form_data: { text: 'a' } } } },
    ]);
  });

  it('calls flows by their stored ids, if these are known', () => {
    const config = { flow_id: { S: 'a-uuid' } };
    for (const name of ['interflow', '@spo/core.interflow_instructions.0.1']) {
      const flow = newer([node(1, name, {}, config)], [], { id: 'other' });
      const { row, id, leftOut } = readEditorFlow(flow, new Map([['a-uuid', 70]]));
      expect([id, leftOut]).toEqual(['other', []]);
      expect(row.nodes).toMatchObject([{ data: { targets_form: { form_data: { id: 70 } } } }]);
      expect(readEditorFlow(flow, new Map([['b', 70]])).leftOut).toHaveLength(1);
    }
  });

  it('may have nodes without ports', () => {
    const note = { ...node(9, 'note', {}), data: { node_id: 'note' } };
    expect(editorFlowToRow({ ...SUM, nodes: [...SUM.nodes, note] }).nodes.at(-1)).toMatchObject({
      data: { sources: [], targets: [], targets_form: { form_data: {} } },
    });
  });

  it('names the connection of a request by its secret, whose header is left out', () => {
    const config = {
      url: { S: 'https://api.example.com' },
      headers: { M: { authorization: { vault_ref: 'mail' }, accept: { S: 'text/plain' } } },
    };
    const { row, leftOut } = readEditorFlow(newer([node(1, 'http_request', {}, config)]));
    expect(row.nodes[0]).toMatchObject({
      data: {
        targets_form: {
          form_data: { url: 'https://api.example.com', headers: { accept: 'text/plain' }, connection: 'mail' },
        },
      },
    });
    expect(leftOut).toEqual([expect.stringContaining('config.headers: the secret mail is not carried over')]);
  });

  it('lists what could not be carried over', () => {
    const { row, leftOut } = readEditorFlow(newer(
      [
        node(1, 'interflow', { inputs: [{ id: 'f', name: 'flow' }] }, { flow_id: { S: 'a-uuid' } }),
        node(2, 'transfer_sol', {}, {
          amount: { F: '1.5' },
          key: { vault_ref: 'x' },
          big: { U1: '99999999999999999999' },
          long: { D: '0.12345678901234567890' },
          near: { D: '0.99999999999999999999' },
          wide: { D: '5000000000000000.3' },
          short: { D: '0.100000000000000000' },
          whole: { D: '-12.0' },
        }),
        node(3, 'deno_code', {}, {}, 'strange'),
      ],
      [],
      { slug: 'x' },
    ));
    expect(leftOut).toEqual([
      'slug: has no place here',
      expect.stringMatching(/^nodes\[0\]\.data\.config\.flow_id: flows have integer ids/),
      expect.stringMatching(/^nodes\[1\]\.data\.config\.amount: F becomes a plain number/),
      expect.stringMatching(/^nodes\[1\]\.data\.config\.key: the secret x is not carried over: store a connection/),
      expect.stringMatching(/^nodes\[1\]\.data\.config\.big: U1 9{20} has no exact form/),
      expect.stringMatching(/^nodes\[1\]\.data\.config\.long: D 0\.12345678901234567890 has no exact form/),
      expect.stringMatching(/^nodes\[1\]\.data\.config\.near: D 0\.9{20} has no exact form/),
      expect.stringMatching(/^nodes\[1\]\.data\.config\.wide: D 50{15}\.3 has no exact form/),
    ]);
    expect(row.nodes[0]).toMatchObject({ data: { targets: [] } });
    expect(row.nodes[2]).toMatchObject({ data: { type: 'deno' } });
  });

  it.each<[what: string, json: object, error: RegExp]>([
    ['a port without a name', newer([node(1, 'x', { inputs: [{ id: 'a' }] })]), /inputs/],
    ['ports of the wrong type', newer([node(1, 'x', { inputs: 7 })]), /array/],
    ['ports of the wrong type in data', newer([{ id: 'a', data: { node_id: 'x', inputs: 7, outputs: [] } }]), /array/],
    [
      'a config that is a list',
      newer([{ ...node(1, 'x', {}), data: { node_id: 'x', ports: {}, config: [] } }]),
      /config/,
    ],
    ['nesting beyond reading, in the older form', {
      nodes: [{ id: 'a', data: JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) }],
      edges: [],
    }, /nested too deep/],
    [
      'values that are nested too deep',
      newer([node(1, 'x', {}, { v: JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) })]),
      /nested too deep/,
    ],
  ])('with %s is refused', (_, json, error) => {
    expect(() => readEditorFlow(json)).toThrow(error);
  });
});

/** A folder of example flows. It is outside the project, so it may be missing. */
const shared = join(projectDir, '../shared/flows-v2');

describe.runIf(existsSync(shared))('a shared flow of the newer editor runs:', () => {
  it.each(['add', 'consts', 'loop'])('%s', async (name) => {
    const { errors, status } = await run(JSON.parse(readFileSync(join(shared, `${name}.json`), 'utf8')));
    expect({ errors, status }).toEqual({ errors: null, status: 'succeeded' });
  });
});

describe('a node with effects of the newer editor', () => {
  const arrived: string[] = [];
  const http = {
    request: ({ method, url }: HttpRequest) => {
      arrived.push(`${method} ${new URL(url).pathname}`);
      if (url.endsWith('/broken')) throw new NodeError('status code: 500');
      return Promise.resolve({ status: 200, headers: {}, body: new Uint8Array() });
    },
  };
  const request = (id: number, config: object) =>
    node(id, 'http_request', {
      inputs: [{ id: `${id}u`, name: 'url', required: true }, { id: `${id}b`, name: 'body' }],
      outputs: [{ id: `${id}o`, name: 'body' }],
    }, config);
  const send = async (nodes: object[], edges: object[]) => {
    arrived.length = 0;
    const row = editorFlowToRow(newer(nodes, edges));
    const flow = new FlowBuilder();
    // SAFETY: `executeFlow` reads all members of a flow, so a missing one would fail the test.
    Object.assign(flow, { nodes: row.nodes, edges: row.edges });
    await executeFlow(flow, {}, { services: { http } });
    return arrived;
  };
  const post = request(2, { url: { S: 'http://shop.test/order' }, method: { S: 'POST' } });

  it('runs without the value of a branch that is not taken, as in the reference', async () => {
    const script = node(1, 'rhai_script_0x2', {
      inputs: [{ id: 's', name: 'source', required: true }],
      outputs: [{ id: 'u', name: 'u' }, { id: 'v', name: 'v' }],
    }, { source: { S: 'let v = 1' } });
    expect(await send([script, post], [edge(1, 'u', 2, '2b')])).toEqual(['POST /order']);
  });

  it('does not run after a failure', async () => {
    const broken = request(1, { url: { S: 'http://shop.test/broken' } });
    expect(await send([broken, post], [edge(1, '1o', 2, '2b')])).toEqual(['GET /broken']);
  });

  it('is known to the importer', () => {
    const { nodes } = makeRunGraph(
      {
        nodes: nodeIds().map((id) => {
          const flow = new FlowBuilder();
          flow.use(id, {}, { form: { method: 'POST', query: {}, id: 1 } });
          return { ...flow.nodes[0]!, id };
        }),
        edges: [],
        environment: {},
        instructions_bundling: 'Off',
      },
      onlyNative(nodeRegistry),
    );
    expect(nodes.filter((one) => hasEffects(one, () => 'once')).map(({ nodeId }) => nodeId).toSorted())
      .toEqual([...ACTING_NODES].toSorted());
  });
});
