import { base58, base64, base64nopad, base64urlnopad, hex } from '@scure/base';
import { nodeLimits } from '../../types/limits/nodes.ts';
import { maxBase58Characters } from '../../types/values/base58.ts';
import { ConversionError, readField, toMember } from '../../types/values/conversion.ts';
import type { ValueMap } from '../../types/values/value.ts';

/** An encoding of bytes as text. Both directions throw an Error for invalid input. */
interface Encoding {
  name: string;
  encode: (bytes: Uint8Array) => string;
  decode: (text: string) => Uint8Array;
  /** The most bytes. Only base58 has this limit, because its time grows with the square of the number of bytes. */
  maxBytes?: number;
}

const utf8: Encoding = {
  name: 'utf8',
  encode: (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
  decode: (text) => new TextEncoder().encode(text),
};

/**
 * Reads base64 as most decoders do: in both alphabets of RFC 4648, with line feeds, and with or without the padding.
 */
function decodeBase64(text: string): Uint8Array {
  const digits = text.replaceAll(/[\t\n\r ]/g, '').replaceAll('-', '+').replaceAll('_', '/');
  return digits.includes('=') ? base64.decode(digits) : base64nopad.decode(digits);
}

const ENCODINGS: { [name: string]: Encoding } = {
  utf8,
  hex: {
    name: 'hex',
    encode: hex.encode,
    decode: (text) => hex.decode(text.replaceAll(/[\t\n\r ]/g, '').toLowerCase()),
  },
  base64: { name: 'base64', encode: base64.encode, decode: decodeBase64 },
  base64url: { name: 'base64url', encode: base64urlnopad.encode, decode: decodeBase64 },
  base58: { name: 'base58', ...base58, maxBytes: nodeLimits.base58_bytes.value },
};

const toEncoding = toMember(ENCODINGS);

/** Writes bytes in the encoding that the input `encoding` names. Throws a ConversionError. */
export function encodeBytes(inputs: ValueMap, bytes: Uint8Array): string {
  const { name, maxBytes, encode } = readField(inputs, 'encoding', toEncoding);
  if (bytes.length > (maxBytes ?? bytes.length)) {
    throw new ConversionError(`must have at most ${maxBytes} bytes for ${name}`, 'data');
  }
  try {
    return encode(bytes);
  } catch {
    throw new ConversionError(`must be ${name}`, 'data');
  }
}

/** Reads bytes from a text in the encoding that the input `encoding` names. Throws a ConversionError. */
export function decodeText(inputs: ValueMap, text: string): Uint8Array {
  const { name, maxBytes, decode } = readField(inputs, 'encoding', toEncoding);
  const maxCharacters = maxBytes === undefined ? text.length : maxBase58Characters(maxBytes);
  if (text.length > maxCharacters) {
    throw new ConversionError(`must have at most ${maxCharacters} characters for ${name}`, 'text');
  }
  try {
    return decode(text);
  } catch {
    throw new ConversionError(`must be ${name}`, 'text');
  }
}

/** Decodes UTF-8; undefined if the bytes are not UTF-8 or contain NUL, which no text may have. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.encode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
