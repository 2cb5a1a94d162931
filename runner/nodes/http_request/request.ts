import { base64 } from '@scure/base';
import type { ValueMap } from '../../../types/values/value.ts';
import { readField, readOptionalField, toMap, toText } from '../../../types/values/conversion.ts';
import { toWireJson } from '../../../types/values/json/wire_json.ts';
import { type HttpRequest, NodeError } from '../../engine/node.ts';
import { type Pair, readPairs } from '../../values/pairs.ts';

/** Makes the Authorization header of basic_auth. Source: RFC 7617, section 2. */
function basicAuthorization(inputs: ValueMap): string | undefined {
  const credentials = readOptionalField(inputs, 'basic_auth', toMap);
  if (credentials === undefined) return undefined;
  const user = readField(credentials, 'user', toText);
  if (user.includes(':')) throw new NodeError("basic_auth: a user name can't hold a colon");
  const password = readOptionalField(credentials, 'password', toText) ?? '';
  return `Basic ${base64.encode(new TextEncoder().encode(`${user}:${password}`))}`;
}

export const hasBasicAuth = (inputs: ValueMap): boolean => basicAuthorization(inputs) !== undefined;

function urlOf(inputs: ValueMap): string {
  const text = readField(inputs, 'url', toText);
  const params = readPairs(inputs, 'query_params');
  if (params.length === 0 || !URL.canParse(text)) return text;
  const url = new URL(text);
  for (const [name, value] of params) url.searchParams.append(name, value);
  return url.href;
}

interface Body {
  /** Makes the body at the time of sending. */
  bytes: () => Uint8Array | Promise<Uint8Array>;
  type: string;
  /**
   * True for a form. Only its own content type has the boundary between the parts, so a content-type header of the flow
   * is ignored.
   */
  isForm: boolean;
}

function readBody(inputs: ValueMap): Body | undefined {
  const json = readOptionalField(inputs, 'body', (value) => value);
  // The editor saves an empty list of fields for every node, so a form without fields counts as missing.
  const fields = readPairs(inputs, 'form');
  if (fields.length === 0) {
    return json === undefined
      ? undefined
      : { bytes: () => new TextEncoder().encode(toWireJson(json)), type: 'application/json', isForm: false };
  }
  if (json !== undefined) throw new NodeError('give either body or form, not both');
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const encoded = new Response(form);
  return {
    bytes: async () => new Uint8Array(await encoded.arrayBuffer()),
    type: encoded.headers.get('content-type') ?? 'multipart/form-data',
    isForm: true,
  };
}

/** Reads the method, in upper case; GET by default. */
export const readMethod = (inputs: ValueMap): string =>
  (readOptionalField(inputs, 'method', toText) ?? 'GET').toUpperCase();

/** Reads the request from the inputs. Errors name the wrong input. */
export function readRequest(inputs: ValueMap): Omit<HttpRequest, 'signal'> {
  const body = readBody(inputs);
  const authorization = basicAuthorization(inputs);
  const headers = new Map<string, Pair[]>();
  for (const pair of readPairs(inputs, 'headers')) {
    const name = pair[0].toLowerCase();
    headers.set(name, [...headers.get(name) ?? [], pair]);
  }
  if (authorization !== undefined) headers.set('authorization', [['authorization', authorization]]);
  if (body !== undefined && (body.isForm || !headers.has('content-type'))) {
    headers.set('content-type', [['content-type', body.type]]);
  }
  return {
    method: readMethod(inputs),
    url: urlOf(inputs),
    headers: [...headers.values()].flat(),
    makeBody: body?.bytes,
  };
}
