import { base64, hex } from '@scure/base';

/** The fewest characters of a needle. A needle is a text to search for. A shorter needle would match by chance. */
const MIN_NEEDLE_LENGTH = 4;

/** Returns a text with one character for each byte: the character whose code is the byte. */
function toLatin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Returns the bytes of a text whose characters stand for bytes. */
function fromLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Returns the text's bytes in UTF-8, each as a character. */
export const utf8 = (text: string): string => toLatin1(new TextEncoder().encode(text));

/**
 * Returns the base64 digits by which these bytes can be found in the base64 of longer data. There is one text for each
 * alignment. Digits that also depend on neighbouring bytes are cut off.
 */
function base64Cores(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = new Uint8Array(before + bytes.length);
    whole.set(bytes, before);
    const core = base64.encode(whole).slice(Math.ceil(before * 8 / 6), Math.floor(whole.length * 8 / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function utf16(text: string, isLittleEndian: boolean): string {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < text.length; index++) view.setUint16(index * 2, text.charCodeAt(index), isLittleEndian);
  return toLatin1(bytes);
}

/** Returns the forms in which a server may repeat the secrets. */
export function needlesOf(secrets: readonly string[]): Uint8Array[] {
  // A server may encode the received URL or form field once more, for example in base64. So the percent-encoded secret
  // counts as another secret.
  const forms = [...secrets, ...secrets.map(encodeURIComponent)].flatMap((secret) => {
    const bytes = new TextEncoder().encode(secret);
    const digits = hex.encode(bytes);
    return [
      toLatin1(bytes),
      // In a form field, a plus stands for a space.
      toLatin1(bytes).replaceAll(' ', '+'),
      digits,
      digits.toUpperCase(),
      utf16(secret, true),
      utf16(secret, false),
      ...base64Cores(bytes),
    ];
  });
  return [...new Set(forms)].filter(({ length }) => length >= MIN_NEEDLE_LENGTH).map(fromLatin1);
}
