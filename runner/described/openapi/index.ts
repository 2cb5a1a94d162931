import { type OpenApiImplementation, openApiImplementationSchema } from '../../../types/described/openapi.ts';
import type { FrozenDefinition } from '../../../types/flow.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { requestOfRun } from '../../engine/failures/request_of_run.ts';
import { formConnection, type HttpResponse, type NodeCall, type NodeModule } from '../../engine/node.ts';
import { readResponse } from '../../values/response_value.ts';
import { withBytesInputs } from '../bytes_inputs.ts';
import { definitionOf, invalidModule, schemaFault } from '../frozen.ts';
import { memberOutputs } from '../member_outputs.ts';
import { makeBody } from './body.ts';
import { expandParameters } from './parameters.ts';
import { serverOf } from './server.ts';

/** Makes the outputs: status, headers, body, and the members of the body that the definition names. */
function outputsOf(
  { outputs }: OpenApiImplementation,
  frozen: FrozenDefinition,
  response: HttpResponse,
  maxBytes: number,
): ValueMap {
  const { body, headers } = readResponse(response, maxBytes);
  const made: ValueMap = Object.create(null);
  made.status = { U: String(response.status) };
  made.headers = headers;
  made.body = body;
  for (const [port, value] of memberOutputs(body, outputs, frozen)) made[port] = value;
  return made;
}

async function callOperation(
  implementation: OpenApiImplementation,
  definition: FrozenDefinition,
  call: NodeCall,
): Promise<ValueMap> {
  const { method, accept } = implementation;
  const { formData, http, maxOutputBytes } = call;
  const inputs = withBytesInputs(call.inputs, definition);
  const { path, query, headers } = expandParameters(implementation.path, implementation.parameters, inputs);
  const url = `${serverOf(implementation, formData)}${path}${query === '' ? '' : `?${query}`}`;
  const body = makeBody(implementation.body, inputs);
  if (accept.length > 0) headers.unshift(['accept', accept.join(', ')]);
  if (body !== undefined) headers.push(['content-type', body.type]);
  return await requestOfRun(call, definition.data.effects !== 'once', async (end) => {
    const credential = await formConnection(call, end);
    const response = await http.request({
      method,
      url,
      headers,
      makeBody: body?.bytes,
      credential,
      maxResponseBytes: maxOutputBytes,
      signal: end,
    });
    return outputsOf(implementation, definition, response, maxOutputBytes);
  });
}

/** Makes the module of an operation. The runner checks the implementation here, because SQL checks only its size. */
export function makeModule(frozen: FrozenDefinition): NodeModule {
  const { success, data, error } = openApiImplementationSchema.safeParse(frozen.data.implementation);
  const definition = definitionOf(frozen);
  return success
    ? { definition, run: (call) => callOperation(data, frozen, call) }
    : invalidModule(definition, schemaFault(error));
}
