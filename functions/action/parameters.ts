import { stringify } from 'lossless-json';
import type { ActionChoice, ActionDate, ActionParameter } from '../../types/action.ts';
import type { InputDescription } from '../../types/deployment_description.ts';
import type { Field } from '../../types/values/port_types.ts';
import { alternativesOf, choicesOf, kindOf } from './inputs.ts';

/**
 * The pattern of a field's text, by kind of field. The wallet checks the text before the POST, and the POST checks it
 * again.
 */
export const PATTERNS: Readonly<Partial<Record<Field, { pattern: RegExp; description: string }>>> = {
  integer: { pattern: /^-?[0-9]{1,39}$/, description: 'A whole number.' },
  number: { pattern: /^-?[0-9]{1,29}(\.[0-9]{1,28})?$/, description: 'A number, such as 12 or 0.5.' },
  key: { pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/, description: 'A Solana address: 32 to 44 letters and digits.' },
  signature: { pattern: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/, description: 'A signature: 64 to 88 letters and digits.' },
};

const MAX_LABEL_CHARACTERS = 200;

const cut = (text: string): string =>
  text.length <= MAX_LABEL_CHARACTERS ? text : `${text.slice(0, MAX_LABEL_CHARACTERS - 1)}…`;

/** Formats a value as the text of a field. */
export const fieldText = (value: unknown): string => typeof value === 'string' ? value : stringify(value) ?? '';

/** Makes the label of a field. It names the default, because fields of the specification have no default. */
function labelOf({ name, description, default: value, json_schema }: InputDescription): string {
  const { title } = json_schema;
  // Without the author's description, a title is that of a port.
  const label = json_schema.description !== undefined && typeof title === 'string' ? title : name;
  const text = description === '' ? label : `${label}: ${description}`;
  const hasDefault = value !== null && value !== undefined;
  return cut(hasDefault ? `${text} (${cut(fieldText(value))} if left empty)` : text);
}

/**
 * Reads a bound of the schema. If only its alternatives have bounds, returns the widest of theirs, or undefined if one of
 * them has no bound. Also returns undefined if a float can't hold the bound.
 */
function boundOf(schema: unknown, name: 'minimum' | 'maximum' | 'minLength' | 'maxLength'): number | undefined {
  const [own = {}, ...others] = alternativesOf(schema);
  const isBounded = own[name] !== undefined || others.length === 0;
  const alternatives = name.endsWith('Length') ? others : others.filter(({ type }) => type !== 'string');
  const bounds = isBounded ? [own[name]] : alternatives.map((other) => other[name]);
  const isBound = (bound: unknown): bound is number | bigint => typeof bound === 'number' || typeof bound === 'bigint';
  if (!bounds.every(isBound)) return undefined;
  const isFurther = (one: number | bigint, other: number | bigint) =>
    name.startsWith('min') ? one < other : one > other;
  const furthest = bounds.reduce((one, other) => isFurther(one, other) ? one : other, bounds[0]!);
  return typeof furthest === 'number' && Math.abs(furthest) <= Number.MAX_SAFE_INTEGER ? furthest : undefined;
}

/** Returns the range of a number or of a text's length; undefined for an open end. */
export function limitsOf(input: InputDescription): { min: number | undefined; max: number | undefined } {
  const kind = kindOf(input);
  if (kind === 'integer' || kind === 'number') {
    return { min: boundOf(input.json_schema, 'minimum'), max: boundOf(input.json_schema, 'maximum') };
  }
  if (kind !== 'text') return { min: undefined, max: undefined };
  return { min: boundOf(input.json_schema, 'minLength'), max: boundOf(input.json_schema, 'maxLength') };
}

const typeOfField = (kind: Field, format: unknown): ActionParameter['type'] => {
  if (kind === 'integer' || kind === 'number') return 'number';
  if (kind === 'json') return 'textarea';
  if (kind === 'text' && format === 'email') return 'email';
  return kind === 'text' && (format === 'uri' || format === 'url') ? 'url' : 'text';
};

/** Describes the field in which a wallet asks for an input. */
export function parameterOf(input: InputDescription): ActionParameter | ActionDate | ActionChoice {
  const kind = kindOf(input);
  const common = { name: input.name, label: labelOf(input), required: input.required };
  const choices = choicesOf(input);
  if (choices.length > 0) {
    const options = choices.map((choice) => {
      const label = kind === 'boolean' ? (choice === true ? 'yes' : 'no') : cut(String(choice));
      return { label, value: String(choice), ...(choice === input.default && { selected: true }) };
    });
    return { ...common, type: 'select', options };
  }
  const [{ format } = {}] = alternativesOf(input.json_schema);
  if (kind === 'text' && format === 'date') return { ...common, type: 'date' };
  const form = PATTERNS[kind];
  const { min, max } = limitsOf(input);
  return {
    ...common,
    type: typeOfField(kind, format),
    ...(form && { pattern: form.pattern.source, patternDescription: form.description }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  };
}

/** A parameter in the address to which a wallet posts: either a template for the field's text, or its default. */
interface AddressField {
  name: string;
  /** The value that is used if the POST's body has none. If undefined, the wallet fills in the field's text. */
  fallback: string | undefined;
}

/**
 * Makes the address to which a wallet posts. Its query has the parameters of the link, the defaults, a template for
 * each other field, and the order. If a field had no template here, the wallet would send it in the body, as `data`.
 * Source: Solana Actions specification, "LinkedAction".
 */
export function hrefOf(
  path: string,
  places: readonly AddressField[],
  given: ReadonlyMap<string, string>,
  orderPart: string,
): string {
  const part = (name: string, text: string) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
  const query = [
    ...[...given].map(([name, text]) => part(name, text)),
    ...places.map(({ name, fallback }) =>
      fallback === undefined ? `${encodeURIComponent(name)}={${name}}` : part(name, fallback)
    ),
    orderPart,
  ].join('&');
  return `${path}?${query}`;
}
