import { FlowBuilder } from '../../support/flow_builder.ts';
import { type Attack, inTurn } from './attack.ts';
import type { Attacker } from './attacker.ts';
import { HOSTILE_TOOLS } from './hostile_tools.ts';

const json = JSON.stringify;

/** The number of definitions. A snapshot with all of them is about as large as it may be. */
const DEFINITIONS = 120;
/** The most definitions of one body. */
const BATCH = 6;

/** A definition whose implementation is nearly as large as it may be. */
const largeDefinition = (index: number) => ({
  type: 'openapi',
  data: {
    node_id: `large_${index}`,
    version: '1',
    display_name: 'large',
    effects: 'none',
    implementation: {
      method: 'GET',
      path: `/${index}${'p'.repeat(120_000)}`,
      server: { url: 'https://large.example' },
      parameters: [],
      outputs: [],
      accept: [],
    },
  },
  sources: [],
  targets: [],
});

/** Stores the definitions, and a flow that has a node of each. */
async function storeLargeFlow(attacker: Attacker): Promise<number> {
  const definitions = Array.from({ length: DEFINITIONS }, (_, index) => largeDefinition(index));
  for (let first = 0; first < DEFINITIONS; first += BATCH) {
    await attacker.send('/rest/v1/nodes', json(definitions.slice(first, first + BATCH)));
  }
  const flow = new FlowBuilder();
  for (const { data } of definitions) flow.node(data.node_id, { type: 'openapi' });
  for (const node of flow.nodes) Object.assign(node.data, { version: '1' });
  return await attacker.store(flow);
}

/** The nodes of one flow, which call a server of tools at the same time. */
const PARALLEL_CALLS = 8;

/** Stores a node for a tool of the hostile server, and a flow that calls it several times at once. */
async function storeToolFlow(attacker: Attacker, name: string): Promise<number> {
  const definition = {
    type: 'mcp',
    data: {
      node_id: `hostile_${name}`,
      version: '1',
      display_name: name,
      effects: 'none',
      implementation: { url: `${attacker.hostileUrl}/tools/${name}`, tool: name, inputs: [], headers: [], outputs: [] },
    },
    sources: [],
    targets: [],
  };
  await attacker.send('/rest/v1/nodes', json(definition));
  const flow = new FlowBuilder();
  for (let index = 0; index < PARALLEL_CALLS; index++) {
    flow.node(definition.data.node_id, { type: 'mcp', title: `call ${index}` });
  }
  for (const node of flow.nodes) Object.assign(node.data, { version: '1' });
  return await attacker.store(flow);
}

/** Attacks by documents that become nodes, and by nodes whose definitions are large. */
export const describedAttacks: Attack[] = [
  {
    name: 'documents and servers of tools that are silent, inflate, drip and nest',
    lanes: 4,
    prepare: ({ send, hostileUrl }) =>
      Promise.resolve(inTurn(
        ['/silent', '/gzip', '/deflate', '/chunks', '/deep'].flatMap((path) =>
          ['document', 'tools'].map((route) => () =>
            send(`/functions/v1/nodes/${route}`, json({ url: `${hostileUrl}${path}` }))
          )
        ),
      )),
  },
  {
    name: 'servers of tools that answer without measure',
    lanes: 2,
    prepare: async (attacker) => {
      const ids: number[] = [];
      for (const name of HOSTILE_TOOLS) ids.push(await storeToolFlow(attacker, name));
      return inTurn(ids.map((id) => () => attacker.run(id)));
    },
  },
  {
    name: 'flows of many nodes with large definitions',
    lanes: 2,
    prepare: async (attacker) => {
      const id = await storeLargeFlow(attacker);
      return inTurn([() => attacker.run(id), () => attacker.deploy(id)]);
    },
  },
];
