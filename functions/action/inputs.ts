import type { InputDescription } from '../../types/deployment_description.ts';
import { type Field, fieldOf } from '../../types/values/port_types.ts';

/** Returns the kind of field that fits the default of an input. Used for an input that accepts any type. */
function kindOfDefault(value: unknown): Field {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'object':
      return value === null ? 'text' : 'json';
    default:
      return 'text';
  }
}

/**
 * Returns the kind of field for an input. The kind follows from the input's types, else from its default, else it is
 * text.
 */
export const kindOf = ({ type_bounds, default: value }: Pick<InputDescription, 'type_bounds' | 'default'>): Field =>
  fieldOf(type_bounds) ?? kindOfDefault(value);

/**
 * Returns the input for the signing wallet: the input named `account`, or else the only required input that takes a
 * key.
 */
export function payerOf(inputs: readonly InputDescription[]): InputDescription | undefined {
  const named = inputs.find(({ name }) => name === 'account');
  if (named !== undefined) return named;
  const [only, another] = inputs.filter((input) => input.required && kindOf(input) === 'key');
  return another === undefined ? only : undefined;
}

/** The message for an action without an input for the signing wallet. */
export const NO_PAYER = 'This action does not say which of its inputs takes your wallet. ' +
  'The author of the action has to name that input `account`.';

interface SimpleSchema {
  type?: unknown;
  enum?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  minLength?: unknown;
  maxLength?: unknown;
  format?: unknown;
}

/**
 * Returns a list of schemas: first the JSON Schema without its `anyOf`, then the alternatives of that `anyOf`. The
 * first schema applies to all alternatives.
 */
export function alternativesOf(schema: unknown): SimpleSchema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { anyOf, ...own } = schema as SimpleSchema & { anyOf?: unknown };
  return Array.isArray(anyOf) ? [own, ...anyOf.flatMap(alternativesOf)] : [own];
}

/**
 * Returns the possible values of an input: those that its schema lists (texts, numbers or booleans), or the two values
 * of a boolean. Returns an empty list for any other input.
 */
export function choicesOf(
  input: Pick<InputDescription, 'json_schema' | 'type_bounds' | 'default'>,
): (string | number | boolean)[] {
  const [{ enum: listed = [] } = {}] = alternativesOf(input.json_schema);
  const isSimple = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  if (Array.isArray(listed) && listed.length > 0 && listed.every(isSimple)) return listed;
  return kindOf(input) === 'boolean' ? [true, false] : [];
}
