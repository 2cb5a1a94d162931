/**
 * Up to this length, the engine's own search is linear: it tables the whole pattern. Of a longer one it tables the end only, and
 * then goes through text and pattern within each other.
 */
const MAX_NATIVE_PATTERN = 128;

/** For each place of a pattern, how much of its beginning ends there: what a search need not look at again. */
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

/** Where a pattern occurs in a text, from the left, without overlaps; in time linear in the text for any pattern but the empty one. */
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

/** As String.indexOf, in linear time. */
export function findText(text: string, pattern: string, from = 0): number {
  if (pattern.length <= MAX_NATIVE_PATTERN) return text.indexOf(pattern, from);
  for (const at of occurrences(text, pattern, from)) return at;
  return -1;
}

/** As String.split by a text that is not empty, in linear time. */
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

/** As String.replaceAll of a text that is not empty, with nothing special in the replacement, in linear time. */
export const replaceText = (text: string, target: string, replacement: string): string =>
  target.length <= MAX_NATIVE_PATTERN
    ? text.replaceAll(target, () => replacement)
    : splitText(text, target).join(replacement);

/** The text without any occurrence of another, which takes nothing away when it is empty. */
export const removeText = (text: string, target: string): string =>
  target === '' ? text : replaceText(text, target, '');

/** How often a text that is not empty occurs in another, overlaps left out. */
export function countText(text: string, target: string): number {
  let count = 0;
  for (const _ of occurrences(text, target)) count++;
  return count;
}

/** White space as Rust sees it: JavaScript's own takes a byte order mark for some, and leaves out U+0085. */
const isSpace = (unit: number): boolean =>
  unit <= 0x20 ? unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) : unit >= 0x85 && (
    unit === 0x85 || unit === 0xa0 || unit === 0x1680 || (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f || unit === 0x3000
  );

/** Without white space at its ends. */
export function trimText(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** What is between white space. */
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
