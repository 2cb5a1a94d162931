import { isRedirect } from '../../../types/http_status.ts';
import type { LosslessJson, ValueMap } from '../../../types/values/value.ts';
import { formConnection, formMember, NodeError, type NodeModule } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/failures/request_of_run.ts';
import { isSuccess, readResponse } from '../../values/response_value.ts';
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

/** Reads the form member `redirects`. True if a redirect is the answer, and not followed. */
function stopsAtRedirects(formData: LosslessJson): boolean {
  const redirects = formMember(formData, 'redirects') || 'follow';
  if (redirects !== 'follow' && redirects !== 'stop') throw new NodeError('redirects must be follow or stop');
  return redirects === 'stop';
}

/** Makes an HTTP request. `runner/reach/` decides which addresses it may reach. */
export const httpRequestNode: NodeModule = {
  definition,
  effectsByInput: { name: 'method', effectsOf: (inputs) => isSafe(inputs) ? 'none' : 'once' },
  run: async (call) => {
    const { inputs, formData, maxOutputBytes, http, signal, releasing } = call;
    const request = readRequest(inputs);
    const stops = stopsAtRedirects(formData);
    return await requestOfRun({ signal, releasing }, isSafe(inputs), async (end) => {
      const credential = await formConnection(call, end);
      if (credential !== undefined && hasBasicAuth(inputs)) {
        throw new NodeError('give either a connection or basic_auth, not both');
      }
      // If the response is larger than an output may be, the client stops receiving.
      const limits = { maxResponseBytes: maxOutputBytes, signal: end };
      const response = await http.request({ ...request, refusesRedirects: stops, credential, ...limits });
      const isExpected = (status: number) => isSuccess(status) || (stops && isRedirect(status));
      const cookies = { A: (response.cookies ?? []).map((line) => ({ S: line })) };
      return { ...readResponse(response, maxOutputBytes, isExpected), cookies };
    });
  },
};
