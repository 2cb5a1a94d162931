import { bytesToValue, type Value, ValueError, type ValueMap } from '../../../../types/values/value.ts';
import { jsonTextToValue } from '../../../../types/values/json.ts';
import { type HttpResponse, NodeError } from '../../engine/node.ts';

/** Characters of a body that an error message quotes. */
const MAX_QUOTED = 2_000;

const mediaType = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

/** Decodes text in the charset that its content type names, or in UTF-8. */
function decodeText(body: Uint8Array, contentType: string): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset);
  } catch {
    throw new NodeError(`the response's charset ${charset} is unknown`);
  }
  return decoder.decode(body);
}

function parseJson(text: string, maxBytes: number): Value {
  // After a HEAD request the headers describe a body that was not sent.
  if (text === '') return { N: 0 };
  try {
    return jsonTextToValue(text, maxBytes);
  } catch (error) {
    throw error instanceof ValueError ? new NodeError(`the response's body: ${error.message}`) : error;
  }
}

/** The value of a body. One that is too large for an output is not even read, since the value would be larger than its text. */
function bodyValue(body: Uint8Array, contentType: string, maxBytes: number): Value {
  const type = mediaType(contentType);
  if (body.length > maxBytes) {
    throw new NodeError(`output_too_large: the response holds ${body.length} bytes, and an output ${maxBytes} at most`);
  }
  if (type.startsWith('text/')) return { S: decodeText(body, contentType) };
  if (type.includes('json')) return parseJson(decodeText(body, contentType), maxBytes);
  return bytesToValue(body);
}

/** What an error quotes of a failed response's body when it is text: no more than MAX_QUOTED, and nothing that can't be stored. */
function quote(body: Uint8Array, contentType: string): string {
  const type = mediaType(contentType);
  if (body.length === 0 || !(type.startsWith('text/') || type.includes('json'))) return '';
  const text = new TextDecoder().decode(body).replaceAll('\0', '\uFFFD');
  const quoted = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}… (${body.length} bytes in all)` : text;
  return `\n${quoted.toWellFormed()}`;
}

/** The node's outputs. A status other than 2xx throws a NodeError with the status and the body. */
export function readResponse({ status, headers, body }: HttpResponse, maxBytes: number): ValueMap {
  const contentType = headers['content-type'] ?? '';
  if (status < 200 || status > 299) throw new NodeError(`status code: ${status}${quote(body, contentType)}`);
  const values: ValueMap = Object.create(null);
  for (const [name, value] of Object.entries(headers)) values[name] = { S: value };
  return { body: bodyValue(body, contentType, maxBytes), headers: { M: values } };
}
