/**
 * The longest pattern of which JavaScript's own search makes a whole table, so that the search takes linear time. For a
 * longer pattern, that search makes a table of only the pattern's end. Its time can then grow with the product of the
 * lengths of text and pattern.
 */
const MAX_NATIVE_PATTERN = 128;

/**
 * For each position of a pattern, computes the length of the longest beginning of the pattern that also ends there.
 * After a mismatch, a search need not compare that beginning again.
 */
function borders(pattern: string): Int32Array {
  const lengths = new Int32Array(pattern.length);
  let length = 0;
  for (let index = 1; index < pattern.length; index++) {
    while (length > 0 && pattern.charCodeAt(index) !== pattern.charCodeAt(length)) length = lengths[length - 1]!;
    if (pattern.charCodeAt(index) === pattern.charCodeAt(length)) length++;
    lengths[index] = length;
  }
  return lengths;
}

/** Finds the positions of a non-empty pattern in a text, from the left and without overlaps, in linear time. */
export function* occurrences(text: string, pattern: string, from = 0): Generator<number> {
  if (pattern.length <= MAX_NATIVE_PATTERN || pattern.length > text.length - from) {
    for (let at = text.indexOf(pattern, from); at >= 0; at = text.indexOf(pattern, at + pattern.length)) yield at;
    return;
  }
  const skips = borders(pattern);
  let matched = 0;
  for (let index = from; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && unit !== pattern.charCodeAt(matched)) matched = skips[matched - 1]!;
    if (unit === pattern.charCodeAt(matched)) matched++;
    if (matched === pattern.length) {
      yield index - matched + 1;
      matched = 0;
    }
  }
}

/** Finds a text as String.indexOf does, but in linear time. */
export function findText(text: string, pattern: string, from = 0): number {
  if (pattern.length <= MAX_NATIVE_PATTERN) return text.indexOf(pattern, from);
  for (const at of occurrences(text, pattern, from)) return at;
  return -1;
}

/** Splits a text like String.split, but in linear time. The delimiter must not be empty. */
export function splitText(text: string, delimiter: string): string[] {
  if (delimiter.length <= MAX_NATIVE_PATTERN) return text.split(delimiter);
  const parts: string[] = [];
  let start = 0;
  for (const at of occurrences(text, delimiter)) {
    parts.push(text.slice(start, at));
    start = at + delimiter.length;
  }
  parts.push(text.slice(start));
  return parts;
}

/**
 * Replaces a non-empty text as String.replaceAll does, but in linear time and without special patterns in the
 * replacement.
 */
export const replaceText = (text: string, target: string, replacement: string): string =>
  target.length <= MAX_NATIVE_PATTERN
    ? text.replaceAll(target, () => replacement)
    : splitText(text, target).join(replacement);

/** Removes all occurrences of another text. An empty text removes nothing. */
export const removeText = (text: string, target: string): string =>
  target === '' ? text : replaceText(text, target, '');

/** Counts how often a non-empty text occurs in another text, without overlaps. */
export function countText(text: string, target: string): number {
  let count = 0;
  for (const _ of occurrences(text, target)) count++;
  return count;
}

/**
 * True for white space as Rust defines it. JavaScript's own white space includes the byte order mark and excludes
 * U+0085.
 */
const isSpace = (unit: number): boolean =>
  unit <= 0x20 ? unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) : unit >= 0x85 && (
    unit === 0x85 || unit === 0xa0 || unit === 0x1680 || (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f || unit === 0x3000
  );

/** Removes white space at both ends. */
export function trimText(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Splits a text at white space. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && !isSpace(text.charCodeAt(index))) continue;
    if (index > start) words.push(text.slice(start, index));
    start = index + 1;
  }
  return words;
}
