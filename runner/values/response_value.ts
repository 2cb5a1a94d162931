import { bytesToValue, type Value, ValueError, type ValueMap } from '../../types/values/value.ts';
import { fromWireJsonText } from '../../types/values/json/wire_json.ts';
import { type HttpResponse, NodeError } from '../engine/node.ts';
import { answerError } from '../engine/transient_answer.ts';

/** The most characters of a body that an error quotes. */
const MAX_QUOTED = 2_000;

const mediaType = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

/** Decodes text in the charset of its content type, or in UTF-8. */
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
  // The answer to a HEAD request has no body, although its headers describe one.
  if (text === '') return { N: 0 };
  try {
    return fromWireJsonText(text, maxBytes);
  } catch (error) {
    throw error instanceof ValueError ? new NodeError(`the response's body: ${error.message}`) : error;
  }
}

/** Converts a body to a value. */
function bodyValue(body: Uint8Array, contentType: string, maxBytes: number): Value {
  const type = mediaType(contentType);
  if (type.startsWith('text/')) return { S: decodeText(body, contentType) };
  if (type.includes('json')) return parseJson(decodeText(body, contentType), maxBytes);
  return bytesToValue(body);
}

/**
 * Quotes a failed response's body in an error if it is text: at most MAX_QUOTED characters, without characters that
 * can't be stored.
 */
function quote(body: Uint8Array, contentType: string): string {
  const type = mediaType(contentType);
  if (body.length === 0 || !(type.startsWith('text/') || type.includes('json'))) return '';
  const text = new TextDecoder().decode(body).replaceAll('\0', '\uFFFD');
  const quoted = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}… (${body.length} bytes in all)` : text;
  return `\n${quoted.toWellFormed()}`;
}

/** Makes the error of a status other than 2xx, with the body. */
function statusError(response: HttpResponse, contentType: string): NodeError {
  const message = `status code: ${response.status}${quote(response.body, contentType)}`;
  return answerError(response, message);
}

/**
 * Converts a response to the node's outputs. A status other than 2xx throws a NodeError with the status and the body.
 */
export function readResponse(response: HttpResponse, maxBytes: number): { body: Value; headers: Value } {
  const { status, headers, body } = response;
  const contentType = headers['content-type'] ?? '';
  if (status < 200 || status > 299) throw statusError(response, contentType);
  const values: ValueMap = Object.create(null);
  for (const [name, value] of Object.entries(headers)) values[name] = { S: value };
  return { body: bodyValue(body, contentType, maxBytes), headers: { M: values } };
}
