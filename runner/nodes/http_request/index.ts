import type { ValueMap } from '../../../types/values/value.ts';
import { formConnection, NodeError, type NodeModule } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/request_of_run.ts';
import { readResponse } from '../../values/response_value.ts';
import definition from './definition.json' with { type: 'json' };
import { hasBasicAuth, readMethod, readRequest } from './request.ts';

/**
 * Safe methods. A request with such a method may be repeated. Source: RFC 9110, section 9.2.1. TRACE is also safe, but
 * the client refuses it.
 */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

function isSafe(inputs: ValueMap): boolean {
  try {
    return SAFE_METHODS.has(readMethod(inputs));
  } catch {
    return false;
  }
}

/** Makes an HTTP request. `runner/reach/` decides which addresses it may reach. */
export const httpRequestNode: NodeModule = {
  definition,
  effectsByInput: { name: 'method', effectsOf: (inputs) => isSafe(inputs) ? 'none' : 'once' },
  run: async (call) => {
    const { inputs, maxOutputBytes, http, signal, releasing } = call;
    const request = readRequest(inputs);
    return await requestOfRun({ signal, releasing }, isSafe(inputs), async (end) => {
      const credential = await formConnection(call, end);
      if (credential !== undefined && hasBasicAuth(inputs)) {
        throw new NodeError('give either a connection or basic_auth, not both');
      }
      // If the response is larger than an output may be, the client stops receiving.
      const limits = { maxResponseBytes: maxOutputBytes, signal: end };
      return readResponse(await http.request({ ...request, credential, ...limits }), maxOutputBytes);
    });
  },
};
