import { runLimits } from '../../../types/limits/runs.ts';

/** The most characters of a stored message. */
const MESSAGE_CHARACTERS = runLimits.error_line_characters.value;
/** The most characters of a stored log line. */
const LOG_CHARACTERS = runLimits.log_line_characters.value;
/** The share of the kept text that comes from the beginning. */
const HEAD_SHARE = 0.25;

/** The most characters of the note that replaces the middle of a text. */
const MARKER_CHARACTERS = 50;

const LEFT_OUT = / … \((\d+) characters left out\) … /;

/** Replaces the characters that Postgres can't store by U+FFFD. */
export const toStorable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

/**
 * Shortens a long text: a note with the number of removed characters replaces the middle. The end is kept, because it
 * holds the errors of called flows.
 */
function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // The text may have been shortened before: the error of a called flow is shortened again in each calling flow.
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

/** Makes an error message that can be stored. */
export const toMessage = (text: string): string => toStorable(shorten(text, MESSAGE_CHARACTERS));

/** Shortens a message to fewer characters than `toMessage` does. */
export const toShorterMessage = (text: string, characters: number): string =>
  toStorable(shorten(text, Math.max(characters - MARKER_CHARACTERS, 0)));

/** Makes a log line that can be stored. */
export const toLogContent = (text: string): string => toStorable(shorten(text, LOG_CHARACTERS));
