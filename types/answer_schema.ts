import { nodeLimits } from './limits/nodes.ts';
import { isObject } from './values/value.ts';

/** The question of a node `api_input`. The answer is free if it has neither `json_schema` nor `choices`. */
export interface InputQuestion {
  title: string | null;
  description: string | null;
  /** The JSON Schema of the answer as readable JSON. */
  json_schema: object | null;
  /** The allowed texts. */
  choices: readonly string[] | null;
}

/** The people who may answer a node `api_input`, besides a list of e-mail addresses. */
export const ANSWERED_BY = ['owner', 'starter', 'anyone_with_the_link'] as const;

/** The people who may answer a node `api_input`, and the inputs of the run that they see. */
export interface InputAnswering {
  answered_by: typeof ANSWERED_BY[number] | 'listed';
  /** The e-mail addresses, if `answered_by` is `listed`. */
  answerers?: readonly string[];
  /** The names of the inputs. */
  shown_inputs: readonly string[];
}

/** The form of an e-mail address in `answered_by`. */
export const isEmail = (text: string): boolean => text.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(text);

/**
 * For each type, the keywords that limit a value of the type. `pattern` and `$ref` are not allowed: with a slow
 * pattern, or with a schema that refers to itself, checking an answer could take unlimited time.
 */
const OF_TYPE: Record<string, readonly string[]> = {
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  null: [],
};
/** Keywords that only describe a value. */
const NOTES = new Set(['title', 'description', 'default', 'examples', 'format', '$schema', '$id']);
const KEYWORDS = new Set([...Object.values(OF_TYPE).flat(), 'type', 'enum', 'const', 'anyOf', 'oneOf']);
const MAX_LEVELS = 16;
const MAX_BYTES = nodeLimits.input_schema_bytes.value;

type Json = Record<string, unknown>;
const isScalar = (json: unknown): boolean => typeof json !== 'object' || json === null;
const isCount = (json: unknown): boolean => Number.isSafeInteger(json) && Number(json) >= 0;

/** The form of each keyword's value. A schema inside a schema is checked on its own. */
const FORMS: Record<string, [isRight: (value: unknown, schema: Json) => boolean, form: string]> = {
  type: [
    (value) => (Array.isArray(value) ? value : [value]).every((type) => Object.hasOwn(OF_TYPE, String(type))),
    `one of ${Object.keys(OF_TYPE).join(', ')}, or a list of them`,
  ],
  enum: [(value) => Array.isArray(value) && value.length > 0 && value.every(isScalar), 'a list of texts and numbers'],
  const: [isScalar, 'a text, a number, true, false or null'],
  required: [
    (value, { properties }) =>
      Array.isArray(value) && value.every((name) => isObject(properties) && Object.hasOwn(properties, String(name))),
    'a list of names in properties',
  ],
  properties: [isObject, 'an object of schemas'],
  additionalProperties: [(value) => typeof value === 'boolean' || isObject(value), 'true, false or a schema'],
  anyOf: [(value) => Array.isArray(value) && value.length > 0, 'a list of schemas'],
  oneOf: [(value) => Array.isArray(value) && value.length > 0, 'a list of schemas'],
};
const COUNT: typeof FORMS[string] = [isCount, 'a whole number from 0'];
const NUMBER: typeof FORMS[string] = [(value) => Number.isFinite(value), 'a number'];
const formOf = (keyword: string): typeof FORMS[string] =>
  FORMS[keyword] ?? (/^(min|max)(Length|Items|Properties)$/.test(keyword) ? COUNT : NUMBER);

/** Returns the schemas inside a schema, with their paths. */
function* innerSchemas(schema: Json, path: string): Generator<[unknown, string]> {
  for (const [name, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    yield [inner, `${path}.properties.${name}`];
  }
  if (schema.items !== undefined) yield [schema.items, `${path}.items`];
  if (isObject(schema.additionalProperties)) yield [schema.additionalProperties, `${path}.additionalProperties`];
  for (const keyword of ['anyOf', 'oneOf']) {
    const list = schema[keyword];
    if (Array.isArray(list)) {
      for (const [index, inner] of list.entries()) yield [inner, `${path}.${keyword}.${index}`];
    }
  }
}

function faultAt(schema: unknown, path: string, level: number): string | undefined {
  if (!isObject(schema)) return `${path}: must be a JSON Schema, an object`;
  if (level > MAX_LEVELS) return `${path}: is nested deeper than ${MAX_LEVELS} levels`;
  const keywords = Object.keys(schema).filter((keyword) => !NOTES.has(keyword));
  for (const keyword of keywords) {
    if (!KEYWORDS.has(keyword)) return `${path}.${keyword}: this keyword can't be used for answers`;
    const [isRight, form] = formOf(keyword);
    if (keyword !== 'items' && !isRight(schema[keyword], schema)) return `${path}.${keyword}: must be ${form}`;
    const types = Object.keys(OF_TYPE).filter((type) => OF_TYPE[type]?.includes(keyword));
    if (types.length > 0 && !types.includes(String(schema.type))) {
      return `${path}.${keyword}: needs "type": "${types[0]}" beside it`;
    }
  }
  if (keywords.some((keyword) => keyword === 'anyOf' || keyword === 'oneOf') && keywords.length > 1) {
    return `${path}: ${keywords.join(', ')} can't stand together`;
  }
  for (const [inner, innerPath] of innerSchemas(schema, path)) {
    const fault = faultAt(inner, innerPath, level + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * Returns the first fault of a schema for answers, with its path; undefined for a schema that can be used. Nodes,
 * deploys and the editor call this function.
 */
export function faultOfAnswerSchema(schema: unknown): string | undefined {
  if (new TextEncoder().encode(JSON.stringify(schema)).length > MAX_BYTES) {
    return `json_schema: is larger than ${MAX_BYTES} bytes as JSON`;
  }
  return faultAt(schema, 'json_schema', 1);
}
