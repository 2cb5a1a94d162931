import type { ValueMap } from '../../../types/values/value.ts';
import { readField, readOptionalField, toText } from '../../../types/values/conversion.ts';
import { fromWireJson, toWireJson } from '../../../types/values/json/wire_json.ts';
import { callJsonRpc, isReadMethod } from '../../solana/rpc/json_rpc.ts';
import { NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

const isRead = ({ method }: ValueMap): boolean => method !== undefined && 'S' in method && isReadMethod(method.S);

/** Reads the parameters as JSON. Source: JSON-RPC 2.0, section 4.2. */
function paramsOf(inputs: ValueMap): string {
  const params = readField(inputs, 'params', toWireJson);
  if (!/^[[{]/.test(params)) throw new NodeError('params: must be a map or a list');
  return params;
}

/**
 * Calls a method of a JSON-RPC server, and outputs the whole answer. For example, the method may be one of the Digital
 * Asset Standard.
 */
export const dasApiNode: NodeModule = {
  definition,
  effectsByInput: { name: 'method', effectsOf: (inputs) => isRead(inputs) ? 'none' : 'once' },
  run: async (call) => {
    const request = {
      url: readField(call.inputs, 'url', toText),
      id: readOptionalField(call.inputs, 'id', toText),
      method: readField(call.inputs, 'method', toText),
      makeParams: () => paramsOf(call.inputs),
      // The whole answer becomes the output, and takes more bytes there than in the response. So a response that is
      // longer than an output may be can never be valid.
      maxAnswerBytes: call.maxOutputBytes,
    };
    return { response: fromWireJson(await callJsonRpc(call, request)) };
  },
};
