import { type McpImplementation, mcpImplementationSchema } from '../../types/described/mcp.ts';
import type { ServerTools } from '../../types/described/server_tools.ts';
import type { Effects } from '../../types/node_definition.ts';
import { isObject } from '../../types/values/value.ts';
import type { DefinitionToStore } from '../flow_client.ts';
import { argumentHeaders } from './argument_headers.ts';
import {
  checkedDefinition,
  type Described,
  type DescribeOptions,
  nodeIdOf,
  NodeIds,
  WantedOperations,
} from './described.ts';
import {
  type DescribedJson,
  DocumentReading,
  listOf,
  memberOf,
  objectOf,
  OperationRefused,
  printable,
  References,
  textOf,
} from './documents.ts';
import { makeForm } from './form.ts';
import { Names } from './names.ts';
import type { DescribedInput, DescribedOutput } from './ports.ts';
import { portTypeOf, propertiesOf } from './schemas.ts';

/** The most tools of one server that are read. */
const MAX_TOOLS = 10_000;
const MAX_VERSIONS = 100;

/** The effects that a tool declares. A hint of a server may be wrong, so the user may change them. */
function effectsOf(tool: DescribedJson): Effects {
  const { readOnlyHint, idempotentHint } = objectOf(tool.annotations);
  return readOnlyHint === true ? 'none' : idempotentHint === true ? 'idempotent' : 'once';
}

/** Makes the inputs of a tool: the properties of its arguments. */
function readInputs(schema: DescribedJson) {
  const references = new References(new DocumentReading(schema));
  const names = new Names(['connection']);
  const { properties, required } = propertiesOf(schema, references);
  const inputs = Object.entries(properties).map(([name, property]) => ({
    name,
    property,
    port: names.take(name, 'arg'),
  }));
  return {
    inputs: inputs.map(({ name, port }) => ({ port, name })),
    headers: argumentHeaders(schema, references),
    targets: inputs.map(({ name, port, property }): DescribedInput => ({
      name: port,
      type_bounds: [portTypeOf(property, references)],
      required: required.has(name),
      passthrough: false,
      tooltip: printable(textOf(memberOf(references.resolve(property), 'description')) ?? '', 300),
    })),
  };
}

/** Makes the outputs of a tool: its content, its structured result, and the properties of that result. */
function readOutputs(schema: DescribedJson) {
  const references = new References(new DocumentReading(schema));
  const names = new Names(['content', 'structured']);
  const outputs = Object.entries(propertiesOf(schema, references).properties)
    .map(([name, property]) => ({ name, property, port: names.take(name, 'result') }));
  return {
    outputs: outputs.map(({ name, port }) => ({ port, name })),
    sources: [
      { name: 'content', type: 'array' },
      { name: 'structured', type: 'free', optional: true },
      ...outputs.map(({ port, property }) => ({
        name: port,
        type: portTypeOf(property, references),
        optional: true as const,
      })),
    ] satisfies DescribedOutput[],
  };
}

function describeTool(tool: DescribedJson, name: string, nodeId: string, list: ServerTools): DefinitionToStore {
  const { targets, inputs, headers } = readInputs(objectOf(tool.inputSchema));
  const { sources, outputs } = readOutputs(objectOf(tool.outputSchema));
  const { url, discover } = list;
  const server = objectOf(list.server);
  const versions = discover && listOf(discover.supportedVersions).slice(0, MAX_VERSIONS);
  const implementation: { [member in keyof McpImplementation]: unknown } = {
    url,
    tool: name,
    discover: versions ? { supportedVersions: versions } : undefined,
    inputs,
    headers,
    outputs,
  };
  const checked = mcpImplementationSchema.safeParse(implementation);
  if (!checked.success) throw new OperationRefused(checked.error.issues[0]?.message ?? 'the tool is malformed');
  return checkedDefinition({
    type: 'mcp',
    data: {
      node_id: nodeId,
      version: printable(textOf(server.version) || '1', 100),
      display_name: printable(textOf(tool.title) || textOf(objectOf(tool.annotations).title) || nodeId, 200),
      description: printable(textOf(tool.description) ?? '', 2_000),
      effects: effectsOf(tool),
      tags: [printable(textOf(server.title) || textOf(server.name) || new URL(url).host, 100)],
      // Drops members without a value, as JSON does.
      implementation: JSON.parse(JSON.stringify(checked.data)),
    },
    sources,
    targets,
    'targets_form.json_schema': makeForm(targets, [['connection', 'If the server wants a secret']]),
    'targets_form.ui_schema': {},
  });
}

/**
 * Makes a node definition for each tool of an MCP server, from the answer of `POST /nodes/tools`. Follows references
 * within a tool's schemas only, and never runs a `pattern`. A hostile server takes a bounded time.
 */
export function describeTools(list: ServerTools, { prefix = '', only }: DescribeOptions = {}): Described {
  const described: Described = { definitions: [], refused: [] };
  const ids = new NodeIds();
  const wanted = new WantedOperations(only);
  const refuse = (place: string, error: unknown): void => {
    if (!(error instanceof OperationRefused)) throw error;
    described.refused.push({ place, reason: printable(error.message, 500) });
  };
  const known = new Set<string>();
  const tools = listOf(list.tools);
  for (const json of tools.slice(0, MAX_TOOLS)) {
    const tool = objectOf(json);
    const name = textOf(tool.name) ?? '';
    if (!wanted.has(name)) continue;
    const place = printable(name, 200) || 'a tool without a name';
    try {
      if (name === '' || nodeIdOf(name) === '') throw new OperationRefused('the tool has no name');
      if (known.has(name)) throw new OperationRefused('the server has two tools of this name');
      known.add(name);
      if (tool.inputSchema !== undefined && !isObject(tool.inputSchema)) {
        throw new OperationRefused('the schema of the arguments is no object');
      }
      described.definitions.push(describeTool(tool, name, ids.take(prefix + nodeIdOf(name)), list));
    } catch (error) {
      refuse(place, error);
    }
  }
  described.refused.push(...wanted.refusals());
  if (tools.length > MAX_TOOLS) described.refused.push({ place: '', reason: `more than ${MAX_TOOLS} tools` });
  return described;
}
