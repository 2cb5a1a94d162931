import type { Parameter } from '../../../types/described/openapi.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { NodeError } from '../../engine/node.ts';
import { toExactJson, toPlainText } from '../exact_json.ts';

/** Encodes all characters but the unreserved ones. Source: RFC 3986, section 2.3. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const DELIMITERS = { spaceDelimited: ' ', pipeDelimited: '|', form: ',', simple: ',' } as const;

type DelimitedStyle = keyof typeof DELIMITERS;

/** Joins parts by the delimiter of a style. The comma of an encoded text stays as it is. */
const joinEncoded = (parts: readonly string[], style: DelimitedStyle): string =>
  parts.join(style === 'form' || style === 'simple' ? ',' : encode(DELIMITERS[style]));

/** Joins the elements of a list by the delimiter of a style, without encoding them. */
export const joinPlain = (list: readonly Value[], style: DelimitedStyle): string =>
  list.map(toPlainText).join(DELIMITERS[style]);

const pairsOf = (map: ValueMap): [string, string][] =>
  Object.entries(map).map(([name, member]) => [name, toPlainText(member)]);

/** Writes a value of the styles `simple` of paths and headers. `write` encodes each part. */
function simpleText(value: Value, explode: boolean, write: (text: string) => string): string {
  if ('A' in value) return value.A.map((element) => write(toPlainText(element))).join(',');
  if ('M' in value) {
    return pairsOf(value.M).map(([name, text]) => `${write(name)}${explode ? '=' : ','}${write(text)}`).join(',');
  }
  return write(toPlainText(value));
}

/**
 * Writes a value in the style `deepObject`: `key[member]=text`. OpenAPI leaves inner lists and objects open. Servers that
 * take this style, such as Stripe's, read them by further brackets.
 */
function deepParts(key: string, value: Value): string[] {
  const inner = 'M' in value ? Object.entries(value.M) : 'A' in value ? [...value.A.entries()] : undefined;
  if (inner === undefined) return [`${key}=${encode(toPlainText(value))}`];
  return inner.flatMap(([name, member]) => deepParts(`${key}%5B${encode(String(name))}%5D`, member));
}

/**
 * Writes a query parameter, or a field of a form. A list without elements and an object without members give no text.
 */
export function queryParts(
  { name, style, explode }: Pick<Parameter, 'name' | 'style' | 'explode'>,
  value: Value,
): string[] {
  const key = encode(name);
  if (style === 'json') return [`${key}=${encode(toExactJson(value))}`];
  if (style === 'deepObject') return deepParts(key, value);
  if ('A' in value) {
    const texts = value.A.map((element) => encode(toPlainText(element)));
    if (texts.length === 0) return [];
    return explode ? texts.map((text) => `${key}=${text}`) : [`${key}=${joinEncoded(texts, style)}`];
  }
  if ('M' in value) {
    const pairs = pairsOf(value.M).map(([member, text]) => [encode(member), encode(text)] as const);
    if (pairs.length === 0) return [];
    return explode
      ? pairs.map(([member, text]) => `${member}=${text}`)
      : [`${key}=${joinEncoded(pairs.flat(), style)}`];
  }
  return [`${key}=${encode(toPlainText(value))}`];
}

const textOf = ({ style, explode }: Parameter, value: Value, write: (text: string) => string): string =>
  style === 'json' ? write(toExactJson(value)) : simpleText(value, explode, write);

/** The parts of a request's head that parameters fill. */
interface ExpandedParameters {
  path: string;
  query: string;
  headers: [name: string, value: string][];
}

/**
 * Tests whether a path has a segment `.` or `..`, perhaps with encoded dots. The URL parser would remove such a segment
 * and the one before it, so the request would reach another operation.
 */
const walksUp = (path: string): boolean => path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));

/** Fills the parameters of an operation with the values of inputs. An input without a value, or null, is left out. */
export function expandParameters(
  path: string,
  parameters: readonly Parameter[],
  inputs: ValueMap,
): ExpandedParameters {
  const texts = new Map<string, string>();
  const query: string[] = [];
  const headers: [string, string][] = [];
  for (const parameter of parameters) {
    const value = inputs[parameter.port];
    if (value === undefined || 'N' in value) continue;
    if (parameter.in === 'path') texts.set(parameter.name, textOf(parameter, value, encode));
    if (parameter.in === 'query') query.push(...queryParts(parameter, value));
    if (parameter.in === 'header') headers.push([parameter.name, textOf(parameter, value, (text) => text)]);
  }
  const expanded = path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const text = texts.get(name);
    if (text === undefined) throw new NodeError(`missing field \`${name}\``);
    return text;
  });
  if (walksUp(expanded)) throw new NodeError('a parameter of the path makes a segment . or .., which is not allowed');
  return { path: expanded, query: query.join('&'), headers };
}
