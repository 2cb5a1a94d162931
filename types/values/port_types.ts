import type { Value } from './value.ts';

/**
 * The only table of port types. It lists the types that ports may name, and how each type converts values. The
 * converters find here which tags they accept. The editor, the forms of actions and the types of the client use the
 * functions below, and `npm run db:diff` writes the same table as SQL.
 */

export const TAGS = ['N', 'S', 'B', 'U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6', 'BY', 'A', 'M'] as const;
export type Tag = typeof TAGS[number];

// SAFETY: a value has exactly one member, its tag.
const tagOf = (value: Value): Tag => Object.keys(value)[0] as Tag;

/**
 * The ways in which a payload is converted for a type. With `always`, every payload of the tag can be converted; with
 * `sometimes`, only some payloads.
 */
export const CONVERSIONS = {
  /** The payload unchanged. */
  same: 'always',
  /** The float nearest to a number. */
  nearestFloat: 'always',
  /** The bytes that are written as base58 or base64. */
  bytes: 'always',
  /** The UTF-8 bytes of a text. */
  utf8: 'always',
  /** The 16 bytes of a decimal's internal form. */
  decimalBytes: 'always',
  /** The last 32 of 64 bytes: the public half of a key pair. */
  publicHalf: 'always',

  /** An integer within the range of the type. */
  integer: 'sometimes',
  /** A decimal without a fraction, within 64 bits and the range of the type. */
  wholeDecimal: 'sometimes',
  /** The decimal nearest to a float, unless the float is beyond all decimals. */
  nearestDecimal: 'sometimes',
  /** The number that a text contains, with or without an exponent. */
  numberText: 'sometimes',
  /** The base58 of a public key, or of 64 bytes whose last 32 are a public key. */
  base58Key: 'sometimes',
  /** The base58 of 64 bytes. */
  base58Pair: 'sometimes',
  /** Bytes, if they have a length that the type takes. */
  bytesOfLength: 'sometimes',
  /** An array of numbers from 0 to 255, if it has a length that the type takes. */
  byteList: 'sometimes',
  /** A map with a `public_key`: a wallet without a stored key. */
  publicKeyMember: 'sometimes',
} as const;
export type Conversion = keyof typeof CONVERSIONS;

/**
 * The kinds of values that the types of edges distinguish: the tags, and two narrower kinds. A key text is an `S` with
 * the base58 of a public key. A wallet is an `M` with a `public_key`.
 */
export const KINDS = [...TAGS, 'key text', 'wallet'] as const;
export type Kind = typeof KINDS[number];

/** The kind of form field into which a person enters a value of the type. */
export type Field = 'integer' | 'number' | 'boolean' | 'key' | 'signature' | 'text' | 'json';

interface PortType {
  /** The tags that an input of the type accepts, each with its conversion. Every other tag is refused. */
  accepts: { readonly [tag in Tag]?: Conversion };
  /** The kinds of values that an output of the type gives. */
  gives: readonly Kind[];
  /** Undefined if the type does not determine the field. */
  field: Field | undefined;
}

const NARROW = { U: 'integer', I: 'integer', D: 'wholeDecimal' } as const;
const WIDE = { ...NARROW, U1: 'integer', I1: 'integer' } as const;
const FLOAT = { U: 'nearestFloat', I: 'nearestFloat', D: 'nearestFloat', F: 'same' } as const;
const EVERY_TAG = Object.fromEntries(TAGS.map((tag) => [tag, 'same']));

const unsigned: PortType = { accepts: NARROW, gives: ['U'], field: 'integer' };
const signed: PortType = { accepts: NARROW, gives: ['I', 'U'], field: 'integer' };
const anything: PortType = { accepts: EVERY_TAG, gives: KINDS, field: undefined };

