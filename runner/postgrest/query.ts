import {
  ConversionError,
  type Convert,
  readField,
  readOptionalField,
  toArray,
  toBoolean,
  toMap,
  toMember,
  toText,
} from '../../types/values/conversion.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';

/** A request to PostgREST, which the nodes `postgrest_*` pass on as an object. */
export interface Query {
  /** The address of a PostgREST; undefined for the REST API of the runner's own project. */
  url?: string | undefined;
  /** The schema; undefined for the first one that PostgREST exposes. */
  schema?: string | undefined;
  /** The table or view, or the function. */
  target: { kind: 'table' | 'function'; name: string };
  method: Method;
  params: readonly Param[];
  /** Members of the header `Prefer`. */
  prefer: readonly string[];
  /** The body, which is sent as JSON. */
  body?: Value | undefined;
  /** True if the author states that the write may be made twice. */
  isSafeToRepeat: boolean;
}

export type Param = readonly [name: string, value: string];

const METHODS = { GET: 'GET', POST: 'POST', PATCH: 'PATCH' } as const;
type Method = keyof typeof METHODS;

const toParam: Convert<Param> = (value) => {
  const [name, text, ...more] = toArray(value);
  if (name === undefined || text === undefined || more.length > 0) {
    throw new ConversionError('`params` must be a list of pairs');
  }
  return [toText(name), toText(text)];
};

const listOf = <T>(toMember: Convert<T>): Convert<T[]> => (value) => toArray(value).map(toMember);

/** Reads a query from the output of a node. */
export function toQuery(value: Value): Query {
  const members = toMap(value);
  const table = readOptionalField(members, 'table', toText);
  return {
    url: readOptionalField(members, 'url', toText),
    schema: readOptionalField(members, 'schema', toText),
    target: table === undefined
      ? { kind: 'function', name: readField(members, 'function', toText) }
      : { kind: 'table', name: table },
    method: readField(members, 'method', toMember(METHODS)),
    params: readOptionalField(members, 'params', listOf(toParam)) ?? [],
    prefer: readOptionalField(members, 'prefer', listOf(toText)) ?? [],
    body: readOptionalField(members, 'body', (body) => body),
    isSafeToRepeat: readOptionalField(members, 'safe_to_repeat', toBoolean) ?? false,
  };
}

const textList = (texts: readonly string[]): Value => ({ A: texts.map((text) => ({ S: text })) });

/** Makes the value of a query that a node outputs. */
export function queryValue({ url, schema, target, method, params, prefer, body, isSafeToRepeat }: Query): Value {
  const members: ValueMap = { [target.kind]: { S: target.name }, method: { S: method } };
  if (url !== undefined) members.url = { S: url };
  if (schema !== undefined) members.schema = { S: schema };
  if (params.length > 0) members.params = { A: params.map(textList) };
  if (prefer.length > 0) members.prefer = textList(prefer);
  if (body !== undefined) members.body = body;
  if (isSafeToRepeat) members.safe_to_repeat = { B: true };
  return { M: members };
}

/** Returns the value of a parameter that a query may have only once. */
export const lastParam = (query: Query, name: string): string | undefined =>
  query.params.findLast(([other]) => other === name)?.[1];

/** Adds parameters, and keeps existing parameters of the same name, such as an earlier filter on the same column. */
export const withParams = (query: Query, params: Param[]): Query => ({
  ...query,
  params: query.params.concat(params),
});

/** Sets a parameter that a query may have only once, and replaces an earlier value of it. */
export const withOnlyParam = (query: Query, name: string, value: string): Query =>
  withParams({ ...query, params: query.params.filter(([other]) => other !== name) }, [[name, value]]);
