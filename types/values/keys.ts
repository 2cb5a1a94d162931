import { base58 } from '@scure/base';
import { decodeBase58 } from './base58.ts';
import { bytesOfValue, type Value } from './value.ts';
import { ConversionError, invalidType, invalidValue, toInteger, toText, wayOf } from './conversion.ts';
import type { PortTypeName } from './port_types.ts';

const PUBKEY_LENGTH = 32;
const KEYPAIR_LENGTH = 64;
const SIGNATURE_LENGTH = 64;

const toU8 = toInteger('u8');

/**
 * A decimal's 16 bytes as the rust_decimal crate serializes it: flags, then low, middle and high word, little-endian.
 */
function decimalBytes(text: string): Uint8Array {
  const mantissa = BigInt(text.replace(/[-.]/g, ''));
  const scale = text.split('.')[1]?.length ?? 0;
  const bytes = new DataView(new ArrayBuffer(16));
  // Bits 16 to 23 hold the scale, and the highest bit holds the sign.
  bytes.setUint32(0, (scale << 16 | (text.startsWith('-') ? 1 << 31 : 0)) >>> 0, true);
  bytes.setBigUint64(4, BigInt.asUintN(64, mantissa), true);
  bytes.setUint32(12, Number(mantissa >> 64n), true);
  return new Uint8Array(bytes.buffer);
}

/** The bytes of a byte string, or of an array of numbers from 0 to 255. */
const plainBytes = (value: Value): Uint8Array | undefined =>
  'A' in value ? Uint8Array.from(value.A, (member) => Number(toU8(member))) : bytesOfValue(value);

/**
 * Converts to bytes. A text always becomes UTF-8, even if it is base58. A decimal becomes the 16 bytes of its internal
 * form.
 */
export function toBytes(value: Value): Uint8Array {
  const way = wayOf('bytes', value, 'bytes');
  if (way === 'utf8') return new TextEncoder().encode(toText(value));
  const bytes = 'D' in value ? decimalBytes(value.D) : plainBytes(value);
  if (bytes === undefined) throw invalidValue(value, 'bytes');
  return bytes;
}

/**
 * Reads bytes of one of these lengths from a value. Throws if the type refuses the value's tag. A text is read as
 * base58.
 */
function bytesOfLength(type: PortTypeName, value: Value, lengths: number[], expected: string): Uint8Array {
  wayOf(type, value, expected);
  const candidates = 'S' in value ? lengths.map((length) => decodeBase58(value.S, length)) : [plainBytes(value)];
  const bytes = candidates.find((candidate) => candidate !== undefined);
  if (bytes === undefined && 'M' in value) throw invalidType(value, expected);
  if (bytes === undefined || !lengths.includes(bytes.length)) throw invalidValue(value, expected);
  return bytes;
}

/** Reads a public key that is not inside a map. */
const barePubkey = (value: Value): string =>
  base58.encode(
    bytesOfLength('pubkey', value, [PUBKEY_LENGTH, KEYPAIR_LENGTH], 'a public key').subarray(-PUBKEY_LENGTH),
  );

/** Converts to a public key in base58. A key pair gives its public half. */
export function toPubkey(value: Value): string {
  if (!('M' in value)) return barePubkey(value);
  const [name, more] = Object.keys(value.M);
  const key = name === 'public_key' && more === undefined ? value.M.public_key : undefined;
  if (key === undefined) throw invalidType(value, 'a public key');
  return barePubkey(key);
}

/**
 * Converts to a key pair: the 32 bytes of the seed, then the 32 bytes of the public key. Does not check that the seed
 * and the public key belong together.
 */
export const toKeypair = (value: Value): Uint8Array => bytesOfLength('keypair', value, [KEYPAIR_LENGTH], 'a key pair');

/** The 64 bytes of a signature. */
export const toSignature = (value: Value): Uint8Array =>
  bytesOfLength('signature', value, [SIGNATURE_LENGTH], 'a signature');

/**
 * A signer. If it has a key pair, the server signs. If it has only the public key of an adapter wallet, the run asks
 * the holder of the key to sign.
 */
export type Signer =
  | { type: 'keypair'; publicKey: string; keypair: Uint8Array }
  | { type: 'adapter'; publicKey: string };

/** Converts a value; undefined if the conversion refuses the value. */
function attempt<T>(convert: (value: Value) => T, value: Value): T | undefined {
  try {
    return convert(value);
  } catch (error) {
    if (error instanceof ConversionError) return undefined;
    throw error;
  }
}

function readWallet(value: Value): Signer | undefined {
  const keypair = attempt(toKeypair, value);
  if (keypair !== undefined) {
    return { type: 'keypair', publicKey: base58.encode(keypair.subarray(-PUBKEY_LENGTH)), keypair };
  }
  const key = 'M' in value && Object.hasOwn(value.M, 'public_key') ? value.M.public_key : undefined;
  const publicKey = key && attempt(barePubkey, key);
  return publicKey === undefined ? undefined : { type: 'adapter', publicKey };
}

const noVariant = (type: string, forms: string): ConversionError =>
  new ConversionError(`data did not match any variant of untagged enum ${type}: must be ${forms}`);

/** A wallet: any form of a key pair, or a map with a `public_key`. A bare public key is refused. */
export function toWallet(value: Value): Signer {
  const wallet = readWallet(value);
  if (wallet === undefined) throw noVariant('Wallet', 'a key pair, or a map with its public_key');
  return wallet;
}

/** Like `toWallet`, but accepts a bare public key too: it becomes an adapter wallet. */
export function toWalletOrPubkey(value: Value): Signer {
  const wallet = readWallet(value);
  if (wallet !== undefined) return wallet;
  const publicKey = attempt(toPubkey, value);
  if (publicKey === undefined) {
    throw noVariant('WalletOrPubkey', 'a key pair, a public key, or a map with its public_key');
  }
  return { type: 'adapter', publicKey };
}

/** Returns the value that nodes output for a wallet: the key pair, or the map of an adapter wallet. */
export const walletToValue = (wallet: Signer): Value =>
  wallet.type === 'keypair' ? { B6: base58.encode(wallet.keypair) } : { M: { public_key: { B3: wallet.publicKey } } };
