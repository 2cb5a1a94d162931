import { getRequestListener } from '@hono/node-server';
import { createProxyServer } from 'httpxy';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { StackKeys } from './keys.ts';
import { StackError } from './stack_error.ts';

/** Auth routes that are called from a link or by other servers, without a key. */
const OPEN_AUTH_ROUTES = /^\/auth\/v1\/(health|verify|callback|authorize|\.well-known\/jwks\.json)(\/|\?|$)/;

export interface GatewayOptions {
  port: number;
  keys: StackKeys;
  /** Unix socket of PostgREST. */
  restSocket: string;
  /** Unix socket of an Edge Function, or undefined when there is none of that name. */
  functionSocket: (name: string) => string | undefined;
  auth: (request: Request) => Promise<Response>;
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

/** The JWT that stands for an API key, or undefined for a key of no meaning here. */
function roleToken(key: string, keys: StackKeys): string | undefined {
  if (key === keys.anonKey || key === keys.publishableKey) return keys.anonKey;
  if (key === keys.serviceRoleKey || key === keys.secretKey) return keys.serviceRoleKey;
  return undefined;
}

/**
 * Checks the `apikey` of a request, as the platform's gateway does, and gives it the `Authorization` that PostgREST and Auth
 * expect: the caller's own token, else the role's. Opaque keys (`sb_…`) never reach the parts behind.
 * Returns the reason for a refusal, or undefined.
 */
function admit(request: IncomingMessage, url: URL, keys: StackKeys): string | undefined {
  const header = request.headers.apikey;
  const key = (Array.isArray(header) ? header[0] : header) ?? url.searchParams.get('apikey');
  if (key === null) return 'No API key found in request';
  const token = roleToken(key, keys);
  if (token === undefined) return 'Invalid API key';
  const { authorization } = request.headers;
  if (authorization === undefined || /^bearer sb_/i.test(authorization)) {
    request.headers.authorization = `Bearer ${token}`;
  }
  return undefined;
}

/**
 * The one door to a local stack: the paths of `supabase start` on one port.
 *
 * /rest/v1 → PostgREST, /auth/v1 → Auth, /functions/v1/<name> → that Edge Function.
 */
export async function startGateway(options: GatewayOptions): Promise<Server> {
  const agent = new Agent({ keepAlive: true });
  const proxy = createProxyServer({ agent, xfwd: true });
  const forward = async (request: IncomingMessage, response: ServerResponse, socketPath: string, name: string) => {
    try {
      await proxy.web(request, response, { target: { socketPath, host: 'localhost', protocol: 'http:' } as never });
    } catch {
      const body = { code: 'service_unavailable', message: `${name} does not answer`, details: null, hint: null };
      answer(response, 503, body, { 'retry-after': '1' });
    }
  };
  const forwardToAuth = getRequestListener(options.auth, { overrideGlobalObjects: false });

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://gateway');
    const [, part, version, name] = url.pathname.split('/');
    if (version !== 'v1' || (part !== 'rest' && part !== 'auth' && part !== 'functions')) {
      return answer(response, 404, { message: 'no Route matched with those values' });
    }
    if (part === 'functions') {
      const socketPath = options.functionSocket(name ?? '');
      if (socketPath === undefined) {
        return answer(response, 404, { code: 'NOT_FOUND', message: 'Requested function was not found' });
      }
      request.url = request.url?.slice('/functions/v1'.length) ?? '/';
      return void forward(request, response, socketPath, `function ${name}`);
    }
    if (request.method === 'OPTIONS') {
      const requested = request.headers['access-control-request-headers'];
      response.writeHead(200, { ...corsHeaders, ...(requested && { 'access-control-allow-headers': requested }) });
      return response.end();
    }
    if (!(part === 'auth' && OPEN_AUTH_ROUTES.test(request.url ?? ''))) {
      const refusal = admit(request, url, options.keys);
      if (refusal !== undefined) {
        return answer(response, 401, {
          message: refusal,
          hint: 'Send the anon, publishable or service key as header apikey.',
        });
      }
    }
    for (const [header, value] of Object.entries(corsHeaders)) response.setHeader(header, value);
    if (part === 'auth') return void forwardToAuth(request, response);
    request.url = request.url?.slice('/rest/v1'.length) || '/';
    return void forward(request, response, options.restSocket, 'PostgREST');
  });
  // The proxied parts end idle connections by themselves; the gateway must not cut long polls.
  server.requestTimeout = 0;
  server.once('close', () => agent.destroy());

  await new Promise<void>((resolve, reject) => {
    server.once(
      'error',
      (error) => reject(new StackError(`The gateway can't listen on port ${options.port}: ${error.message}`)),
    );
    server.listen(options.port, '127.0.0.1', resolve);
  });
  return server;
}