/** The port types by name, in the order in which descriptions of deployments list them. */
export const PORT_TYPES = {
  u8: unsigned,
  u16: unsigned,
  u32: unsigned,
  u64: unsigned,
  u128: { accepts: WIDE, gives: ['U', 'U1'], field: 'integer' },
  i8: signed,
  i16: signed,
  i32: signed,
  i64: signed,
  i128: { accepts: WIDE, gives: ['I', 'U', 'I1', 'U1'], field: 'integer' },
  decimal: {
    accepts: { D: 'same', U: 'same', I: 'same', F: 'nearestDecimal', S: 'numberText' },
    gives: ['D'],
    field: 'number',
  },
  f32: { accepts: FLOAT, gives: ['F'], field: 'number' },
  f64: { accepts: FLOAT, gives: ['F'], field: 'number' },
  bool: { accepts: { B: 'same' }, gives: ['B'], field: 'boolean' },
  string: { accepts: { S: 'same' }, gives: ['S', 'key text'], field: 'text' },
  /** The text of a public key. */
  address: { accepts: { S: 'base58Key' }, gives: ['key text'], field: 'key' },
  pubkey: {
    accepts: {
      B3: 'bytes',
      B6: 'publicHalf',
      BY: 'bytesOfLength',
      A: 'byteList',
      S: 'base58Key',
      M: 'publicKeyMember',
    },
    gives: ['B3', 'key text'],
    field: 'key',
  },
  /** A wallet: a key pair, or the map of a wallet whose holder is asked to sign. A bare public key is refused. */
  keypair: {
    accepts: { B6: 'bytes', BY: 'bytesOfLength', A: 'byteList', S: 'base58Pair', M: 'publicKeyMember' },
    gives: ['B6', 'wallet'],
    field: 'key',
  },
  signature: {
    accepts: { B6: 'bytes', BY: 'bytesOfLength', A: 'byteList', S: 'base58Pair' },
    gives: ['B6'],
    field: 'signature',
  },
  bytes: {
    accepts: { B3: 'bytes', B6: 'bytes', BY: 'bytes', S: 'utf8', A: 'byteList', D: 'decimalBytes' },
    gives: ['B3', 'B6', 'BY'],
    field: 'text',
  },
  object: { accepts: { M: 'same' }, gives: ['M'], field: 'json' },
  array: { accepts: { A: 'same' }, gives: ['A'], field: 'json' },
  json: anything,
  free: anything,
} as const satisfies Record<string, PortType>;

export type PortTypeName = keyof typeof PORT_TYPES;

/** The row of a type; undefined for an unknown name. */
const rowOf = (name: string): PortType | undefined =>
  Object.hasOwn(PORT_TYPES, name) ? PORT_TYPES[name as PortTypeName] : undefined;

/** Returns the way in which a type converts a value; undefined if the type refuses the value's tag. */
export const conversionOf = (name: PortTypeName, value: Value): Conversion | undefined => {
  const { accepts }: PortType = PORT_TYPES[name];
  return accepts[tagOf(value)];
};

/** Tests whether a type accepts at least one value of a kind. */
export function acceptsKind(name: PortTypeName, kind: Kind): boolean {
  const { accepts }: PortType = PORT_TYPES[name];
  if (kind === 'wallet') return accepts.M !== undefined;
  if (kind !== 'key text') return accepts[kind] !== undefined;
  // `numberText` and `base58Pair` refuse the text of a public key: it is neither a number nor 64 bytes.
  return accepts.S !== undefined && accepts.S !== 'numberText' && accepts.S !== 'base58Pair';
}

/** The kinds of values that an output of a type gives; all kinds for an unknown type. */
export const givenKinds = (name: string): readonly Kind[] => rowOf(name)?.gives ?? KINDS;

/** The kinds that an input of a type accepts; every kind for a type that is not known. */
const acceptedKinds = (name: string): readonly Kind[] =>
  rowOf(name) === undefined ? KINDS : KINDS.filter((kind) => acceptsKind(name as PortTypeName, kind));

/** Tests whether an input of these types accepts the tag of a value. An unknown type accepts every value. */
export const acceptsTagOf = (names: readonly string[], value: Value): boolean =>
  names.some((name) => rowOf(name)?.accepts[tagOf(value)] !== undefined || rowOf(name) === undefined);

/** A port at which an edge begins: an output, or an input that passes its value on. */
interface EdgeStartTypes {
  types: readonly string[];
  isPassedOn: boolean;
}

/**
 * Tests whether an edge may lead from a port to an input of these types. An edge is allowed if the input converts at
 * least one value that the port gives. An unknown type gives and accepts every value.
 */
export function typesMeet({ types, isPassedOn }: EdgeStartTypes, wanted: readonly string[]): boolean {
  // An input passes on the values that it accepts. If its first type is pubkey, the engine passes on only the public
  // key.
  const kindsOf = (name: string, index: number) =>
    isPassedOn && !(index === 0 && name === 'pubkey') ? acceptedKinds(name) : givenKinds(name);
  const given = new Set(types.flatMap(kindsOf));
  return wanted.some((name) => acceptedKinds(name).some((kind) => given.has(kind)));
}

/** For each set of field kinds, the one kind that takes the values of all kinds in the set. */
const COMMON_FIELDS: [Field, readonly Field[]][] = [
  ['number', ['integer', 'number']],
  ['text', ['text', 'key', 'signature']],
];

/** The field for an input that takes values of these types; undefined if the types do not determine it. */
export function fieldOf(names: readonly string[]): Field | undefined {
  const fields = new Set(names.map((name) => rowOf(name)?.field));
  const [first] = fields;
  if (fields.size === 1) return first;
  return COMMON_FIELDS.find(([, parts]) => [...fields].every((field) => field && parts.includes(field)))?.[0];
}

export type IntegerType = Extract<PortTypeName, `${'u' | 'i'}${number}`>;

/** The smallest and the greatest integer of a type. */
export function integerRange(type: IntegerType): [min: bigint, max: bigint] {
  const bits = BigInt(type.slice(1));
  return type.startsWith('u') ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}
