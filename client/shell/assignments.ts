import { isSafeNumber, LosslessNumber } from 'lossless-json';
import { parseLosslessJson } from '../../types/values/json_text.ts';
import { javaScriptOfJson } from '../../types/values/json/readable_json.ts';
import { fromWireJson } from '../../types/values/json/wire_json.ts';
import type { LosslessJson, ValueMap } from '../../types/values/value.ts';
import type { DeploymentDescription, DeploymentInput } from '../flow_client.ts';
import type { PlainValue } from '../plain_value.ts';
import { UsageError } from './usage_error.ts';

/** The limits for the JSON of one input. The body of a start has at most 1 MiB. */
const JSON_LIMITS = { characters: 1_048_576, depth: 64, members: 300_000 };

/** The inputs of a command line. */
interface Assigned {
  values: { [name: string]: PlainValue };
  inputs: ValueMap;
}

type Assignment = { name: string; isJson: boolean; text: string };

function readAssignment(argument: string): Assignment {
  const at = argument.indexOf('=');
  if (at < 1) throw new UsageError(`${argument} must be key=value or key:=json.`);
  const isJson = argument[at - 1] === ':';
  const name = argument.slice(0, isJson ? at - 1 : at);
  if (name === '') throw new UsageError(`${argument} has no key before the :=.`);
  return { name, isJson, text: argument.slice(at + 1) };
}

/** Returns the alternatives that `anyOf` lists in an input's JSON Schema, or else the schema itself. */
const alternatives = (schema: DeploymentInput['json_schema']): { [keyword: string]: unknown }[] =>
  Array.isArray(schema.anyOf) ? schema.anyOf.flatMap((one) => alternatives(one)) : [schema];

/**
 * Returns the schemas by which a text on the command line is read. If the input accepts anything, a schema of the
 * default's type comes first, because the value probably has this type.
 */
function schemasFor({ json_schema, default: fallback }: DeploymentInput): { [keyword: string]: unknown }[] {
  const schemas = alternatives(json_schema);
  const isAnything = schemas.some((schema) => schema.type === undefined);
  return isAnything && ['number', 'boolean'].includes(typeof fallback)
    ? [{ type: typeof fallback }, ...schemas]
    : schemas;
}

const areNumbersSafe = (json: LosslessJson): boolean =>
  json instanceof LosslessNumber
    ? isSafeNumber(String(json))
    : typeof json !== 'object' || json === null || Object.values(json).every(areNumbersSafe);

/** Parses the JSON of an input and converts it. Throws a UsageError. */
function readJson<Result>(name: string, text: string, use: (json: LosslessJson) => Result): Result {
  try {
    return use(parseLosslessJson(text, JSON_LIMITS));
  } catch (error) {
    throw new UsageError(`${name} takes JSON: ${(error as Error).message}`);
  }
}

/**
 * Adds a JSON value to the inputs. The value is plain, or tagged if it has a number with too many digits for
 * JavaScript.
 */
function addJson({ name, text, isJson }: Assignment, { values, inputs }: Assigned): void {
  readJson(isJson ? `${name}:=` : name, text, (json) => {
    if (areNumbersSafe(json)) values[name] = JSON.parse(text);
    else inputs[name] = fromWireJson(json);
  });
}

const isNumber = (text: string): boolean => /^-?\d/.test(text) && !Number.isNaN(Number(text));
/** Matches a number in JSON's form. `007` does not match, so an input that accepts anything gets `007` as a text. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Converts the value of `key=value` by the input's types, and adds it to the inputs. Numbers in lists and objects also
 * keep all their digits. A text that matches no type and is not JSON stays a text. The backend checks the value's type.
 */
function addText(assignment: Assignment, input: DeploymentInput, assigned: Assigned): void {
  const { name, text } = assignment;
  const { values } = assigned;
  const { enum: choices } = input.json_schema;
  const choice = Array.isArray(choices) ? choices.find((one) => String(one) === text) : undefined;
  if (choice !== undefined) return void (values[name] = choice);
  const schemas = schemasFor(input);
  const takes = (...types: string[]) => schemas.some(({ type }) => types.includes(String(type)));
  const isAnything = schemas.some(({ type }) => type === undefined);
  const takesText = isAnything || schemas.some(({ type, pattern }) =>
    // A schema with a pattern of digits is for numbers that are too long for JSON, and not for texts.
    type === 'string' && !(typeof pattern === 'string' && /^\^-?\[0-9\]/.test(pattern))
  );
  if (takes('number', 'integer') ? isNumber(text) : isAnything && JSON_NUMBER.test(text)) {
    if (isSafeNumber(text)) values[name] = Number(text);
    // Numbers beyond JavaScript's precision are sent as text if the input accepts text.
    else if (takes('string')) values[name] = text;
    else if (isAnything) addJson(assignment, assigned);
    // If an input accepts numbers but no text, its numbers are floats, so JavaScript may round them.
    else values[name] = Number(text);
  } else if (takes('boolean') && (text === 'true' || text === 'false')) values[name] = text === 'true';
  else if (
    text.trimStart().startsWith('[') && (isAnything || takes('array')) ||
    text.trimStart().startsWith('{') && (isAnything || takes('object'))
  ) {
    if (takesText && !isJsonText(text)) values[name] = text;
    else addJson(assignment, assigned);
  } else if (takesText) values[name] = text;
  else {
    const want = input.type_bounds.join(' or ');
    throw new UsageError(`${name}=${text} must be ${want}${takes('object', 'array') ? ', as JSON' : ''}.`);
  }
}

function isJsonText(text: string): boolean {
  try {
    parseLosslessJson(text, JSON_LIMITS);
    return true;
  } catch {
    return false;
  }
}

/** Converts the JSON after `:=` to a plain value; integers keep all their digits. Throws a UsageError. */
export const readJsonValue = (text: string): PlainValue => readJson(':=', text, javaScriptOfJson);

function readAll(args: string[]): Assignment[] {
  const assignments = args.map(readAssignment);
  const twice = assignments.find(({ name }, index) => assignments.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) throw new UsageError(`The input ${twice.name} is given twice.`);
  return assignments;
}

/**
 * Reads inputs whose types are unknown. The value of `key:=json` must be JSON. The value of `key=value` is parsed as
 * JSON if possible, or else is a text. Throws a UsageError.
 */
export const readTagged = (args: string[]): ValueMap =>
  Object.fromEntries(
    readAll(args).map(({ name, isJson, text }) => [
      name,
      isJson || isJsonText(text) ? readJson(`${name}:=`, text, (json) => fromWireJson(json)) : { S: text },
    ]),
  );

/**
 * Reads the inputs of a command line. If an argument is not `key:=json`, calls `read` to get the types of the
 * deployment. Throws a UsageError.
 */
export async function readAssignments(
  args: string[],
  read: () => Promise<DeploymentDescription>,
): Promise<Assigned> {
  const assignments = readAll(args);
  const deployment = assignments.some(({ isJson }) => !isJson) ? await read() : undefined;
  const assigned: Assigned = { values: Object.create(null), inputs: Object.create(null) };
  for (const assignment of assignments) {
    if (assignment.isJson) addJson(assignment, assigned);
    else {
      const input = deployment?.inputs.find(({ name }) => name === assignment.name);
      if (input === undefined) {
        const names = deployment?.inputs.map(({ name }) => name) ?? [];
        const has = names.length === 0 ? 'it has none' : `it has ${names.slice(0, 100).join(', ')}`;
        throw new UsageError(`The deployment has no input ${assignment.name}; ${has}.`);
      }
      addText(assignment, input, assigned);
    }
  }
  return assigned;
}
