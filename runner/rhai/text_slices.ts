import { boundsError, Ref } from './refs.ts';
import type { Run } from './run.ts';
import { countCharacters, isText, type Range, type RhaiValue, sliceCharacters, textOf, typeName } from './values.ts';

interface Span {
  readonly start: number;
  readonly end: number;
  /** Number of characters of the whole text. */
  readonly length: number;
}

/**
 * Converts an index to a position. A negative index counts from the end. Undefined if the position is before the start.
 */
function fromStart(position: number, length: number): number | undefined {
  if (position >= 0) return position;
  return -position <= length ? length + position : undefined;
}

/**
 * Returns the ends of a range, in characters from the start of the text. A start before the first character is an
 * error.
 */
function spanOf(run: Run, text: string, range: Range): Span {
  const length = countCharacters(text);
  // A text costs less if each of its characters has one UTF-16 unit.
  run.charge(text.length >> (length === text.length ? 8 : 4));
  if (length === 0) return { start: 0, end: 0, length };
  const start = fromStart(Number(range.start), length) ?? boundsError(run, 'String', length, range.start);
  return { start, end: fromStart(Number(range.end), length) ?? 0, length };
}

/**
 * Returns the part of a text that a range selects. The part is empty if the range ends before it starts. As in Rhai, it
 * is also empty for n..=n.
 */
export function readSlice(run: Run, text: string, range: Range): string {
  const { start, end, length } = spanOf(run, text, range);
  if (!range.isInclusive) return sliceCharacters(text, start, Math.max(start, end));
  if (start === 0 && end >= length - 1) return text;
  return end > start ? sliceCharacters(text, start, end + 1) : '';
}

/** The place of a part of a text. The text that replaces the part may be longer or shorter. */
export class SliceRef extends Ref {
  readonly #run: Run;
  readonly #text: Ref;
  readonly #range: Range;
  constructor(run: Run, text: Ref, range: Range) {
    super(text.constant);
    this.#run = run;
    this.#text = text;
    this.#range = range;
  }
  get(): RhaiValue {
    return readSlice(this.#run, String(this.#text.get()), this.#range);
  }
  set(value: RhaiValue): void {
    if (!isText(value)) return this.#run.mismatch('string', typeName(value));
    const text = String(this.#text.get());
    const { start, end, length } = spanOf(this.#run, text, this.#range);
    const rest = this.#range.isInclusive && length > 0 ? end + 1 : end;
    this.#run.chargeText(text.length);
    this.#text.set(
      this.#run.newText(sliceCharacters(text, 0, start) + textOf(value) + sliceCharacters(text, rest, length)),
    );
  }
}
