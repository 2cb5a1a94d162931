import { sha256 as hash } from '@noble/hashes/sha2.js';
import { base58, hex } from '@scure/base';
import { NativeSet } from '../native.ts';
import type { Run } from '../run.ts';
import { Blob } from '../values.ts';

const utf8 = new TextEncoder();

/**
 * The time for base58 grows with the square of the length, so a limit is needed. Keys, signatures and transactions are
 * shorter than this limit.
 */
const MAX_BASE58_LENGTH = 2_048;

/** Returns the bytes to hash or encode: the bytes of a blob, or the UTF-8 of a text. */
function bytesOf(run: Run, self: Blob | string): Uint8Array {
  run.chargeText(self instanceof Blob ? self.bytes.length : self.length);
  return self instanceof Blob ? self.bytes : utf8.encode(self);
}

/** Charges for base58 of this many bytes or characters. Fails if there are too many. */
function chargeBase58(run: Run, length: number): void {
  if (length > MAX_BASE58_LENGTH) {
    run.fail('Runtime', `Runtime error: base58 takes at most ${MAX_BASE58_LENGTH} bytes or characters, not ${length}`);
  }
  run.charge((length * length) >> 6);
}

/** Decodes a text. Fails if `decode` can't read the text. */
function decoded(run: Run, name: string, text: string, decode: (text: string) => Uint8Array): Blob {
  let bytes: Uint8Array;
  try {
    bytes = decode(text);
  } catch {
    return run.fail('Runtime', `Runtime error: the text is not valid ${name}: '${text.slice(0, 100)}'`);
  }
  return run.newBlob(bytes);
}

const base58Encode = (run: Run, self: Blob | string): string => {
  const bytes = bytesOf(run, self);
  chargeBase58(run, bytes.length);
  return base58.encode(bytes);
};

const hexEncode = (run: Run, self: Blob | string): string => {
  const bytes = bytesOf(run, self);
  run.charge(bytes.length >> 4);
  return run.newText(hex.encode(bytes));
};

const sha256 = (run: Run, self: Blob | string): Blob => {
  const bytes = bytesOf(run, self);
  run.charge(8 + (bytes.length >> 4));
  return new Blob(hash(bytes));
};

export const blobEncodings = new NativeSet<Blob>()
  .method('base58_encode', 0, base58Encode)
  .method('hex_encode', 0, hexEncode)
  .method('sha256', 0, sha256);

export const textEncodings = new NativeSet<string>()
  .method('base58_encode', 0, base58Encode)
  .method('hex_encode', 0, hexEncode)
  .method('sha256', 0, sha256)
  .method('base58_decode', 0, (run, self) => {
    chargeBase58(run, self.length);
    return decoded(run, 'base58', self, base58.decode);
  })
  .method('hex_decode', 0, (run, self) => {
    run.charge(self.length >> 4);
    return decoded(run, 'hexadecimal', self, hex.decode);
  });
