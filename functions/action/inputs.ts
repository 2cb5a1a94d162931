import type { DeploymentInput } from '../../types/deployment_description.ts';

/** What a wallet's form takes for an input. */
export type InputKind = 'integer' | 'number' | 'boolean' | 'key' | 'signature' | 'text' | 'json';

const INTEGERS = ['u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'i128'];
const NUMBERS = [...INTEGERS, 'decimal', 'f32', 'f64'];
const KEYS = ['address', 'pubkey', 'keypair'];

/** The kinds by the types that an input may be of; the first one that has them all counts. */
const KIND_OF_TYPES: [InputKind, readonly string[]][] = [
  ['integer', INTEGERS],
  ['number', NUMBERS],
  ['boolean', ['bool']],
  ['key', KEYS],
  ['signature', ['signature']],
  ['text', ['string', 'bytes', ...KEYS, 'signature']],
  ['json', ['object', 'array']],
];

/** The kind of a default's JSON, for an input that may be of any type. */
function kindOfDefault(value: unknown): InputKind {
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
export const kindOf = ({ type_bounds, default: value }: Pick<DeploymentInput, 'type_bounds' | 'default'>): InputKind =>
  KIND_OF_TYPES.find(([, types]) => type_bounds.every((type) => types.includes(type)))?.[0] ?? kindOfDefault(value);

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
