import type { ActionPostParams } from '../../types/action.ts';
import { parameterTextSchema } from '../../types/action.ts';
import type { InputDescription } from '../../types/deployment_description.ts';
import { decodeBase58 } from '../../types/values/base58.ts';
import { checkJsonText, JsonLimitError } from '../../types/values/json_text.ts';
import { apiError } from '../../platform/api_error.ts';
import { alternativesOf, choicesOf, kindOf } from './inputs.ts';
import { limitsOf, PATTERNS } from './parameters.ts';

/** Makes the error of a parameter, in words for the person who fills in the form. */
const wrong = (name: string, message: string) =>
  apiError('inputs_invalid', `${name} ${message}.`, { details: [{ path: `values.${name}`, message }] });

/** The limits of depth and size for the JSON in a field. */
const JSON_LIMITS = Object.freeze({ characters: 10_000, depth: 32, members: 1_000 });

function parseJson(name: string, text: string): unknown {
  try {
    checkJsonText(text, JSON_LIMITS);
    return JSON.parse(text);
  } catch (error) {
    throw wrong(name, error instanceof JsonLimitError ? error.message : 'must be JSON');
  }
}

/** Repeats the checks of a wallet's form. A client that is no wallet may send a text without these checks. */
function checkField(input: InputDescription, text: string): void {
  const choices = choicesOf(input).map(String);
  if (choices.length > 0 && !choices.includes(text)) {
    const listed = choices.join(', ');
    throw wrong(input.name, `must be ${listed.length > 200 ? 'one of the choices in the form' : `one of ${listed}`}`);
  }
  const { min, max } = limitsOf(input);
  const isText = kindOf(input) === 'text';
  const [size, unit] = isText ? [[...text].length, ' characters'] : [Number(text), ''];
  const must = isText ? 'must have' : 'must be';
  if (min !== undefined && size < min) throw wrong(input.name, `${must} at least ${min}${unit}`);
  if (max !== undefined && size > max) throw wrong(input.name, `${must} at most ${max}${unit}`);
}

/** Converts the text of a field to a JSON value as a start accepts it, without type tags. */
export function valueOfText(input: InputDescription, text: string): unknown {
  const kind = kindOf(input);
  const form = PATTERNS[kind];
  if (form && !form.pattern.test(text)) {
    const { description } = form;
    throw wrong(input.name, `must be ${description[0]!.toLowerCase()}${description.slice(1).replace(/\.$/, '')}`);
  }
  if (kind === 'key' && decodeBase58(text, 32) === undefined) {
    throw wrong(input.name, 'must be a public key: base58 of 32 bytes');
  }
  checkField(input, text);
  switch (kind) {
    case 'boolean':
      return text === 'true';
    case 'json':
      return parseJson(input.name, text);
    case 'integer':
    case 'number':
      // A float may lose digits of this number. If the input also accepts a text, it gets all digits as a text.
      return alternativesOf(input.json_schema).some(({ type }) => type === 'string') ? text : Number(text);
    default:
      return text;
  }
}

/** Returns the parameters in the query of a link, by name. Throws for repeated and overlong parameters. */
export function givenInQuery(
  query: Record<string, string[]>,
  inputs: readonly InputDescription[],
): Map<string, string> {
  const given = new Map<string, string>();
  for (const { name } of inputs) {
    const texts = Object.hasOwn(query, name) ? query[name]! : [];
    if (texts.length > 1) throw wrong(name, 'is given more than once');
    const [text = ''] = texts;
    if (!parameterTextSchema.safeParse(text).success) throw wrong(name, 'is too long');
    // A wallet sends an empty text for an empty field.
    if (text !== '') given.set(name, text);
  }
  return given;
}

/**
 * Returns the values of a start, by the inputs' names: the signing wallet, and the parameters of query and body. If
 * both have a parameter, the body wins, because the query may come from an older link. Throws inputs_invalid with the
 * name of the wrong parameter.
 */
export function readValues(
  inputs: readonly InputDescription[],
  payer: InputDescription,
  { account, data = {} }: ActionPostParams,
  query: Record<string, string[]>,
): Record<string, unknown> {
  const asked = inputs.filter((input) => input !== payer);
  const given = givenInQuery(query, asked);
  const unknown = Object.keys(data).find((name) => !asked.some((input) => input.name === name));
  if (unknown !== undefined) throw wrong(unknown.slice(0, 100), 'is not a parameter of this action');
  for (const [name, value] of Object.entries(data)) {
    const text = Array.isArray(value) ? value.join(',') : value;
    if (text !== '') given.set(name, text);
  }
  const missing = asked.find(({ name, required }) => required && !given.has(name));
  if (missing !== undefined) throw wrong(missing.name, 'is missing');
  const values = new Map<string, unknown>([[payer.name, account]]);
  for (const input of asked) {
    const text = given.get(input.name);
    if (text !== undefined) values.set(input.name, valueOfText(input, text));
  }
  return Object.fromEntries(values);
}
