import { getRequestListener } from '@hono/node-server';
import { createProxyServer } from 'httpxy';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { ConsoleServer } from './console/serve.ts';
import type { StackKeys } from './keys.ts';
import { StackError } from './stack_error.ts';
import { readBody } from './request_body.ts';

/** Auth routes that are called from a link or by other servers, without a key. */
const OPEN_AUTH_ROUTES = /^\/auth\/v1\/(health|verify|callback|authorize|\.well-known\/jwks\.json)$/;

/** The gateway refuses larger bodies. The Edge Functions and the tables have narrower limits of their own. */
const MAX_BODY_BYTES = 32 * 1_048_576;

/** So long a part has to answer by the headers alone, once it has not taken a body. */
const LATE_BODY_MS = 1_000;

/** A body that is sent late, so that an answer which comes without it is read before anything is written. */
async function* lateBody(body: Buffer): AsyncGenerator<Buffer, void, void> {
  await setTimeout(LATE_BODY_MS);
  yield body;
}

/** Whether a part has closed the connection while its request was written: so it can't have read all of the body. */
const isWriteError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'write';

export interface GatewayOptions {
  port: number;
  keys: StackKeys;
  /** Unix socket of PostgREST. */
  restSocket: string;
  /** Unix socket of an Edge Function, or undefined when there is no function of that name. */
  functionSocket: (name: string) => string | undefined;
  auth: (request: Request) => Promise<Response>;
  console: Pick<ConsoleServer, 'handle'>;
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT',
  'access-control-max-age': '3600',
};

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...corsHeaders, ...headers });
  response.end(JSON.stringify(body));
}

/** The JWT of the role that an API key stands for; undefined for an unknown key. */
function roleToken(key: string, keys: StackKeys): string | undefined {
  if (key === keys.anonKey || key === keys.publishableKey) return keys.anonKey;
  if (key === keys.serviceRoleKey || key === keys.secretKey) return keys.serviceRoleKey;
  return undefined;
}

/**
 * Checks the `apikey` of a request, as the platform's gateway does, and sets the `Authorization` that PostgREST and
 * Auth expect: the caller's own token, else the role's. Opaque keys (`sb_…`) never reach the parts behind the gateway.
 * Returns the reason for a refusal, or undefined.
 */
function admit(request: IncomingMessage, query: URLSearchParams, keys: StackKeys): string | undefined {
  const header = request.headers.apikey;
  const key = (Array.isArray(header) ? header[0] : header) ?? query.get('apikey');
  if (key === null) return 'No API key found in request';
  const token = roleToken(key, keys);
  if (token === undefined) return 'Invalid API key';
  const { authorization } = request.headers;
  const bearer = authorization?.replace(/^bearer\s+/i, '');
  if (bearer === undefined || bearer === key) request.headers.authorization = `Bearer ${token}`;
  return undefined;
}

/**
 * Starts the gateway, through which all requests to a local stack pass: the paths of `supabase start` on one port.
 *
 * /rest/v1 → PostgREST, /auth/v1 → Auth, /functions/v1/<name> → that Edge Function, /console/ → the console's files.
 */
