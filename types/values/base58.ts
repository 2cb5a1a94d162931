import { base58 } from '@scure/base';

/**
 * Returns the greatest number of base58 characters that this many bytes can take: log 256 / log 58 for each byte,
 * rounded up.
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
