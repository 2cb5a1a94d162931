import { expect, it } from 'vitest';
import { typesMeet } from './types_meet.ts';

it.for(
  [
    ['free', 'u64'],
    ['u64', 'free'],
    ['json', 'bool'],
    ['u8', 'i128'],
    ['decimal', 'u64'],
    ['u64', 'f64'],
    // A node that wants a decimal reads it from a text, too.
    ['string', 'decimal'],
    ['string', 'pubkey'],
    ['string', 'bytes'],
    ['pubkey', 'address'],
    ['keypair', 'pubkey'],
    ['signature', 'keypair'],
    ['bytes', 'pubkey'],
    ['array', 'bytes'],
    ['object', 'keypair'],
    ['kv', 'kv'],
    // Nothing is known of a type that others have made up.
    ['kv', 'string'],
  ] as const,
)('%s can suit %s', ([given, wanted]) => expect(typesMeet([given], [wanted])).toBe(true));

it.for(
  [
    ['u64', 'string'],
    ['bool', 'u8'],
    ['u8', 'bool'],
    ['string', 'u64'],
    ['string', 'f64'],
    ['string', 'bool'],
    ['object', 'array'],
    ['object', 'string'],
    ['array', 'string'],
    ['signature', 'string'],
    ['u64', 'pubkey'],
    ['bool', 'bytes'],
  ] as const,
)('%s never suits %s', ([given, wanted]) => expect(typesMeet([given], [wanted])).toBe(false));

it('one of several types is enough on either side', () => {
  expect(typesMeet(['bool', 'string'], ['u64', 'pubkey'])).toBe(true);
  expect(typesMeet(['bool'], ['u64', 'string'])).toBe(false);
});
