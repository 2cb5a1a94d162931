import { requestLimits } from '../../types/limits/requests.ts';
import { toReadableJson } from '../../types/values/json/readable_json.ts';
import { bytesOfValue, type Value, type ValueMap } from '../../types/values/value.ts';

/** The error of an output `response` that is not a valid answer. The message quotes no value. */
export class WebhookResponseError extends Error {
  override name = 'WebhookResponseError';
}

const MAX_BODY_BYTES = requestLimits.webhook_answer_bytes.value;
const MAX_HEADERS_BYTES = requestLimits.webhook_answer_headers_bytes.value;

/** The statuses of answers without a body. Source: Fetch standard, "null body status". */
const BODILESS = [204, 205, 304];

/**
 * The headers that a flow may set. All others are dropped: cookies, redirects, CORS, security and connection headers
 * would speak for the whole origin, which also serves the console and the API.
 */
const ALLOWED_HEADERS: ReadonlySet<string> = new Set([
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'retry-after',
  'vary',
]);
const CUSTOM_HEADER = /^x-[a-z0-9-]{1,60}$/;
/** Headers that begin with `x-`, and that browsers or proxies obey. */
const RESERVED_CUSTOM_HEADER =
  /^x-(?:frame-|content-|xss-|permitted-|download-|dns-|ua-|webkit-|sourcemap|accel|sendfile|lighttpd|forwarded|real-|middleware|rewrite|original)/;

/** The media types that a browser shows without running anything. Answers of other types are downloads. */
const SHOWN_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/octet-stream',
  'application/x-ndjson',
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/csv',
  'text/markdown',
  'text/plain',
]);

/** The headers of every answer of a flow. The sandbox gives the answer an origin of its own, without scripts. */
const SAFE_HEADERS = Object.entries({
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
});

const isAllowed = (name: string): boolean =>
  ALLOWED_HEADERS.has(name) || (CUSTOM_HEADER.test(name) && !RESERVED_CUSTOM_HEADER.test(name));

const membersOf = (value: Value, what: string): ValueMap => {
  if ('M' in value) return value.M;
  throw new WebhookResponseError(`${what} must be an object`);
};

function readStatus(value: Value | undefined): number {
  if (value === undefined || 'N' in value) return 200;
  const status = 'D' in value ? Number(value.D) : toReadableJson(value);
  if (typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new WebhookResponseError('status must be a whole number from 200 to 599');
}

function readHeader(name: string, value: Value): string {
  const readable = toReadableJson(value);
  if (typeof readable !== 'string' && typeof readable !== 'number') {
    throw new WebhookResponseError(`the header ${name} must be a text or a number`);
  }
  const text = String(readable).trim();
  if (/^[\t -~]*$/.test(text)) return text;
  throw new WebhookResponseError(`the header ${name} must have printable characters of ASCII only`);
}

/** Returns the headers that the flow may set. Names are compared in lower case. */
function readHeaders(value: Value | undefined): Headers {
  const headers = new Headers();
  if (value === undefined || 'N' in value) return headers;
  let bytes = 0;
  for (const [written, member] of Object.entries(membersOf(value, 'headers'))) {
    const name = written.toLowerCase();
    if (!isAllowed(name) || 'N' in member) continue;
    const text = readHeader(name, member);
    bytes += name.length + text.length;
    if (bytes > MAX_HEADERS_BYTES) {
      throw new WebhookResponseError(`headers must have at most ${MAX_HEADERS_BYTES} bytes`);
    }
    headers.set(name, text);
  }
  return headers;
}

interface Body {
  bytes: Uint8Array<ArrayBuffer> | null;
  /** The media type of the body if the flow names none. */
  type: string | null;
}

function readBody(value: Value | undefined): Body {
  if (value === undefined || 'N' in value) return { bytes: null, type: null };
  const bytes = bytesOfValue(value);
  // SAFETY: the decoders make buffers of their own, which are not shared.
  if (bytes !== undefined) return { bytes: bytes as Uint8Array<ArrayBuffer>, type: 'application/octet-stream' };
  const encoder = new TextEncoder();
  if ('S' in value) return { bytes: encoder.encode(value.S), type: 'text/plain; charset=utf-8' };
  return { bytes: encoder.encode(JSON.stringify(toReadableJson(value))), type: 'application/json' };
}

/**
 * Returns the media type without its parameters. Refuses a list of types, because browsers read the last type of a
 * list.
 */
function mediaTypeOf(contentType: string): string {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (/^[\w.+-]+\/[\w.+-]+$/.test(type) && !contentType.includes(',')) return type;
  throw new WebhookResponseError('the header content-type must be one media type');
}

const isShown = (type: string): boolean => SHOWN_TYPES.has(type) || /^(?:audio|video)\/|\+json$/.test(type);

/** Turns HTML, SVG, XML, scripts, and every other type that a browser might run, into a download. */
function keepFromRunning(headers: Headers): void {
  const type = headers.get('content-type');
  if (type === null || isShown(mediaTypeOf(type))) return;
  const disposition = headers.get('content-disposition') ?? '';
  if (!/^attachment *(?:;|$)/i.test(disposition)) headers.set('content-disposition', 'attachment');
}

/**
 * Makes the answer of a webhook from the output of its run. The output `response` may hold `status`, `headers` and
 * `body`; without it, the whole output is the answer. Throws a WebhookResponseError for an invalid `response`.
 */
export function webhookResponse(output: ValueMap): Response {
  const { status, headers: given, body: content, ...unknown } = output.response === undefined
    ? { body: { M: output } }
    : membersOf(output.response, 'it');
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) throw new WebhookResponseError('it may have status, headers and body only');
  const code = readStatus(status);
  const headers = readHeaders(given);
  const { bytes, type } = readBody(content);
  if (bytes !== null && bytes.length > MAX_BODY_BYTES) {
    throw new WebhookResponseError(`body must have at most ${MAX_BODY_BYTES} bytes`);
  }
  if (type !== null && !headers.has('content-type')) headers.set('content-type', type);
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  keepFromRunning(headers);
  for (const [name, value] of SAFE_HEADERS) headers.set(name, value);
  return new Response(BODILESS.includes(code) ? null : bytes, { status: code, headers });
}
