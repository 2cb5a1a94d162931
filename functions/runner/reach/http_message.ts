import { NodeError } from '../engine/node.ts';
import { TransientError } from '../engine/transient_error.ts';
import { type ByteReader, makeByteReader, type TakeBytes } from './byte_stream.ts';
import { makeChunkedDecoder } from './chunked.ts';
import type { BodyWriter } from './response_body.ts';

/**
 * HTTP/1.1 messages over a connection that serves one request. Source: RFC 9112.
 *
 * This is written by hand because no HTTP client can be told on every platform which address to connect to: `fetch`
 * resolves the host itself, and `node:https` refuses `lookup` and ignores `createConnection` in Deno 2.1, which hosted
 * Edge Functions run on.
 */

/** Bytes that the status line and all headers may have together; Node's own limit. */
const MAX_HEAD_BYTES = 16 * 1024;

/** Informational responses that may precede the final one. */
const MAX_INFORMATIONAL = 16;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export interface ResponseMessage {
  status: number;
  /** By name in lower case; values of one name are joined. */
  headers: { [name: string]: string };
  body: Uint8Array;
}

/** Bytes that the head of a request may have. */
const MAX_REQUEST_HEAD_BYTES = 64 * 1024;

/**
 * The bytes of a request's head, which its body follows. Throws a NodeError for a head that is larger than servers
 * take.
 */
export function encodeRequestHead(
  request: { method: string; url: URL; headers: Headers; body: Uint8Array | undefined },
): Uint8Array {
  const { method, url, headers, body } = request;
  const lines = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
    ...(body !== undefined || !['GET', 'HEAD'].includes(method) ? [`content-length: ${body?.length ?? 0}`] : []),
    'connection: close',
  ];
  const head = `${lines.join('\r\n')}\r\n\r\n`;
  if (head.length > MAX_REQUEST_HEAD_BYTES) {
    throw new NodeError(`the URL and headers of the request are larger than ${MAX_REQUEST_HEAD_BYTES} bytes`);
  }
  return Uint8Array.from(head, (letter) => letter.charCodeAt(0));
}

/** The text without spaces and tabs at both ends. A pattern would take quadratic time on long rows of blanks. */
function trimBlanks(text: string): string {
  const isBlank = (index: number) => text[index] === ' ' || text[index] === '\t';
  let begin = 0;
  let end = text.length;
  while (begin < end && isBlank(begin)) begin++;
  while (end > begin && isBlank(end - 1)) end--;
  return text.slice(begin, end);
}

/** Reads header lines to the empty one, within what is left of the head's size. */
async function readHeaders(reader: ByteReader, maxBytes: number): Promise<{ [name: string]: string }> {
  const headers: { [name: string]: string } = Object.create(null);
  let left = maxBytes;
  for (;;) {
    const line = await reader.line(left);
    if (line === '') return headers;
    left -= line.length;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    const value = trimBlanks(line.slice(colon + 1));
    if (!TOKEN.test(name) || /[\0\r]/.test(value)) throw new NodeError('the response has a malformed header');
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
}

async function readChunks(reader: ByteReader, maxFramingBytes: number, take: TakeBytes): Promise<void> {
  const decoder = makeChunkedDecoder(maxFramingBytes);
  await reader.pieces(async (piece) => {
    const { data, used } = decoder.decode(piece);
    await take(data);
    return used;
  });
  await readHeaders(reader, MAX_HEAD_BYTES);
}

/** The length in Content-Length, which may be repeated with the same value; undefined without the header. */
function contentLength(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const [length, ...others] = new Set(header.split(',').map((part) => part.trim()));
  if (length === undefined || others.length > 0 || !/^\d{1,15}$/.test(length)) {
    throw new NodeError('the response has a malformed content-length');
  }
  return Number(length);
}

/** Makes what the bytes of a body go to, once the head is known. */
type MakeBody = (headers: { [name: string]: string }) => BodyWriter;

/** How much of a body is read. */
export interface BodyLimit {
  maxBytes: number;
  /** A body that is larger, breaks off or is malformed ends there. Else that is an error. */
  takesPart: boolean;
}

/** Reads the body that follows a head, as it was sent. Source: RFC 9112, section 6.3. */
async function readBody(
  reader: ByteReader,
  headers: { [name: string]: string },
  { maxBytes: maxBodyBytes, takesPart }: BodyLimit,
  makeBody: MakeBody,
): Promise<Uint8Array> {
  const tooLarge = () => new NodeError(`the response is larger than ${maxBodyBytes} bytes`);
  const coding = headers['transfer-encoding'];
  const length = coding === undefined ? contentLength(headers['content-length']) ?? Infinity : Infinity;
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new NodeError(`the transfer-encoding ${coding} is not supported`);
  }
  if (length !== Infinity && length > maxBodyBytes && !takesPart) throw tooLarge();
  const body = makeBody(headers);
  let sent = 0;
  const take: TakeBytes = (bytes) => {
    const room = maxBodyBytes - sent;
    sent += bytes.length;
    if (sent <= maxBodyBytes) return body.write(bytes);
    if (!takesPart) throw tooLarge();
    return Promise.resolve(body.write(bytes.subarray(0, room))).then(() => {
      throw tooLarge();
    });
  };
  try {
    // There may be as many bytes of framing as of body. A server that sends chunks of one byte can send less.
    if (coding === undefined) await reader.copy(length, take);
    else await readChunks(reader, Math.max(maxBodyBytes, MAX_HEAD_BYTES), take);
    return await body.end();
  } catch (error) {
    if (!takesPart) throw error;
    return await body.end();
  } finally {
    body.discard();
  }
}

/** Reads the final response to a request. */
export async function readResponse(
  pieces: AsyncIterator<Uint8Array>,
  method: string,
  limit: BodyLimit,
  makeBody: MakeBody,
): Promise<ResponseMessage> {
  const reader = makeByteReader(pieces);
  for (let informational = 0; informational <= MAX_INFORMATIONAL; informational++) {
    const statusLine = await reader.line(MAX_HEAD_BYTES);
    const status = Number(/^HTTP\/1\.[01] ([1-9]\d\d)(?: |$)/.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) throw new NodeError('the response is not HTTP/1.1');
    const headers = await readHeaders(reader, MAX_HEAD_BYTES - statusLine.length);
    if (status === 101) throw new NodeError('the server wants to speak another protocol');
    // Informational: the final response follows.
    if (status < 200) continue;
    // The headers of these responses may describe a body, but none follows.
    const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
    if (!hasBody) return { status, headers, body: new Uint8Array(0) };
    const body = await readBody(reader, headers, limit, makeBody).catch((error) => {
      // What the server refused, it did not refuse for the size of its answer.
      const isRefusal = status >= 300 && error instanceof NodeError && !(error instanceof TransientError);
      throw isRefusal ? new NodeError(`status code: ${status}; ${error.message}`) : error;
    });
    return { status, headers, body };
  }
  throw new NodeError('the server gives no final response');
}
