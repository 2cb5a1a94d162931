import { type McpImplementation, mcpImplementationSchema } from '../../../types/described/mcp.ts';
import type { FrozenDefinition } from '../../../types/flow.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { requestOfRun } from '../../engine/failures/request_of_run.ts';
import { formConnection, type NodeCall, type NodeModule } from '../../engine/node.ts';
import { toExactJson } from '../exact_json.ts';
import { withBytesInputs } from '../bytes_inputs.ts';
import { definitionOf, invalidModule, schemaFault } from '../frozen.ts';
import { callTool } from './call_tool.ts';
import { outputsOf } from './result.ts';

/** The time limit of a call, if the node has no `data.timeout_ms`. */
const CALL_MS = 60_000;
/**
 * The time limit in an Edge Function, if the call can't be repeated. The platform ends the function after 150 s, and the
 * call may begin at the end of its slice of 100 s.
 */
const UNREPEATABLE_MS = 40_000;

/** The longest time of a call. */
function longestMs({ timeoutMs = CALL_MS, wallEnd }: NodeCall, canBeginAgain: boolean): number {
  return canBeginAgain || wallEnd === undefined ? timeoutMs : Math.min(timeoutMs, UNREPEATABLE_MS);
}

/** The arguments of the tool. An input without a value, or with null, is left out. */
function argumentsOf({ inputs: fields }: McpImplementation, inputs: ValueMap): ValueMap {
  const made: ValueMap = Object.create(null);
  for (const { port, name } of fields) {
    const value = inputs[port];
    if (value !== undefined && !('N' in value)) made[name] = value;
  }
  return made;
}

async function runTool(implementation: McpImplementation, frozen: FrozenDefinition, call: NodeCall): Promise<ValueMap> {
  const { http, log, maxOutputBytes } = call;
  const inputs = withBytesInputs(call.inputs, frozen);
  const canBeginAgain = frozen.data.effects !== 'once';
  const json = await requestOfRun(
    call,
    canBeginAgain,
    async (end) =>
      await callTool(implementation, toExactJson({ M: argumentsOf(implementation, inputs) }), {
        http,
        credential: await formConnection(call, end),
        timeoutMs: longestMs(call, canBeginAgain),
        end,
        maxOutputBytes,
        onProgress: (text) => log('Info', text),
      }),
  );
  return outputsOf(json, implementation, frozen, maxOutputBytes);
}

/** Makes the module of a tool. The runner checks the implementation here, because SQL checks only its size. */
export function makeModule(frozen: FrozenDefinition): NodeModule {
  const { success, data, error } = mcpImplementationSchema.safeParse(frozen.data.implementation);
  const definition = definitionOf(frozen);
  return success
    ? { definition, run: (call) => runTool(data, frozen, call) }
    : invalidModule(definition, schemaFault(error));
}
