/** Texts and numbers of JSON. A text comes first, so that digits within a text are no number. */
const TOKENS = /"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const digitsOf = (number: string): string => number.replace(/[eE].*$/, '').replace(/[-.]/g, '').replace(/^0+|0+$/g, '');

/** Tests whether JavaScript's number has all digits of a JSON number. */
const isExact = (text: string): boolean => digitsOf(String(Number(text))) === digitsOf(text);

/**
 * Carries numbers through a library that parses and writes JSON with JavaScript's numbers. A number that would lose
 * digits becomes a text that begins with the mark, and `release` makes it a number again. Nobody outside knows the mark.
 */
export function makeExactNumbers() {
  const mark = crypto.randomUUID();
  const begin = `"${mark}`;
  return {
    /** Replaces the numbers of JSON, or of an event stream with JSON. */
    protect: (json: string): string =>
      json.replace(TOKENS, (token) => token.startsWith('"') || isExact(token) ? token : `${begin}${token}"`),
    release: (json: string): string => {
      const [first = '', ...parts] = json.split(begin);
      return first + parts.map((part) => part.replace('"', '')).join('');
    },
    /** Removes the mark from a text without quotes, such as a header. */
    unmark: (text: string): string => text.replaceAll(mark, ''),
  };
}

export type ExactNumbers = ReturnType<typeof makeExactNumbers>;
