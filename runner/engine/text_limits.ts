import { runLimits } from '../../types/limits/runs.ts';

/** Characters of a message that are kept. */
const MESSAGE_CHARACTERS = runLimits.error_line_characters.value;
/** Characters of a log line that are kept. */
const LOG_CHARACTERS = runLimits.log_line_characters.value;
/** How much of what is kept comes from the beginning. */
const HEAD_SHARE = 0.25;

/** The most characters of the note between beginning and end. */
const MARKER_CHARACTERS = 50;

const LEFT_OUT = / … \((\d+) characters left out\) … /;

/** Text that Postgres can store: what it can't is replaced by U+FFFD. */
const toStorable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

/**
 * Beginning and end of a long text, and between them how much is left out. The errors of called flows stand at the end.
 */
function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // Errors are carried up from flow to flow, and are shortened again on the way.
  const before = LEFT_OUT.exec(text);
  if (before !== null) {
    const [marker, count] = before;
    const rest = text.slice(0, before.index) + text.slice(before.index + marker.length);
    return cut(rest, characters, Number(count));
  }
  return cut(text, characters, 0);
}

function cut(text: string, characters: number, leftOut: number): string {
  const head = Math.floor(characters * HEAD_SHARE);
  const tail = characters - head;
  return `${text.slice(0, head)} … (${Math.max(text.length - characters, 0) + leftOut} characters left out) … ${
    text.slice(-tail)
  }`;
}

/** An error message fit to be stored. */
export const toMessage = (text: string): string => toStorable(shorten(text, MESSAGE_CHARACTERS));

/** The beginning and end of a message, shortened further, where there is less room. */
export const toShorterMessage = (text: string, characters: number): string =>
  toStorable(shorten(text, Math.max(characters - MARKER_CHARACTERS, 0)));

/** A log line fit to be stored. */
export const toLogContent = (text: string): string => toStorable(shorten(text, LOG_CHARACTERS));
