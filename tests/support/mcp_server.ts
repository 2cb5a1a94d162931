import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

/** What the calls of tests use of a request and its context. */
interface ToolRequest {
  params: { name: string; arguments?: Record<string, unknown>; _meta?: { progressToken?: string | number } };
}
interface ToolContext {
  mcpReq: { signal: AbortSignal; notify: (notification: never) => Promise<void> };
}

/** A tool of a test's server: its description, and what it does. */
export interface TestTool {
  description: Record<string, unknown>;
  call: (request: ToolRequest, context: ToolContext) => unknown;
}

/** A request that the server received. */
interface ReceivedRequest {
  method: string;
  /** The method of the message. */
  message: string;
  headers: IncomingMessage['headers'];
  body: string;
}

const textOf = async (request: IncomingMessage): Promise<string> => Buffer.concat(await request.toArray()).toString();

/** Starts an MCP server of the protocol's package on loopback. `era` limits it to one revision of the protocol. */
export async function startMcpServer(
  tools: Readonly<Record<string, TestTool>>,
  { onlyModern = false, guard }: { onlyModern?: boolean; guard?: (headers: IncomingMessage['headers']) => boolean } =
    {},
) {
  const received: ReceivedRequest[] = [];
  const makeServer = () => {
    const server = new Server({ name: 'shop', version: '3' }, {
      capabilities: { tools: {} },
      jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
    });
    server.setRequestHandler('tools/list', () => ({
      tools: Object.entries(tools).map(([name, { description }]) => ({ name, ...description })) as never,
    }));
    server.setRequestHandler(
      'tools/call',
      // SAFETY: the tests compare what the tools return.
      async (request, context) =>
        await tools[request.params.name]!.call(request as ToolRequest, context as unknown as ToolContext) as never,
    );
    return server;
  };
  const handler = createMcpHandler(makeServer, onlyModern ? {} : { legacy: 'stateless' });
  const server: HttpServer = createServer(async (request, response) => {
    const body = await textOf(request);
    const { method = 'GET', headers, url } = request;
    received.push({ method, message: body === '' ? '' : JSON.parse(body).method, headers, body });
    if (guard !== undefined && !guard(headers)) return void response.writeHead(401).end('who are you?');
    const stop = new AbortController();
    response.on('close', () => stop.abort());
    const answer = await handler.fetch(
      new Request(`http://${headers.host}${url}`, {
        method,
        headers: headers as Record<string, string>,
        signal: stop.signal,
        ...(body !== '' && { body }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const piece of answer.body ?? []) response.write(piece);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
