import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import type { Deps } from '../_shared/deps.ts';
import { MAX_BODY_BYTES } from '../_shared/body.ts';
import type { AcceptedRequest, Runs } from './accepted_request.ts';
import { callTool } from './call_tool.ts';
import { toTool } from './tools.ts';

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** Makes the server that answers one request. */
function makeServer(accepted: AcceptedRequest, deps: Deps, runs: Runs): Server {
  const { page, message } = accepted;
  const server = new Server({ name: 'flow-deployments', version: '1' }, {
    capabilities: { tools: {} },
    // The default of the package makes code from schemas, which Edge Functions do not allow.
    jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
  });
  server.setRequestHandler('tools/list', () => {
    if (message.hasForeignCursor) throw invalid('The cursor is unknown.');
    const { tools, next } = page;
    return { tools: tools.map(toTool), ...(next !== undefined && { nextCursor: String(next) }) };
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = page.tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw invalid('There is no such tool.');
    return await callTool(tool, accepted, { deps, runs, signal: mcpReq.signal });
  });
  return server;
}

/** Answers a request by the package of the protocol. Clients of the revisions 2026-07-28 and 2025-11-25 are served. */
export async function serve(
  request: Request,
  accepted: AcceptedRequest,
  deps: Deps,
  runs: Runs,
): Promise<Response> {
  const handler = createMcpHandler(() => makeServer(accepted, deps, runs), {
    legacy: 'stateless',
    maxRequestBodySize: MAX_BODY_BYTES,
  });
  const { method, url, headers, signal } = request;
  return await handler.fetch(new Request(url, { method, headers, signal, body: accepted.message.text }));
}
