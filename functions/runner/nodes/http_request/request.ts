import { base64 } from '@scure/base';
import type { Value, ValueMap } from '../../../../types/value.ts';
import { type HttpRequest, NodeError, requireInput } from '../../engine/node.ts';
import { valueToJsonText } from './plain_json.ts';

/** The input, unless it is missing or null, which mean the same of an optional one. */
const optional = (inputs: ValueMap, name: string): Value | undefined => {
  const value = inputs[name];
  return value === undefined || 'N' in value ? undefined : value;
};

function textOf(value: Value | undefined, place: string): string {
  if (value === undefined || !('S' in value)) throw new NodeError(`${place}: expected a string`);
  return value.S;
}

/** Pairs of texts, given as a list of pairs or as a map; none when there is no such input. */
function pairsOf(inputs: ValueMap, name: string): [string, string][] {
  const value = optional(inputs, name);
  if (value === undefined) return [];
  if ('M' in value) {
    return Object.entries(value.M).map(([key, member]) => [key, textOf(member, `${name}.${key}`)]);
  }
  if (!('A' in value)) throw new NodeError(`${name}: expected a map, or a list of pairs`);
  return value.A.map((pair, index) => {
    const place = `${name}[${index}]`;
    if (!('A' in pair) || pair.A.length !== 2) throw new NodeError(`${place}: expected a pair [name, value]`);
    return [textOf(pair.A[0], `${place}[0]`), textOf(pair.A[1], `${place}[1]`)];
  });
}

/** Source: RFC 7617, section 2. */
function basicAuthorization(inputs: ValueMap): string | undefined {
  const value = optional(inputs, 'basic_auth');
  if (value === undefined) return undefined;
  if (!('M' in value)) throw new NodeError('basic_auth: expected {user, password}');
  const user = textOf(value.M.user, 'basic_auth.user');
  if (user.includes(':')) throw new NodeError("basic_auth.user: can't hold a colon");
  const password = optional(value.M, 'password');
  const credentials = `${user}:${password === undefined ? '' : textOf(password, 'basic_auth.password')}`;
  return `Basic ${base64.encode(new TextEncoder().encode(credentials))}`;
}

function urlOf(inputs: ValueMap): string {
  const text = textOf(requireInput(inputs, 'url'), 'url');
  const params = pairsOf(inputs, 'query_params');
  if (params.length === 0 || !URL.canParse(text)) return text;
  const url = new URL(text);
  for (const [name, value] of params) url.searchParams.append(name, value);
  return url.href;
}

/** The body, and the type it has. */
async function bodyOf(inputs: ValueMap): Promise<{ body?: Uint8Array; type?: string | null }> {
  const body = optional(inputs, 'body');
  if (optional(inputs, 'form') === undefined) {
    if (body === undefined) return {};
    return { body: new TextEncoder().encode(valueToJsonText(body)), type: 'application/json' };
  }
  if (body !== undefined) throw new NodeError('body and form exclude each other');
  const form = new FormData();
  for (const [name, value] of pairsOf(inputs, 'form')) form.append(name, value);
  const encoded = new Response(form);
  return { body: new Uint8Array(await encoded.arrayBuffer()), type: encoded.headers.get('content-type') };
}

/** What the inputs ask for. Throws a NodeError that names the input that is wrong, and where. */
export async function readRequest(inputs: ValueMap): Promise<Omit<HttpRequest, 'signal'>> {
  const { body, type } = await bodyOf(inputs);
  const authorization = basicAuthorization(inputs);
  const isForm = optional(inputs, 'form') !== undefined;
  const headers = pairsOf(inputs, 'headers').filter(([name]) => {
    const key = name.toLowerCase();
    // The boundary of a form is known here only.
    return !(key === 'authorization' && authorization !== undefined) && !(key === 'content-type' && isForm);
  });
  if (authorization !== undefined) headers.push(['authorization', authorization]);
  if (type && !headers.some(([name]) => name.toLowerCase() === 'content-type')) headers.push(['content-type', type]);
  const method = textOf(optional(inputs, 'method') ?? { S: 'GET' }, 'method');
  return { method, url: urlOf(inputs), headers, body };
}
