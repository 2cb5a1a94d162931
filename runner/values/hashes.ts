import { blake3 } from '@noble/hashes/blake3.js';
import { hmac } from '@noble/hashes/hmac.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { keccak_256, sha3_256, sha3_512 } from '@noble/hashes/sha3.js';
import { readOptionalField, toMember } from '../../types/values/conversion.ts';
import type { ValueMap } from '../../types/values/value.ts';

/** A function from bytes to their hash. */
type Hash = (data: Uint8Array) => Uint8Array;

/** The hash functions with which HMAC may be used. */
const KEYED = { sha1, sha256, sha384, sha512, sha3_256, sha3_512 };

const HASHES: { [algorithm: string]: Hash } = { md5, ...KEYED, keccak_256, blake3 };

const toHash = toMember(HASHES);
const toKeyedHash = toMember(KEYED);

/** Returns the hash function that the input `algorithm` names; sha256 by default. Throws a ConversionError. */
export const readHash = (inputs: ValueMap): Hash => readOptionalField(inputs, 'algorithm', toHash) ?? sha256;

/**
 * Returns HMAC with the hash function that the input `algorithm` names; sha256 by default. Throws a ConversionError.
 */
export function readHmac(inputs: ValueMap): (key: Uint8Array, data: Uint8Array) => Uint8Array {
  const hash = readOptionalField(inputs, 'algorithm', toKeyedHash) ?? sha256;
  return (key, data) => hmac(hash, key, data);
}
