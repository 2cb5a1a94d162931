import { stringify } from 'lossless-json';
import type { ActionChoice, ActionParameter } from '../../types/action.ts';
import type { DeploymentInput } from '../../types/deployment_description.ts';
import { alternativesOf, choicesOf, type InputKind, kindOf } from './inputs.ts';

/** What a text must be to stand for a value of a kind. A wallet checks it before it sends, and the start checks it again. */
export const PATTERNS: Readonly<Partial<Record<InputKind, { pattern: RegExp; description: string }>>> = {
  integer: { pattern: /^-?[0-9]{1,39}$/, description: 'A whole number.' },
  number: { pattern: /^-?[0-9]{1,29}(\.[0-9]{1,28})?$/, description: 'A number, such as 12 or 0.5.' },
  key: { pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/, description: 'A Solana address: 32 to 44 letters and digits.' },
  signature: { pattern: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/, description: 'A signature: 64 to 88 letters and digits.' },
};

const MAX_LABEL_CHARACTERS = 200;

const cut = (text: string): string =>
  text.length <= MAX_LABEL_CHARACTERS ? text : `${text.slice(0, MAX_LABEL_CHARACTERS - 1)}…`;

/** A value as it is written into a field. */
export const fieldText = (value: unknown): string => typeof value === 'string' ? value : stringify(value) ?? '';

/** What a field says of itself. An empty one takes the default, which a field of the specification can't hold. */
function labelOf({ name, description, default: value }: DeploymentInput): string {
  const text = description === '' ? name : `${name}: ${description}`;
  const hasDefault = value !== null && value !== undefined;
  return cut(hasDefault ? `${text} (${cut(fieldText(value))} if left empty)` : text);
}

/** A bound of the schema, unless a number of JavaScript can't hold it. */
function boundOf(input: DeploymentInput, names: ('minimum' | 'maximum' | 'minLength' | 'maxLength')[]) {
  const found = alternativesOf(input.json_schema).flatMap((schema) => names.map((name) => schema[name]))
    .find((value) => value !== undefined);
  return typeof found === 'number' && Math.abs(found) <= Number.MAX_SAFE_INTEGER ? found : undefined;
}

const typeOfField = (kind: InputKind, input: DeploymentInput): ActionParameter['type'] => {
  if (kind === 'integer' || kind === 'number') return 'number';
  if (kind === 'json') return 'textarea';
  const [{ format } = {}] = alternativesOf(input.json_schema);
  if (kind === 'text' && format === 'email') return 'email';
  return kind === 'text' && (format === 'uri' || format === 'url') ? 'url' : 'text';
};

/** The field in which a wallet asks for an input. */
export function parameterOf(input: DeploymentInput): ActionParameter | ActionChoice {
  const kind = kindOf(input);
  const common = { name: input.name, label: labelOf(input), required: input.required };
  const listed = choicesOf(input);
  const choices = kind === 'boolean' && listed.length === 0 ? [true, false] : listed;
  if (choices.length > 0) {
    const options = choices.map((choice) => {
      const label = kind === 'boolean' ? (choice === true ? 'yes' : 'no') : cut(String(choice));
      return { label, value: String(choice), ...(choice === input.default && { selected: true }) };
    });
    return { ...common, type: 'select', options };
  }
  const form = PATTERNS[kind];
  const isNumber = kind === 'integer' || kind === 'number';
  const min = isNumber ? boundOf(input, ['minimum']) : kind === 'text' ? boundOf(input, ['minLength']) : undefined;
  const max = isNumber ? boundOf(input, ['maximum']) : kind === 'text' ? boundOf(input, ['maxLength']) : undefined;
  return {
    ...common,
    type: typeOfField(kind, input),
    ...(form && { pattern: form.pattern.source, patternDescription: form.description }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  };
}

/** A place in the address that a wallet posts to: for what is typed into a field, or with the default of that field. */
export interface Place {
  name: string;
  /** What holds unless the body of the POST says otherwise. A wallet fills in the place of a field without one. */
  fallback: string | undefined;
}

/**
 * The address that a wallet posts to: with what the link itself gives, the defaults, and a place for each other field.
 * Source: Solana Actions specification, "LinkedAction"; what has no place there a wallet sends as `data`.
 */
export function hrefOf(path: string, places: readonly Place[], given: ReadonlyMap<string, string>): string {
  const part = (name: string, text: string) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
  const query = [
    ...[...given].map(([name, text]) => part(name, text)),
    ...places.map(({ name, fallback }) =>
      fallback === undefined ? `${encodeURIComponent(name)}={${name}}` : part(name, fallback)
    ),
  ].join('&');
  return query === '' ? path : `${path}?${query}`;
}
