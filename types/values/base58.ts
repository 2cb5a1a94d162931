import { base58 } from '@scure/base';

/**
 * Returns how many base58 characters `byteCount` bytes take at most. A byte takes log 256 / log 58 characters, and the
 * total is rounded up.
 */
export const maxBase58Characters = (byteCount: number): number => Math.ceil(byteCount * 1.3658);

/** Decodes base58; undefined unless the text is base58 of exactly `byteCount` bytes. */
export function decodeBase58(text: string, byteCount: number): Uint8Array | undefined {
  // Decoding takes quadratic time, so longer texts are refused first.
  if (text.length > maxBase58Characters(byteCount)) return undefined;
  try {
    const bytes = base58.decode(text);
    return bytes.length === byteCount ? bytes : undefined;
  } catch {
    return undefined;
  }
}
