import { bytesToValue, type Value, ValueError, type ValueMap } from '../../../../types/values/value.ts';
import { jsonTextToValue } from '../../../../types/values/json.ts';
import { type HttpResponse, NodeError } from '../../engine/node.ts';

/** Characters of a body that an error message quotes. */
const MAX_QUOTED = 2_000;

const mediaType = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

/** Text in the charset that its type names, else UTF-8. */
function decodeText(body: Uint8Array, contentType: string): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset);
  } catch {
    throw new NodeError(`the charset ${charset} of the response is unknown`);
  }
  return decoder.decode(body);
}

function parseJson(text: string, maxBytes: number): Value {
  // As after a HEAD request: the headers speak of a body that isn't there.
  if (text === '') return { N: 0 };
  try {
    return jsonTextToValue(text, maxBytes);
  } catch (error) {
    throw error instanceof ValueError ? new NodeError(`the response's body: ${error.message}`) : error;
  }
}

/** A value is larger than the text that it is read from: what can't be an output is not read at all. */
function bodyValue(body: Uint8Array, contentType: string, maxBytes: number): Value {
  const type = mediaType(contentType);
  if (body.length > maxBytes) {
    throw new NodeError(`output_too_large: the response holds ${body.length} bytes, and an output ${maxBytes} at most`);
  }
  if (type.startsWith('text/')) return { S: decodeText(body, contentType) };
  if (type.includes('json')) return parseJson(decodeText(body, contentType), maxBytes);
  return bytesToValue(body);
}

/** What a response without success says for itself, where it is text: bounded, and without what can't be stored. */
function quote(body: Uint8Array, contentType: string): string {
  const type = mediaType(contentType);
  if (body.length === 0 || !(type.startsWith('text/') || type.includes('json'))) return '';
  const text = new TextDecoder().decode(body).replaceAll('\0', '\uFFFD');
  const quoted = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}… (${body.length} bytes in all)` : text;
  return `\n${quoted.toWellFormed()}`;
}

/** The node's outputs; a NodeError with status and body when the status is not 2xx. */
export function readResponse({ status, headers, body }: HttpResponse, maxBytes: number): ValueMap {
  const contentType = headers['content-type'] ?? '';
  if (status < 200 || status > 299) throw new NodeError(`status code: ${status}${quote(body, contentType)}`);
  const values: ValueMap = Object.create(null);
  for (const [name, value] of Object.entries(headers)) values[name] = { S: value };
  return { body: bodyValue(body, contentType, maxBytes), headers: { M: values } };
}
