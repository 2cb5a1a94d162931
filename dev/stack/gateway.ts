import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ConsoleServer } from './console/serve.ts';
import { answer, corsHeaders, type PartName, Refusal, refuse } from './gateway/answer.ts';
import { type AuthRates, makeAuthLimiter } from './gateway/auth_rates.ts';
import { bodyLimitOf } from './gateway/body_limit.ts';
import { makeByteBudget } from './gateway/byte_budget.ts';
import { makeCallers } from './gateway/caller.ts';
import { type ForwardOptions, makeForward } from './gateway/forward.ts';
import type { PaceRule } from './gateway/pace.ts';
import { makeInnerTurns, makePublicTurns } from './gateway/rest_turns.ts';
import { admitByRoleKey } from './gateway/role_key.ts';
import { makeSpool } from './gateway/spool.ts';
import type { StackKeys } from './keys.ts';
import { listenPastClients } from './ports.ts';
import { StackError } from './stack_error.ts';

/** Auth routes that are called from a link or by other servers, without a key. */
const OPEN_AUTH_ROUTES = /^\/auth\/v1\/(health|verify|callback|authorize|\.well-known\/jwks\.json)$/;

const MIB = 1_048_576;

/** The most data that the gateway holds for its clients. */
interface GatewayBounds {
  bodiesInMemory: number;
  bodiesInFiles: { all: number; caller: number };
  answersInFiles: { all: number; caller: number };
  bodyPace: PaceRule;
  answerPace: PaceRule;
}

const BOUNDS: GatewayBounds = {
  bodiesInMemory: 64 * MIB,
  bodiesInFiles: { all: 256 * MIB, caller: 64 * MIB },
  answersInFiles: { all: 1_024 * MIB, caller: 256 * MIB },
  bodyPace: { windowMs: 15_000, leastBytes: 65_536 },
  // The window is long, because the operating system reports progress only when a third of a connection's buffer is
  // free again. This third may have up to 1.3 MB.
  answerPace: { windowMs: 60_000, leastBytes: 65_536 },
};

export interface GatewayOptions {
  port: number;
  keys: StackKeys;
  /** Unix socket of PostgREST. */
  restSocket: string;
  /** The functions' own PostgREST, with the secret path under which the functions call it. */
  functionsRest?: { path: string; socket: string };
  /** Returns the Unix socket of an Edge Function; undefined if there is no function of this name. */
  functionSocket: (name: string) => string | undefined;
  /** Resolves with the Unix socket of Auth when it is listening. */
  authSocket: () => Promise<string>;
  /** Resolves with the Unix socket of Storage when it is listening. */
  storageSocket: () => Promise<string>;
  /** The limits of requests to Auth by address; null for no limits. */
  authRates: AuthRates | null;
  /** A folder for large bodies and answers. It is emptied first. */
  spoolDir: string;
  console: Pick<ConsoleServer, 'handle'>;
  bounds?: Partial<GatewayBounds>;
}

async function makeForwarding({ keys, restSocket, spoolDir, bounds }: GatewayOptions): Promise<ForwardOptions> {
  const { bodiesInMemory, bodiesInFiles, answersInFiles, bodyPace, answerPace } = { ...BOUNDS, ...bounds };
  const spool = await makeSpool(spoolDir);
  return {
    callers: makeCallers(keys, restSocket),
    bodies: {
      spool,
      memory: makeByteBudget({ all: bodiesInMemory, caller: bodiesInMemory }),
      files: makeByteBudget(bodiesInFiles),
      pace: bodyPace,
    },
    answers: { spool, files: makeByteBudget(answersInFiles), pace: answerPace },
  };
}

/**
 * Starts the gateway, through which all requests to a local stack pass. Its paths are those of `supabase start`.
 *
 * /rest/v1 → PostgREST, /auth/v1 → Auth, /storage/v1 → Storage, /functions/v1/<name> → that Edge Function, /console/ →
 * the console's files.
 */
