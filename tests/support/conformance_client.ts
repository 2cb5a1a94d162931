import process from 'node:process';
import { type PlainValue, toValue } from '../../client/plain_value.ts';
import { describeTools } from '../../client/describing/index.ts';
import { makeModule } from '../../runner/described/mcp/index.ts';
import { listTools } from '../../runner/described/mcp/list_tools.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';
import type { McpImplementation } from '../../types/described/mcp.ts';
import type { FrozenDefinition } from '../../types/flow.ts';
import { HTTP_LIMITS } from './http_limits.ts';
import { runNode } from './node_call.ts';

// The client of a scenario of MCP's conformance suite: makes nodes of all tools of the server whose address is the last
// argument, and runs each node. The suite gives the arguments of some tools; other arguments get a value of their type.

interface Context {
  toolCalls?: { name: string; arguments: Record<string, PlainValue> }[];
}
const EXAMPLES: Readonly<Record<string, PlainValue>> = {
  i64: 2,
  u64: 2,
  decimal: 2,
  bool: true,
  object: {},
  array: [],
};

const url = process.argv.at(-1) ?? '';
// SAFETY: the suite writes the context.
const { toolCalls = [] } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context;
const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });
const end = new AbortController().signal;
const { definitions, refused } = describeTools(
  await listTools({ url, http, credential: undefined, timeoutMs: 10_000, end }),
);
for (const { place, reason } of refused) console.log(`refused: ${place}: ${reason}`);
for (const definition of definitions) {
  // SAFETY: describeTools has made the definition, which has the members of a frozen one.
  const frozen = definition as unknown as FrozenDefinition;
  const { tool, inputs } = frozen.data.implementation as unknown as McpImplementation;
  const given = toolCalls.find(({ name }) => name === tool)?.arguments;
  const values = inputs.flatMap(({ port, name }) => {
    const { type_bounds: [type = ''] = [] } = definition.targets.find((target) => target.name === port) ?? {};
    const value = given === undefined ? EXAMPLES[String(type)] ?? 'text' : given[name];
    return value === undefined ? [] : [[port, toValue(value)] as const];
  });
  const outcome = await runNode(makeModule(frozen), Object.fromEntries(values), { http }).catch(String);
  console.log(`${tool}: ${JSON.stringify(outcome)}`);
}
