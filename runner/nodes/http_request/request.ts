import { base64 } from '@scure/base';
import { bytesOfValue, type Value, type ValueMap } from '../../../types/values/value.ts';
import { readField, readOptionalField, toMap, toText } from '../../../types/values/conversion.ts';
import { toWireJson } from '../../../types/values/json/wire_json.ts';
import { type HttpRequest, NodeError } from '../../engine/node.ts';
import { charsetOf, isJsonType, mediaTypeOf } from '../../values/media_types.ts';
import { appendParams, type Pair, readPairs, toRequestText } from '../../values/pairs.ts';
import { multipartBody, type SentBody, textBody } from '../../values/sent_body.ts';

/** Makes the Authorization header of basic_auth. Source: RFC 7617, section 2. */
function basicAuthorization(inputs: ValueMap): string | undefined {
  const credentials = readOptionalField(inputs, 'basic_auth', toMap);
  if (credentials === undefined) return undefined;
  const user = readField(credentials, 'user', toRequestText);
  if (user.includes(':')) throw new NodeError("basic_auth: a user name can't hold a colon");
  const password = readOptionalField(credentials, 'password', toRequestText) ?? '';
  return `Basic ${base64.encode(new TextEncoder().encode(`${user}:${password}`))}`;
}

export const hasBasicAuth = (inputs: ValueMap): boolean => basicAuthorization(inputs) !== undefined;

function urlOf(inputs: ValueMap): string {
  const text = readField(inputs, 'url', toText);
  const params = readPairs(inputs, 'query_params');
  if (params.length === 0 || !URL.canParse(text)) return text;
  const url = new URL(text);
  appendParams(url, params);
  return url.href;
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

const urlEncoded = (fields: readonly Pair[], type: string): SentBody =>
  textBody(new URLSearchParams(fields.map(([name, value]) => [name, value])).toString(), type);

function multipart(fields: readonly Pair[]): SentBody {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  // This content type replaces a content-type header of the flow.
  return multipartBody(form);
}

/** Checks that a text has the same bytes in UTF-8 as in the charset that its content type names. */
function checkCharset(text: string, type: string): void {
  const charset = charsetOf(type);
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  let decoded: string | undefined;
  try {
    decoded = new TextDecoder(charset).decode(new TextEncoder().encode(text));
  } catch {
    // An unknown charset can't be compared.
  }
  if (decoded !== text) {
    throw new NodeError(`body: texts are sent in UTF-8, so the content-type can't name the charset ${charset}`);
  }
}

/** Makes the body of a value. `given` is the flow's own content type. */
function valueBody(inputs: ValueMap, value: Value, given: string | undefined): SentBody {
  const type = mediaTypeOf(given ?? '');
  if (given === undefined || isJsonType(type)) return textBody(toWireJson(value), given ?? 'application/json');
  if ('S' in value) {
    checkCharset(value.S, given);
    return textBody(value.S, given);
  }
  if (type === FORM_TYPE && 'M' in value) return urlEncoded(readPairs(inputs, 'body'), given);
  const bytes = bytesOfValue(value);
  return bytes === undefined ? textBody(toWireJson(value), given) : { bytes: () => bytes, type: given };
}

function readBody(inputs: ValueMap, given: string | undefined): SentBody | undefined {
  const value = readOptionalField(inputs, 'body', (body) => body);
  // The editor saves an empty list of fields for every node, so a form without fields counts as missing.
  const fields = readPairs(inputs, 'form');
  if (fields.length === 0) return value === undefined ? undefined : valueBody(inputs, value, given);
  if (value !== undefined) throw new NodeError('give either body or form, not both');
  return mediaTypeOf(given ?? '') === FORM_TYPE ? urlEncoded(fields, given ?? FORM_TYPE) : multipart(fields);
}

/** Reads the method, in upper case; GET by default. */
export const readMethod = (inputs: ValueMap): string =>
  (readOptionalField(inputs, 'method', toText) ?? 'GET').toUpperCase();

/** Reads the request from the inputs. Errors name the wrong input. */
export function readRequest(inputs: ValueMap): Omit<HttpRequest, 'signal'> {
  const authorization = basicAuthorization(inputs);
  const headers = new Map<string, Pair[]>();
  for (const pair of readPairs(inputs, 'headers')) {
    const name = pair[0].toLowerCase();
    headers.set(name, [...headers.get(name) ?? [], pair]);
  }
  if (authorization !== undefined) headers.set('authorization', [['authorization', authorization]]);
  const body = readBody(inputs, headers.get('content-type')?.at(-1)?.[1]);
  if (body !== undefined) headers.set('content-type', [['content-type', body.type]]);
  return {
    method: readMethod(inputs),
    url: urlOf(inputs),
    headers: [...headers.values()].flat(),
    makeBody: body?.bytes,
  };
}
