/** Characters of a message that are kept. */
const MESSAGE_CHARACTERS = 4_000;
/** Characters of a log line that are kept. */
const LOG_CHARACTERS = 32_768;
/** How much of what is kept comes from the beginning. */
const HEAD_SHARE = 0.25;

/** Text as Postgres can store it: what can't be is replaced by U+FFFD. */
const toStorable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

/** Beginning and end of a long text, with a note of what is left out between: errors of called flows stand at the end. */
function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const head = Math.floor(characters * HEAD_SHARE);
  const tail = characters - head;
  return `${text.slice(0, head)} … (${text.length - characters} characters left out) … ${text.slice(-tail)}`;
}

/** An error message fit to be stored. */
export const toMessage = (text: string): string => toStorable(shorten(text, MESSAGE_CHARACTERS));

/** A log line fit to be stored. */
export const toLogContent = (text: string): string => toStorable(shorten(text, LOG_CHARACTERS));
