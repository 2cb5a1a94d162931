import { base58, base64 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../tests/support/values.ts';
import {
  ConversionError,
  type Convert,
  toArray,
  toBoolean,
  toDecimal,
  toF32,
  toF64,
  toInteger,
  toMap,
  toText,
} from './conversion.ts';
import { toBytes, toPubkey, toSignature, toWallet } from './keys.ts';
import {
  acceptsKind,
  type Conversion,
  CONVERSIONS,
  fieldOf,
  type IntegerType,
  type Kind,
  KINDS,
  PORT_TYPES,
  type PortTypeName,
  type Tag,
  TAGS,
  typesMeet,
} from './port_types.ts';
import type { Value } from './value.ts';

const names = Object.keys(PORT_TYPES) as PortTypeName[];
const integers = names.filter((name) => PORT_TYPES[name].field === 'integer') as IntegerType[];

/** For each type, the function by which nodes convert an input of this type. */
const converters: { [name in PortTypeName]?: Convert<unknown> } = {
  ...Object.fromEntries(integers.map((type) => [type, toInteger(type)])),
  decimal: toDecimal,
  f32: toF32,
  f64: toF64,
  bool: toBoolean,
  string: toText,
  pubkey: toPubkey,
  keypair: toWallet,
  signature: toSignature,
  bytes: toBytes,
  object: toMap,
  array: toArray,
  json: (value) => value,
  free: (value) => value,
};
/** The types that a node of this project converts. No node takes an `address`. */
const converted = names.filter((name) => name !== 'address');

const bytesOf = (length: number) => new Uint8Array(length).fill(7);
const key = base58.encode(bytesOf(32));
const pair = base58.encode(bytesOf(64));
const list = (length: number): Value => ({ A: Array.from({ length }, (): Value => ({ U: '7' })) });

/**
 * Fixed examples of each kind, tested besides random values. They cover each case in which a type accepts some values
 * of a kind and refuses others.
 */
const examples: { [kind in Kind]?: Value[] } = {
  S: [{ S: '1.5e3' }, { S: pair }, { S: 'text' }, { S: '' }],
  'key text': [{ S: key }],
  U: [{ U: '7' }],
  I: [{ I: '7' }, { I: '-7' }],
  U1: [{ U1: '7' }],
  I1: [{ I1: '7' }],
  F: [{ F: '7.0' }, { F: 'NaN' }],
  D: [{ D: '7' }, { D: '7.5' }],
  BY: [1, 32, 64].map((length) => ({ BY: base64.encode(bytesOf(length)) })),
  A: [list(0), list(32), list(64), { A: [{ N: 0 }] }],
  wallet: [{ M: { public_key: { B3: key } } }],
  M: [{ M: {} }, { M: { public_key: { B3: key } } }],
};

const samplesOf = (kind: Kind): Value[] => [
  ...examples[kind] ?? [],
  ...TAGS.includes(kind as Tag) ? fc.sample(valuesOf[kind as Tag], 40) : [],
];

const samples = Object.fromEntries(KINDS.map((kind) => [kind, samplesOf(kind)])) as { [kind in Kind]: Value[] };

function isConverted(name: PortTypeName, value: Value): boolean {
  try {
    converters[name]!(value);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ConversionError);
    return false;
  }
}

describe('a port type', () => {
  it.each(converted)('%s converts of each tag what its row says', (name) => {
    const { accepts }: { accepts: { [tag in Tag]?: Conversion } } = PORT_TYPES[name];
    for (const tag of TAGS) {
      const results = samples[tag].map((value) => isConverted(name, value));
      const way = accepts[tag];
      const expected = way === undefined ? [false] : CONVERSIONS[way] === 'always' ? [true] : [false, true];
      // A type that is wide enough accepts all integers of U or I, so the test expects only that some value is
      // accepted.
      const seen = [...new Set(results)].toSorted();
      if (way === 'integer') expect([tag, seen.includes(true)]).toEqual([tag, true]);
      else expect([tag, seen]).toEqual([tag, expected]);
    }
  });

  it.each(converted)('%s accepts a kind exactly when it converts one of its values', (name) => {
    for (const kind of KINDS) {
      const isOneConverted = samples[kind].some((value) => isConverted(name, value));
      expect([kind, acceptsKind(name, kind)]).toEqual([kind, isOneConverted]);
    }
  });
});

describe('typesMeet', () => {
  it('holds exactly where the input converts a value of the output', () => {
    for (const given of names) {
      for (const wanted of converted) {
        const { gives }: { gives: readonly Kind[] } = PORT_TYPES[given];
        const canWork = gives.some((kind) => samples[kind].some((value) => isConverted(wanted, value)));
        const meets = typesMeet({ types: [given], isPassedOn: false }, [wanted]);
        expect([given, wanted, meets]).toEqual([given, wanted, canWork]);
      }
    }
  });

  it('holds for an input that passes on whatever it accepts', () => {
    for (const given of converted.filter((name) => name !== 'pubkey')) {
      const accepted = KINDS.flatMap((kind) => samples[kind]).filter((value) => isConverted(given, value));
      for (const wanted of converted) {
        const canWork = accepted.some((value) => isConverted(wanted, value));
        const meets = typesMeet({ types: [given], isPassedOn: true }, [wanted]);
        // typesMeet compares only kinds of values. A u8 accepts only some values of the kind decimal. So typesMeet also
        // allows some edges that never work, and this test checks only the edges that can.
        if (canWork) expect([given, wanted, meets]).toEqual([given, wanted, true]);
      }
    }
  });

  it.for(
    [
      [['bool', 'string'], ['u64', 'pubkey'], true],
      [['bool'], ['u64', 'string'], false],
      [['pubkey'], ['address'], true],
      [['u64'], ['address'], false],
      [['kv'], ['string'], true],
      [['u64'], ['kv'], true],
    ] as const,
  )(
    'of %j to %j is %s',
    ([types, wanted, expected]) => expect(typesMeet({ types, isPassedOn: false }, wanted)).toBe(expected),
  );

  it.for(
    [
      // If pubkey is the first type, the engine converts a key to a public key before it passes the key on.
      [['pubkey'], false],
      [['pubkey', 'bool'], false],
      [['bool', 'pubkey'], true],
      [['keypair'], true],
    ] as const,
  )(
    'of an input of %j that passes its value on to a keypair is %s',
    ([types, expected]) => expect(typesMeet({ types, isPassedOn: true }, ['keypair'])).toBe(expected),
  );
});

it.for(
  [
    [['u8'], 'integer'],
    [['u8', 'f64'], 'number'],
    [['string', 'pubkey'], 'text'],
    [['pubkey', 'keypair'], 'key'],
    [['u8', 'bool'], undefined],
    [['free'], undefined],
    [['array', 'json'], undefined],
    [['kv'], undefined],
  ] as const,
)('the field for %j is %s', ([types, field]) => expect(fieldOf(types)).toBe(field));
