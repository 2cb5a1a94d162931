import type { DeploymentInput } from '../../types/deployment_description.ts';
import { type Field, fieldOf } from '../../types/values/port_types.ts';

/** The kind of a default's JSON, for an input that may be of any type. */
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

/** What an input takes: by its types; where they leave it open, what its default is, else a text. */
export const kindOf = ({ type_bounds, default: value }: Pick<DeploymentInput, 'type_bounds' | 'default'>): Field =>
  fieldOf(type_bounds) ?? kindOfDefault(value);

/** The input that takes the wallet that has to sign: the one named `account`, else the only required one that takes a key. */
export function payerOf(inputs: readonly DeploymentInput[]): DeploymentInput | undefined {
  const named = inputs.find(({ name }) => name === 'account');
  if (named !== undefined) return named;
  const [only, another] = inputs.filter((input) => input.required && kindOf(input) === 'key');
  return another === undefined ? only : undefined;
}

/** What people are told where there is no such input. */
export const NO_PAYER = 'This action does not say which of its inputs takes your wallet. ' +
  'Its author has to name that input `account`.';

interface SimpleSchema {
  type?: unknown;
  enum?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  minLength?: unknown;
  maxLength?: unknown;
  format?: unknown;
}

/** A JSON Schema without its choice, then those that it is a choice of. What the first says holds for all. */
export function alternativesOf(schema: unknown): SimpleSchema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { anyOf, ...own } = schema as SimpleSchema & { anyOf?: unknown };
  return Array.isArray(anyOf) ? [own, ...anyOf.flatMap(alternativesOf)] : [own];
}

/** The values that an input may have, where its schema lists them or it is a boolean: texts, numbers or booleans. */
export function choicesOf(
  input: Pick<DeploymentInput, 'json_schema' | 'type_bounds' | 'default'>,
): (string | number | boolean)[] {
  const [{ enum: listed = [] } = {}] = alternativesOf(input.json_schema);
  const isSimple = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  if (Array.isArray(listed) && listed.length > 0 && listed.every(isSimple)) return listed;
  return kindOf(input) === 'boolean' ? [true, false] : [];
}
