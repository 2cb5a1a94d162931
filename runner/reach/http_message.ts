import { NodeError } from '../engine/node.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { type ByteReader, makeByteReader, type TakeBytes } from './byte_stream.ts';
import { makeChunkedDecoder } from './chunked.ts';
import { type BodyWriter, tooLarge } from './response_body.ts';

/**
 * HTTP/1.1 messages over a connection that serves one request. Source: RFC 9112.
 *
 * The project has its own code for this protocol, because no HTTP client lets its caller choose the IP address of the
 * server on every platform. `fetch` resolves the host itself. In Deno 2.1, on which hosted Edge Functions run,
 * `node:https` refuses `lookup` and ignores `createConnection`.
 */

/** The most bytes of the status line and all headers together; Node's own limit. */
const MAX_HEAD_BYTES = 16 * 1024;

/** The most informational responses before the final one. */
const MAX_INFORMATIONAL = 16;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export interface ResponseMessage {
  status: number;
  /** The headers by name in lower case, as text. The values of headers with the same name are joined. */
  headers: { [name: string]: string };
  /** The headers `Set-Cookie`, with one character for each byte. */
  cookies: string[];
  body: Uint8Array;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Converts a header's bytes, each a character, to text. Servers send texts like file names in UTF-8. If the bytes are
 * not UTF-8, they are Latin-1.
 */
export function headerText(bytes: string): string {
  try {
    return utf8.decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)));
  } catch {
    return bytes;
  }
}

/** The most bytes of a request's head. */
const MAX_REQUEST_HEAD_BYTES = 64 * 1024;

/**
 * Encodes a request's head; the body follows it. Throws a NodeError if the head has more than MAX_REQUEST_HEAD_BYTES,
 * because servers would refuse such a head.
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

/** Removes spaces and tabs at both ends. A regular expression would take quadratic time on long rows of blanks. */
function trimBlanks(text: string): string {
  const isBlank = (index: number) => text[index] === ' ' || text[index] === '\t';
  let begin = 0;
  let end = text.length;
  while (begin < end && isBlank(begin)) begin++;
  while (end > begin && isBlank(end - 1)) end--;
  return text.slice(begin, end);
}

/** Reads header lines up to the empty line. All lines together may have `maxBytes`. */
async function readHeaders(
  reader: ByteReader,
  maxBytes: number,
): Promise<Pick<ResponseMessage, 'headers' | 'cookies'>> {
  const headers: { [name: string]: string } = Object.create(null);
  const cookies: string[] = [];
  let left = maxBytes;
  for (;;) {
    const line = await reader.line(left);
    if (line === '') return { headers, cookies };
    left -= line.length;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    const value = trimBlanks(line.slice(colon + 1));
    if (!TOKEN.test(name) || /[\0\r]/.test(value)) throw new NodeError('the response has a malformed header');
    if (name === 'set-cookie') cookies.push(value);
    const text = headerText(value);
    headers[name] = headers[name] === undefined ? text : `${headers[name]}, ${text}`;
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

/** Reads the length in Content-Length, which may be repeated with the same value; undefined without the header. */
function contentLength(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const [length, ...others] = new Set(header.split(',').map((part) => part.trim()));
  if (length === undefined || others.length > 0 || !/^\d{1,15}$/.test(length)) {
    throw new NodeError('the response has a malformed content-length');
  }
  return Number(length);
}

/** A response without its body. */
export type ResponseHead = Omit<ResponseMessage, 'body'>;

/** Makes the writer of a body when the head of its response has arrived. */
export type MakeBody = (head: ResponseHead) => BodyWriter | Promise<BodyWriter>;

/** The limit of a body. */
export interface ResponseLimit {
  maxBytes: number;
  /**
   * A body may be too large, break off or be malformed. If this flag is true, such a body ends at its fault. If the
   * flag is false, the fault is an error.
   */
  takesPart: boolean;
}

/** Reads the body that follows a head, as it was sent. Source: RFC 9112, section 6.3. */
async function readBody(
  reader: ByteReader,
  head: ResponseHead,
  { maxBytes: maxBodyBytes, takesPart }: ResponseLimit,
  makeBody: MakeBody,
): Promise<Uint8Array> {
  const { headers } = head;
  const coding = headers['transfer-encoding'];
  const length = coding === undefined ? contentLength(headers['content-length']) ?? Infinity : Infinity;
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new NodeError(`the transfer-encoding ${coding} is not supported`);
  }
  if (length !== Infinity && length > maxBodyBytes && !takesPart) throw tooLarge(maxBodyBytes);
  const body = await makeBody(head);
  let sent = 0;
  const take: TakeBytes = (bytes) => {
    const room = maxBodyBytes - sent;
    sent += bytes.length;
    if (sent <= maxBodyBytes) return body.write(bytes);
    if (!takesPart) throw tooLarge(maxBodyBytes);
    return Promise.resolve(body.write(bytes.subarray(0, room))).then(() => {
      throw tooLarge(maxBodyBytes);
    });
  };
  try {
    // The framing of the chunks may have as many bytes as a body. A body in chunks of one byte has more framing than
    // data, so it exceeds the limit of the framing first.
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
  limit: ResponseLimit,
  makeBody: MakeBody,
): Promise<ResponseMessage> {
  const reader = makeByteReader(pieces);
  for (let informational = 0; informational <= MAX_INFORMATIONAL; informational++) {
    const statusLine = await reader.line(MAX_HEAD_BYTES);
    const status = Number(/^HTTP\/1\.[01] ([1-9]\d\d)(?: |$)/.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) throw new NodeError('the response is not HTTP/1.1');
    const { headers, cookies } = await readHeaders(reader, MAX_HEAD_BYTES - statusLine.length);
    if (status === 101) throw new NodeError('the server asks to change the protocol');
    // After an informational response, another response follows.
    if (status < 200) continue;
    // A response without a body may have headers that describe one, for example its length.
    const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
    const head = { status, headers, cookies };
    if (!hasBody) return { ...head, body: new Uint8Array(0) };
    const body = await readBody(reader, head, limit, makeBody).catch((error) => {
      // If the server answers with an error status and a body that can't be read, the error must still name the status.
      const isRefusal = status >= 300 && error instanceof NodeError && !(error instanceof TransientError);
      throw isRefusal ? new NodeError(`status code: ${status}; ${error.message}`) : error;
    });
    return { ...head, body };
  }
  throw new NodeError('the server gives no final response');
}
