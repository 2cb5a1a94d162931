import { charsetOf, isJsonType, isTextType, mediaTypeOf } from './media_types.ts';

/** The most bytes at the beginning of a document in which it may name its charset. Source: the HTML standard. */
const SNIFFED_BYTES = 1_024;

/** The first bytes of texts in Unicode: a byte order mark, or the `<?` of an XML declaration in UTF-16. */
const BEGINNINGS: [bytes: number[], charset: string][] = [
  [[0xEF, 0xBB, 0xBF], 'utf-8'],
  [[0xFE, 0xFF], 'utf-16be'],
  [[0xFF, 0xFE], 'utf-16le'],
  [[0, 0x3C, 0, 0x3F], 'utf-16be'],
  [[0x3C, 0, 0x3F, 0], 'utf-16le'],
];

/** Returns the value of a word in a tag, such as the charset in `charset="utf-8"`. */
function valueOf(tag: string, word: string): string | undefined {
  const at = tag.indexOf(word);
  return at < 0 ? undefined : /^["'=\s]*([\w.:-]+)/.exec(tag.slice(at + word.length))?.[1];
}

/** Returns the charset that a document of XML or HTML names in its own text. */
function namedWithin(body: Uint8Array): string | undefined {
  const begin = String.fromCharCode(...body.subarray(0, SNIFFED_BYTES)).toLowerCase();
  const tags = (opening: string) => begin.split(opening).slice(1).map((rest) => rest.split('>', 1)[0] ?? '');
  const named = begin.startsWith('<?xml')
    ? valueOf(tags('<?xml')[0] ?? '', 'encoding')
    : tags('<meta').map((tag) => valueOf(tag, 'charset')).find((charset) => charset !== undefined);
  // The bytes were read one by one, so the document can't be in UTF-16. Source: the HTML standard, "prescan".
  return named?.startsWith('utf-16') ? 'utf-8' : named;
}

/** Makes the decoder of a charset; undefined if the charset is unknown. It throws for bytes that are not valid. */
function decoderOf(charset: string | undefined): TextDecoder | undefined {
  if (charset === undefined) return undefined;
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the decoder of a text in the charset of its first bytes, else in the declared one, else in the one that the
 * text names itself.
 */
function decoderOfText(body: Uint8Array, contentType: string): TextDecoder {
  const [, sniffed] = BEGINNINGS.find(([bytes]) => bytes.every((byte, at) => body[at] === byte)) ?? [];
  const type = mediaTypeOf(contentType);
  const isDocument = type.includes('xml') || type === 'text/html';
  return decoderOf(sniffed) ?? decoderOf(charsetOf(contentType)) ??
    (isDocument ? decoderOf(namedWithin(body)) : undefined) ?? utf8;
}

function decode(body: Uint8Array, decoder: TextDecoder): string | undefined {
  try {
    return decoder.decode(body);
  } catch {
    return undefined;
  }
}

/**
 * Decodes the body of an HTTP answer if its content type is text or JSON. Returns undefined for other types, and for a
 * body that is not valid in its charset.
 */
export function textOfBody(body: Uint8Array, contentType: string): string | undefined {
  const type = mediaTypeOf(contentType);
  if (!isTextType(type) && !isJsonType(type)) return undefined;
  const text = decode(body, decoderOfText(body, contentType));
  // JSON is in UTF-8, so its declared charset may have no meaning. Source: RFC 8259, section 11.
  return text === undefined && isJsonType(type) ? decode(body, utf8) : text;
}