export async function startGateway(options: GatewayOptions): Promise<Server> {
  // Each request gets a new connection: a kept one may be closed just when it is used again, and a POST must not be
  // sent twice.
  const proxy = createProxyServer({ agent: new Agent({ keepAlive: false }), xfwd: true });
  // The part's `connection` header is about the connection to the gateway. The client's connection is kept, unless the
  // client says otherwise.
  proxy.on('proxyRes', ({ headers }) => void delete headers.connection);
  /** Requests whose headers are sent before their body. */
  const askedByHeaders = new WeakSet<IncomingMessage>();
  proxy.on('proxyReq', (sent, request) => {
    if (askedByHeaders.has(request)) sent.flushHeaders();
  });
  const forward = async (request: IncomingMessage, response: ServerResponse, socketPath: string, name: string) => {
    try {
      // The whole body is read first, as nginx does it, so that it may be sent again.
      const body = await readBody(request, MAX_BODY_BYTES);
      if (body === undefined) {
        return answer(response, 413, {
          code: 'body_too_large',
          message: `The body is larger than ${MAX_BODY_BYTES} bytes.`,
        });
      }
      // The length is known now, so the part gets it instead of chunks.
      if (request.headers['transfer-encoding'] !== undefined) {
        delete request.headers['transfer-encoding'];
        request.headers['content-length'] = String(body.length);
      }
      const target = { socketPath, host: 'localhost', protocol: 'http:' } as never;
      // The proxy adds to them.
      const headers = { ...request.headers };
      try {
        await proxy.web(request, response, { target, buffer: Readable.from(body.length > 0 ? [body] : []) });
      } catch (error) {
        if (!isWriteError(error) || response.headersSent) throw error;
        // PostgREST refuses by the headers, and closes. Node drops what has come on a connection that it can't write to,
        // so the part is asked again.
        request.headers = headers;
        askedByHeaders.add(request);
        await proxy.web(request, response, { target, buffer: Readable.from(lateBody(body)) });
      }
    } catch {
      const body = { code: 'service_unavailable', message: `${name} does not answer`, details: null, hint: null };
      answer(response, 503, body, { 'retry-after': '1' });
    }
  };
  const forwardToAuth = getRequestListener(options.auth, { overrideGlobalObjects: false });

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // This splits by hand, because clients send paths that URL refuses (`//`) or rewrites.
    const [path = '', ...rest] = (request.url ?? '').split('?');
    const query = rest.join('?');
    const [, part, version, name = ''] = path.split('/');
    if (part === 'console') return options.console.handle(request, response, path);
    if (version !== 'v1' || (part !== 'rest' && part !== 'auth' && part !== 'functions')) {
      return answer(response, 404, { message: 'no Route matched with those values' });
    }
    const innerPath = path.slice(`/${part}/v1`.length) || '/';
    if (part === 'functions') {
      const socketPath = options.functionSocket(name);
      if (socketPath === undefined) {
        return answer(response, 404, { code: 'NOT_FOUND', message: 'Requested function was not found' });
      }
      request.url = query === '' ? innerPath : `${innerPath}?${query}`;
      return void forward(request, response, socketPath, `function ${name}`);
    }
    if (request.method === 'OPTIONS') {
      const requested = request.headers['access-control-request-headers'];
      response.writeHead(200, { ...corsHeaders, ...(requested && { 'access-control-allow-headers': requested }) });
      response.end();
      return;
    }
    const parameters = new URLSearchParams(query);
    if (!(part === 'auth' && OPEN_AUTH_ROUTES.test(path))) {
      const refusal = admit(request, parameters, options.keys);
      if (refusal !== undefined) {
        return answer(response, 401, {
          message: refusal,
          hint: 'Send the anon, publishable or service key as header apikey.',
        });
      }
    }
    for (const [header, value] of Object.entries(corsHeaders)) response.setHeader(header, value);
    if (part === 'auth') return void forwardToAuth(request, response);
    // The key is removed, because PostgREST would take it for a filter. The rest of the query stays as it was written.
    const isKeyInQuery = parameters.has('apikey');
    if (isKeyInQuery) parameters.delete('apikey');
    const innerQuery = isKeyInQuery ? String(parameters) : query;
    request.url = innerQuery === '' ? innerPath : `${innerPath}?${innerQuery}`;
    return void forward(request, response, options.restSocket, 'PostgREST');
  };
  const server = createServer(handle);
  // How long sending a request may take, as on the platform: a body that is announced and never sent must not hold a
  // connection for ever. Answers may take any time.
  server.requestTimeout = 60_000;
  // Node would close an idle connection after 5 s, just when a function uses it again for a request that it sends only
  // once.
  server.keepAliveTimeout = 75_000;

  await new Promise<void>((resolve, reject) => {
    server.once(
      'error',
      (error) => reject(new StackError(`The gateway can't listen on port ${options.port}: ${error.message}`)),
    );
    server.listen(options.port, '127.0.0.1', resolve);
  });
  return server;
}
