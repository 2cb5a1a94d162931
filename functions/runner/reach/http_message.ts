import { NodeError } from '../engine/node.ts';
import { type ByteReader, makeByteReader, makeByteSink } from './byte_stream.ts';

/**
 * HTTP/1.1 messages over a connection that serves one request. Source: RFC 9112.
 *
 * Written out because no client of the platforms can be told which address to connect to on all of them: `fetch` resolves the
 * host itself, and `node:https` refuses `lookup` and ignores `createConnection` in Deno 2.1, which hosted Edge Functions run on.
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

/** The bytes of a request. Throws a NodeError for what can't stand in one. */
export function encodeRequest(
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
  const head = Uint8Array.from(`${lines.join('\r\n')}\r\n\r\n`, (letter) => letter.charCodeAt(0));
  const bytes = new Uint8Array(head.length + (body?.length ?? 0));
  bytes.set(head);
  if (body !== undefined) bytes.set(body, head.length);
  return bytes;
}

/** Without spaces and tabs at both ends. A pattern would look at each row of blanks once per blank. */
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

async function readChunks(reader: ByteReader, add: (piece: Uint8Array) => void): Promise<void> {
  for (;;) {
    const size = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?$/.exec(await reader.line(MAX_HEAD_BYTES))?.[1];
    if (size === undefined) throw new NodeError('the response has a malformed chunk');
    if (Number.parseInt(size, 16) === 0) break;
    await reader.copy(Number.parseInt(size, 16), add);
    if (await reader.line(2) !== '') throw new NodeError('the response has a malformed chunk');
  }
  await readHeaders(reader, MAX_HEAD_BYTES);
}

/** The length that Content-Length gives, once or several times alike; undefined when there is none. */
function contentLength(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const [length, ...others] = new Set(header.split(',').map((part) => part.trim()));
  if (length === undefined || others.length > 0 || !/^\d{1,15}$/.test(length)) {
    throw new NodeError('the response has a malformed content-length');
  }
  return Number(length);
}

/** Reads the final response to a request. Source: RFC 9112, section 6.3. */
export async function readResponse(
  pieces: AsyncIterator<Uint8Array>,
  method: string,
  maxBodyBytes: number,
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

    const body = makeByteSink(maxBodyBytes);
    const coding = headers['transfer-encoding'];
    if (method === 'HEAD' || status === 204 || status === 304) {
      // Its headers speak of a body that isn't there.
    } else if (coding !== undefined) {
      if (coding.toLowerCase() !== 'chunked') throw new NodeError(`the transfer-encoding ${coding} is not supported`);
      await readChunks(reader, body.add);
    } else {
      const length = contentLength(headers['content-length']) ?? Infinity;
      if (length !== Infinity && length > maxBodyBytes) {
        throw new NodeError(`the response is larger than ${maxBodyBytes} bytes`);
      }
      await reader.copy(length, body.add);
    }
    return { status, headers, body: body.bytes() };
  }
  throw new NodeError('the server gives no final response');
}
