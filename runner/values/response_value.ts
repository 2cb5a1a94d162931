import { bytesToValue, type Value, ValueError, type ValueMap } from '../../types/values/value.ts';
import { fromWireJsonText } from '../../types/values/json/wire_json.ts';
import { type HttpResponse, NodeError } from '../engine/node.ts';
import { answerError } from '../engine/failures/transient_answer.ts';
import { isJsonType, mediaTypeOf } from './media_types.ts';
import { textOfBody } from './response_text.ts';

/** The most characters of a body that an error quotes. */
const MAX_QUOTED = 2_000;

function parseJson(text: string, maxBytes: number): Value {
  // The answer to a HEAD request has no body, although its headers describe one.
  if (text === '') return { N: 0 };
  try {
    return fromWireJsonText(text, maxBytes);
  } catch (error) {
    throw error instanceof ValueError ? new NodeError(`the response's body: ${error.message}`) : error;
  }
}

/** Converts a body to a value. A text that is not valid in its charset is bytes, so no character is lost. */
function bodyValue(body: Uint8Array, contentType: string, maxBytes: number): Value {
  const text = textOfBody(body, contentType);
  if (text === undefined) return bytesToValue(body);
  return isJsonType(mediaTypeOf(contentType)) ? parseJson(text, maxBytes) : { S: text };
}

/** Returns the first MAX_QUOTED characters of a text, without a half surrogate pair at their end. */
const beginOf = (text: string): string => text.slice(0, MAX_QUOTED).replace(/[\uD800-\uDBFF]$/, '');

/**
 * Quotes a failed response's body in an error if it is text: at most MAX_QUOTED characters, without characters that
 * can't be stored.
 */
function quote(body: Uint8Array, contentType: string): string {
  const text = textOfBody(body, contentType)?.replaceAll('\0', '\uFFFD') ?? '';
  if (text === '') return '';
  return `\n${text.length > MAX_QUOTED ? `${beginOf(text)}… (${body.length} bytes in all)` : text}`;
}

/** Makes the error of a status other than 2xx, with the body. */
function statusError(response: HttpResponse, contentType: string): NodeError {
  const message = `status code: ${response.status}${quote(response.body, contentType)}`;
  return answerError(response, message);
}

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/**
 * Converts a response to the node's outputs. If the status is not expected, throws a NodeError with the status and the
 * body.
 */
export function readResponse(
  response: HttpResponse,
  maxBytes: number,
  isExpected: (status: number) => boolean = isSuccess,
): { body: Value; headers: Value } {
  const { status, headers, body } = response;
  const contentType = headers['content-type'] ?? '';
  if (!isExpected(status)) throw statusError(response, contentType);
  const values: ValueMap = Object.create(null);
  for (const [name, value] of Object.entries(headers)) values[name] = { S: value };
  return { body: bodyValue(body, contentType, maxBytes), headers: { M: values } };
}
