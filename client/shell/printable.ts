/** The most characters of one text that a terminal shows. `--json` prints the whole text. */
const MAX_SHOWN = 10_000;

/**
 * Characters that control a terminal or change the direction of a line: control characters, marks of direction, and the
 * separators of lines and paragraphs.
 */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff]/gu;

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Makes foreign text safe for a terminal: characters that would control it are written as `\u001b`. */
function printable(text: string): string {
  const shown = text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN) : text;
  const rest = text.length - shown.length;
  return shown.toWellFormed().replaceAll('\t', '  ').replaceAll('\r\n', '\n').replace(
    UNPRINTABLE,
    (one) => one === '\n' ? one : escape(one),
  ) +
    (rest > 0 ? `… (${rest} more characters; --json shows all)` : '');
}

/** Makes foreign text safe, on one line. */
export const printableLine = (text: string): string => printable(text).replaceAll('\n', '\\n');

/** Makes foreign text safe. Indents all lines but the first, so that no line looks like a line of `flows`. */
export const printableBlock = (text: string, indent = '  '): string => printable(text).replaceAll('\n', `\n${indent}`);

/** Formats JSON on one line without characters that control a terminal. Bigints become their digits. */
export const printableJson = (json: unknown): string =>
  (JSON.stringify(json, (_name, value) => typeof value === 'bigint' ? String(value) : value) ?? 'null')
    .replace(UNPRINTABLE, escape);