export async function startGateway(options: GatewayOptions): Promise<Server> {
  const forwarding = await makeForwarding(options);
  const forward = makeForward(forwarding);
  const limiter = options.authRates === null ? undefined : makeAuthLimiter(options.authRates);

  const callFunction = (request: IncomingMessage, response: ServerResponse, name: string, path: string) => {
    const socketPath = options.functionSocket(name);
    if (socketPath === undefined) {
      return refuse(request, response, new Refusal(404, 'NOT_FOUND', 'Requested function was not found'), 'functions');
    }
    request.url = path;
    void forward(request, response, {
      part: 'functions',
      name: `function ${name}`,
      socketPath: () => socketPath,
      limit: bodyLimitOf('functions', path),
    });
  };
  const callAuth = (request: IncomingMessage, response: ServerResponse, path: string) => {
    try {
      if (request.method === 'POST') limiter?.count(path, request.socket.remoteAddress ?? '');
    } catch (error) {
      if (error instanceof Refusal) return refuse(request, response, error, 'auth');
      throw error;
    }
    void forward(request, response, {
      part: 'auth',
      name: 'Auth',
      socketPath: options.authSocket,
      limit: bodyLimitOf('auth', path),
    });
  };
  // Each PostgREST is a process with memory of its own, so neither waits for the bodies of the other.
  const rest = { socket: options.restSocket, inTurn: makePublicTurns(forwarding.callers) };
  const functionsRest = options.functionsRest &&
    { ...options.functionsRest, inTurn: makeInnerTurns(forwarding.callers) };
  const callRest = (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: string,
    { socket, inTurn }: typeof rest,
  ) => {
    // The key is removed, because PostgREST would take it for a filter. The rest of the query stays as it was written.
    const parameters = new URLSearchParams(query);
    const isKeyInQuery = parameters.has('apikey');
    if (isKeyInQuery) parameters.delete('apikey');
    const innerQuery = isKeyInQuery ? String(parameters) : query;
    request.url = innerQuery === '' ? path : `${path}?${innerQuery}`;
    void forward(request, response, {
      part: 'rest',
      name: 'PostgREST',
      socketPath: () => socket,
      limit: bodyLimitOf('rest', path),
      inTurn,
    });
  };

  const callStorage = (request: IncomingMessage, response: ServerResponse, path: string, query: string) => {
    request.url = query === '' ? path : `${path}?${query}`;
    void forward(request, response, {
      part: 'storage',
      name: 'Storage',
      socketPath: options.storageSocket,
      limit: bodyLimitOf('storage', path),
    });
  };

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // Splits by hand, because clients send paths that URL refuses (`//`) or rewrites.
    const [path = '', ...queries] = (request.url ?? '').split('?');
    const query = queries.join('?');
    const [, root = '', version, name = ''] = path.split('/');
    const isOfFunctions = functionsRest !== undefined && root === functionsRest.path;
    const part = isOfFunctions ? 'rest' : root;
    if (part === 'console') return options.console.handle(request, response, path);
    if (version !== 'v1' || !isPartName(part)) {
      return answer(response, 404, { message: 'no Route matched with those values' });
    }
    const innerPath = path.slice(`/${root}/v1`.length) || '/';
    if (part === 'functions') {
      return callFunction(request, response, name, query === '' ? innerPath : `${innerPath}?${query}`);
    }
    if (request.method === 'OPTIONS') {
      const requested = request.headers['access-control-request-headers'];
      response.writeHead(200, { ...corsHeaders, ...(requested && { 'access-control-allow-headers': requested }) });
      response.end();
      return;
    }
    const parameters = new URLSearchParams(query);
    // Public files and signed URLs need no key. Storage verifies the tokens of all other requests itself.
    const isKeyless = part === 'storage' && request.headers.apikey === undefined && !parameters.has('apikey');
    if (!isKeyless && !(part === 'auth' && OPEN_AUTH_ROUTES.test(path))) {
      const refusal = admitByRoleKey(request, parameters, options.keys);
      if (refusal !== undefined) {
        return answer(response, 401, {
          message: refusal,
          hint: 'Send the anon, publishable or service key as header apikey.',
        });
      }
    }
    for (const [header, value] of Object.entries(corsHeaders)) response.setHeader(header, value);
    if (part === 'auth') callAuth(request, response, innerPath);
    else if (part === 'storage') callStorage(request, response, innerPath, query);
    else callRest(request, response, innerPath, query, isOfFunctions ? functionsRest : rest);
  };

  const server = createServer(handle);
  // A client that sends `Expect: 100-continue` may send its body only after the gateway has checked the limits.
  server.on('checkContinue', handle);
  // `requestTimeout` bounds the total time in which a body may arrive, and `bodyPace` how slowly it may arrive. Answers
  // may take any time.
  server.requestTimeout = 300_000;
  // By default, Node closes an idle connection after 5 s. If a function reuses the connection at that moment, its
  // request fails, and it must not send some requests twice.
  server.keepAliveTimeout = 75_000;

  try {
    await listenPastClients(options.port, () =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(options.port, '127.0.0.1', resolve);
      }));
  } catch (error) {
    throw new StackError(`The gateway can't listen on port ${options.port}: ${(error as Error).message}`);
  }
  return server;
}

const isPartName = (text: string | undefined): text is PartName =>
  text === 'rest' || text === 'auth' || text === 'functions' || text === 'storage';
