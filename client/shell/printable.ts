/** Characters of one text that a terminal is shown; `--json` shows all of it. */
const MAX_SHOWN = 10_000;

/**
 * What a terminal would act on, or what turns the direction of a line: control characters, marks of direction, and the
 * separators of lines and paragraphs.
 */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff]/gu;

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text of somebody else as a terminal may be shown it: what it would act on is written out as `\u001b`. */
export function printable(text: string): string {
  const shown = text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN) : text;
  const rest = text.length - shown.length;
  return shown.toWellFormed().replaceAll('\t', '  ').replaceAll('\r\n', '\n').replace(
    UNPRINTABLE,
    (one) => one === '\n' ? one : escape(one),
  ) +
    (rest > 0 ? `… (${rest} more characters; --json shows all)` : '');
}

/** The same on one line. */
export const printableLine = (text: string): string => printable(text).replaceAll('\n', '\\n');

/** The same on several lines, of which the later ones are indented, so that none can pretend to be another's. */
export const printableBlock = (text: string, indent = '  '): string => printable(text).replaceAll('\n', `\n${indent}`);

/** JSON on one line, in which nothing is left that a terminal would act on. Bigints are their digits. */
export const printableJson = (json: unknown): string =>
  (JSON.stringify(json, (_name, value) => typeof value === 'bigint' ? String(value) : value) ?? 'null')
    .replace(UNPRINTABLE, escape);
