import {
  Client,
  type PriorDiscovery,
  ProtocolError,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { isRedirect } from '../../../types/http_status.ts';
import { TransientError } from '../../engine/failures/transient_error.ts';
import { type Credential, type HttpClient, type HttpResponse, NodeError } from '../../engine/node.ts';
import { readResponse } from '../../values/response_value.ts';
import type { JsonLimits } from '../../../types/values/json_text.ts';
import type { ExactNumbers } from './exact_numbers.ts';
import { watchedFetch } from './watched_fetch.ts';

/** The time that the end of a session may take. */
const CLOSING_MS = 2_000;
const MAX_MESSAGE_CHARACTERS = 2_000;

const CLIENT_INFO = { name: 'flow-deployments', version: '1' };

/** A server, and how it is reached. */
export interface ServerOptions {
  url: string;
  http: HttpClient;
  credential: Credential | undefined;
  /** The time limit of all requests together. */
  timeoutMs: number;
  /** Aborted when the caller wants no more. */
  end: AbortSignal;
  /** The limits of each message of the server. */
  messageLimits: JsonLimits;
  numbers: ExactNumbers;
  /** What is known of the server. Without this, the session asks it which protocol it speaks. */
  prior?: PriorDiscovery;
}

/** A connection to a server. */
export interface ServerSession {
  client: Client;
  /** For each request. */
  limits: { signal: AbortSignal; timeout: number };
}

/** Makes the error of a request that the library has refused. */
function errorOf(error: unknown, refusal: Omit<HttpResponse, 'body'> | undefined): NodeError {
  const text = error instanceof Error ? error.message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed() : 'unknown error';
  // The library's error of a redirect names the address.
  if (error instanceof SdkHttpError && refusal !== undefined && !isRedirect(refusal.status)) {
    const body = new TextEncoder().encode(typeof error.data.text === 'string' ? error.data.text : '');
    // Throws the error of the status, with the time that the server asks to wait.
    readResponse({ ...refusal, headers: { ...refusal.headers, 'content-type': 'text/plain' }, body }, Infinity);
  }
  return new NodeError(
    error instanceof ProtocolError ? `the server refuses the call: ${text} (${error.code})` : `the MCP server: ${text}`,
  );
}

/** Ends the session that a server of the protocol of 2025 has begun. A failure changes nothing for the caller. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const time = AbortSignal.timeout(CLOSING_MS);
  const isOver = new Promise<void>((resolve) => time.addEventListener('abort', () => resolve()));
  await Promise.race([transport.terminateSession().catch(() => {}), isOver]);
}

/**
 * Connects to an MCP server by the protocol's library, whose requests go through the given HTTP client, and uses the
 * connection. Throws a NodeError.
 */
export async function withServer<T>(options: ServerOptions, use: (session: ServerSession) => Promise<T>): Promise<T> {
  const { url, http, credential, timeoutMs, end, messageLimits, numbers, prior } = options;
  let failure: Error | undefined;
  let refusal: Omit<HttpResponse, 'body'> | undefined;
  const failed = new AbortController();
  const closed = new AbortController();
  const fail = (reason: Error) => {
    failure ??= reason;
    failed.abort();
  };
  const fetch = watchedFetch({
    http,
    credential,
    timeoutMs,
    signal: closed.signal,
    numbers,
    limits: messageLimits,
    fail,
    refused: (answer) => refusal = answer,
  });
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch });
  // Nobody answers questions of servers here, so the client declares no capabilities. The validator compiles no code.
  const client = new Client(CLIENT_INFO, {
    capabilities: {},
    versionNegotiation: { mode: 'auto' },
    jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
  });
  const limits = { signal: AbortSignal.any([end, failed.signal]), timeout: timeoutMs + CLOSING_MS };
  const timer = setTimeout(
    () => fail(new TransientError(`the server took longer than ${timeoutMs / 1_000} s`)),
    timeoutMs,
  );
  try {
    await client.connect(transport, { ...limits, prior });
    return await use({ client, limits });
  } catch (error) {
    throw failure ?? (error instanceof NodeError ? error : errorOf(error, refusal));
  } finally {
    clearTimeout(timer);
    if (transport.sessionId !== undefined) await endSession(transport);
    await client.close();
    closed.abort();
  }
}
