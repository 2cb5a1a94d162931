import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../../platform/api_error.ts';

/** The parts behind the gateway. The first word of a path names the part. */
export type PartName = 'rest' | 'auth' | 'functions' | 'storage';

export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT',
  'access-control-max-age': '3600',
};

/** Answers with JSON. If an answer has begun already, cuts it off instead. */
export function answer(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...corsHeaders, ...headers });
  response.end(JSON.stringify(body));
}

/** The reason why the gateway does not forward a request. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    code: string,
    message: string,
    { hint = null, headers = {} }: { hint?: string | null; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.headers = headers;
  }
}

/** Makes a refusal that says when to try again. */
export const retryLater = (status: 429 | 503, code: string, message: string, seconds: number): Refusal =>
  new Refusal(status, code, message, {
    hint: `Wait ${seconds} s, as Retry-After says. Then send fewer requests at a time.`,
    headers: { 'retry-after': String(seconds) },
  });

/** Makes the body of a refusal. It has the shape of the errors of the part that was called. */
function refusalBody({ status, code, message, hint }: Refusal, part: PartName): object {
  if (part === 'auth') return { code: status, error_code: code, msg: message };
  if (part === 'storage') return { statusCode: String(status), error: code, message };
  if (part === 'functions') return new ApiError(status, { code, message, hint }).toBody();
  return { code, message, details: null, hint };
}

/**
 * The time for which a refused client may continue to send before its connection is cut. Meanwhile it can read the
 * answer.
 */
const LINGER_MS = 2_000;

/** The most bytes of a refused body that are read and dropped. */
const MAX_DROPPED_BYTES = 1_048_576;

/**
 * Refuses a request, even before its body has arrived. If the connection were reset at once, many clients would lose
 * the answer. So the connection is closed after the client has sent the rest of the body, or after two seconds. The
 * gateway reads only a small part of the rest.
 */
export function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal, part: PartName): void {
  const body = refusalBody(refusal, part);
  if (request.complete) return answer(response, refusal.status, body, refusal.headers);
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(refusal.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': text.length,
    connection: 'close',
    ...corsHeaders,
    ...refusal.headers,
  });
  // The client now has the whole answer. The response is not ended yet, because that would close the connection.
  response.write(text);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > MAX_DROPPED_BYTES) request.pause();
  });
  request.once('end', end).once('close', end).on('error', () => {});
  request.resume();
}
