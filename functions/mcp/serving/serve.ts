import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import { MAX_BODY_BYTES } from '../../_shared/body.ts';
import type { Deps } from '../../_shared/deps.ts';
import type { AcceptedRequest, Runs } from '../accepted_request.ts';
import { type CallClient, callTool } from './call_tool.ts';
import { callOwnTool, ownTools } from './own_runs.ts';
import { toTool } from './tools.ts';

type Era = 'legacy' | 'modern';

/** A longer progress token gets no notifications, because each of them would repeat it. */
const MAX_TOKEN_CHARACTERS = 256;

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** Describes the client of a tool call. */
function clientOf(server: Server, era: Era, { mcpReq }: ServerContext): CallClient {
  const { elicitation } = server.getClientCapabilities() ?? {};
  const token = mcpReq._meta?.progressToken;
  const progressToken = String(token).length > MAX_TOKEN_CHARACTERS ? undefined : token;
  return {
    hasRounds: era === 'modern',
    // A client that names no kind of elicitation has forms.
    asksBy: {
      form: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
      url: elicitation?.url !== undefined,
    },
    requestState: mcpReq.requestState<string>(),
    inputResponses: mcpReq.inputResponses ?? {},
    signal: mcpReq.signal,
    onProgress: progressToken === undefined ? undefined : (progress, message) => {
      // A client that is gone takes no notification.
      void mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
        .catch(() => {});
    },
  };
}

/** Makes the server that answers one request. */
function makeServer(era: Era, accepted: AcceptedRequest, deps: Deps, runs: Runs): Server {
  const { page, message, isOwn } = accepted;
  const server = new Server({ name: 'flow-deployments', version: '1' }, {
    capabilities: { tools: {} },
    // The default of the package makes code from schemas, which Edge Functions do not allow.
    jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
    // A client of the revision 2025-11-25 could answer a question only over a connection that stays.
    inputRequired: { legacyShim: false },
  });
  server.setRequestHandler('tools/list', () => {
    if (message.hasForeignCursor) throw invalid('The cursor is unknown.');
    const { tools, next } = page;
    const listed = tools.map(toTool);
    if (next !== undefined) return { tools: listed, nextCursor: String(next) };
    return { tools: isOwn ? [...listed, ...ownTools] : listed };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = page.tools.find(({ name }) => name === params.name);
    if (tool !== undefined) {
      return await callTool(tool, accepted, { deps, runs, client: clientOf(server, era, context) });
    }
    const own = isOwn ? await callOwnTool(params.name, params.arguments ?? {}, accepted, deps, runs) : undefined;
    if (own === undefined) throw invalid('There is no such tool.');
    return own;
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
  const handler = createMcpHandler(({ era }) => makeServer(era, accepted, deps, runs), {
    legacy: 'stateless',
    maxRequestBodySize: MAX_BODY_BYTES,
  });
  const { method, url, headers, signal } = request;
  return await handler.fetch(new Request(url, { method, headers, signal, body: accepted.message.text }));
}
