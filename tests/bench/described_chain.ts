import { describeOpenApi } from '../../client/describing/index.ts';
import type { DefinitionToStore } from '../../client/flow_client.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

/** Makes definitions of operations that read an item by its id. */
export function describedDefinitions(count: number): DefinitionToStore[] {
  const paths = Object.fromEntries(Array.from({ length: count }, (_, index) => [`/items${index}/{id}`, {
    get: {
      operationId: `read_${index}`,
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { 200: { content: { 'application/json': { schema: { properties: { id: { type: 'string' } } } } } } },
    },
  }]));
  return describeOpenApi({
    openapi: '3.1.0',
    info: { title: 'Items', version: '1' },
    servers: [{ url: 'https://items.example' }],
    paths,
  }).definitions;
}

/** A chain of described nodes. The definitions take turns. */
export function describedChain(length: number, definitions: readonly DefinitionToStore[]): FlowBuilder {
  const flow = new FlowBuilder();
  let port = flow.input('n');
  for (let count = 0; count < length; count++) {
    const { data } = definitions[count % definitions.length]!;
    const node = flow.node(data.node_id, { type: 'openapi', inputs: ['id'], outputs: ['id'] });
    Object.assign(flow.nodes.at(-1)!.data, { version: data.version });
    flow.connect(port, node.input('id'));
    port = node.output('id');
  }
  flow.output('out', port);
  return flow;
}
