const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER_CHARACTERS = new Set('0123456789+-.eE');

/** Returns the digits of a number without the zeros at both ends. */
function digitsOf(number: string): string {
  const digits = (number.split(/[eE]/, 1)[0] ?? '').replace(/[-.]/g, '');
  let begin = 0;
  let end = digits.length;
  while (digits[begin] === '0') begin++;
  while (end > begin && digits[end - 1] === '0') end--;
  return digits.slice(begin, end);
}

/** Tests whether JavaScript's number has all digits of a JSON number. */
const isExact = (text: string): boolean => digitsOf(String(Number(text))) === digitsOf(text);

/** Returns the place behind the text that begins at `at`. A text ends at the end of its line at the latest. */
function endOfText(json: string, at: number): number {
  let end = at + 1;
  while (end < json.length && json[end] !== '"' && json[end] !== '\n') end += json[end] === '\\' ? 2 : 1;
  return end + 1;
}

/** Writes the numbers of JSON, or of an event stream with JSON, anew if they would lose digits. Takes linear time. */
function replaceInexact(json: string, replace: (number: string) => string): string {
  let made = '';
  let copied = 0;
  for (let at = 0; at < json.length;) {
    const character = json[at] ?? '';
    if (character === '"') {
      at = endOfText(json, at);
      continue;
    }
    let end = at;
    while (end < json.length && NUMBER_CHARACTERS.has(json[end] ?? '')) end++;
    const token = json.slice(at, end);
    if (NUMBER.test(token) && !isExact(token)) {
      made += json.slice(copied, at) + replace(token);
      copied = end;
    }
    at = Math.max(end, at + 1);
  }
  return made + json.slice(copied);
}

/**
 * Carries numbers through a library that parses and writes JSON with JavaScript's numbers. A number that would lose
 * digits becomes a text that begins with the mark, and `release` makes it a number again. Nobody outside knows the mark.
 */
export function makeExactNumbers() {
  const mark = crypto.randomUUID();
  const begin = `"${mark}`;
  return {
    /** Replaces the numbers of JSON, or of an event stream with JSON. */
    protect: (json: string): string => replaceInexact(json, (number) => `${begin}${number}"`),
    release: (json: string): string => {
      const [first = '', ...parts] = json.split(begin);
      return first + parts.map((part) => part.replace('"', '')).join('');
    },
    /** Removes the mark from a text without quotes, such as a header. */
    unmark: (text: string): string => text.replaceAll(mark, ''),
  };
}

export type ExactNumbers = ReturnType<typeof makeExactNumbers>;

/** Leaves numbers as the library reads them. */
export const INEXACT_NUMBERS: ExactNumbers = {
  protect: (json) => json,
  release: (json) => json,
  unmark: (text) => text,
};
