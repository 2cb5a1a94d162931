import { parseIntText } from '../integers.ts';
import { NativeSet } from '../native.ts';
import type { Ref } from '../refs.ts';
import type { Run } from '../run.ts';
import { findText, splitText as splitAt, wordsOf } from '../../values/text_search.ts';
import {
  Char,
  charactersOf,
  countCharacters,
  Float,
  isText,
  type RhaiValue,
  Sequence,
  sliceCharacters,
  textOf,
} from '../values.ts';
import { clampPosition, selectSpan, toNumber } from './args.ts';
import { parseDecimalText } from './core.ts';
import { withExtremes } from './numbers.ts';

const utf8 = new TextEncoder();

/** Each digit can match only one part of the pattern, so a match reads the text only once. */
const FLOAT_TEXT = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i;

/** Yields the characters of a text one by one. */
function* chars(text: string): Iterable<RhaiValue> {
  for (const character of text) yield new Char(character);
}

/** Makes an array of the pieces of a text. */
const pieces = (run: Run, texts: string[]): RhaiValue => {
  run.checkLength(texts.length);
  run.charge(texts.length);
  return run.newArray(texts);
};

/** Splits a text at a delimiter into at most `most` pieces. The last piece is the rest of the text. */
function splitText(text: string, delimiter: string, most: number): string[] {
  const parts = delimiter === '' ? ['', ...charactersOf(text), ''] : splitAt(text, delimiter);
  return parts.length <= most ? parts : [...parts.slice(0, most - 1), parts.slice(most - 1).join(delimiter)];
}

/** Splits like `splitText`, but begins at the end of the text. The pieces are in reverse order. */
function splitTextBackwards(text: string, delimiter: string, most: number): string[] {
  const parts = splitText(text, delimiter, Infinity);
  const cut = Math.max(parts.length - most + 1, 1);
  return [...parts.slice(cut).reverse(), parts.slice(0, cut).join(delimiter)];
}

type Splitter = typeof splitText;

function splitBy(
  run: Run,
  self: string,
  [delimiter, count]: readonly RhaiValue[],
  split: Splitter,
): RhaiValue | undefined {
  const most = count === undefined ? Infinity : toNumber(count);
  if (delimiter === undefined || !isText(delimiter) || most === undefined) return undefined;
  return pieces(run, split(self, textOf(delimiter), Math.max(most, 1)));
}

function split(run: Run, self: string, args: readonly RhaiValue[]): RhaiValue | undefined {
  const [first] = args;
  if (first === undefined) return pieces(run, wordsOf(self));
  const index = toNumber(first);
  if (index === undefined || args.length > 1) return splitBy(run, self, args, splitText);
  const head = sliceCharacters(self, 0, clampPosition(index, countCharacters(self)));
  return pieces(run, [head, self.slice(head.length)]);
}

function indexOf(self: string, [target, start]: readonly RhaiValue[]): RhaiValue | undefined {
  const from = start === undefined ? 0 : toNumber(start);
  if (target === undefined || !isText(target) || from === undefined) return undefined;
  const length = from === 0 ? self.length : countCharacters(self);
  if (self === '' || (from > 0 && from >= length)) return -1;
  const skipped = sliceCharacters(self, 0, clampPosition(from, length));
  const unit = findText(self, textOf(target), skipped.length);
  return unit < 0 ? -1 : countCharacters(self.slice(0, unit));
}

export function subString(self: string, args: readonly RhaiValue[]): string | undefined {
  const span = selectSpan(args, countCharacters(self));
  return span && sliceCharacters(self, span.from, span.to);
}

const fails = (run: Run, what: string, text: string, problem: string): never =>
  run.fail('Arithmetic', `Error parsing ${what} '${text.slice(0, 100)}': ${problem}`);

/** Wraps a function so that it charges for the text that it reads. */
export const paid =
  <Result>(compute: (run: Run, self: string, args: readonly RhaiValue[], ref: Ref) => Result) =>
  (run: Run, self: string, args: readonly RhaiValue[], ref: Ref): Result => {
    run.chargeText(self.length);
    return compute(run, self, args, ref);
  };

/** Makes a built-in function that gets the text and another text. */
const withText = <Result extends RhaiValue>(compute: (self: string, other: string) => Result) =>
  paid((_, self, [other]): Result | undefined =>
    other !== undefined && isText(other) ? compute(self, textOf(other)) : undefined
  );

export const textFunctions = withExtremes(new NativeSet<string>())
  .property('len', paid((_, self) => countCharacters(self)))
  .property('bytes', paid((_, self) => utf8.encode(self).length))
  .property('is_empty', (_, self) => self === '')
  .property(
    'chars',
    paid((_, self, args) => {
      const part = args.length === 0 ? self : subString(self, args);
      return part === undefined ? undefined : new Sequence('CharsStream', () => chars(part));
    }),
    2,
  )
  .method(
    'to_chars',
    0,
    paid((run, self) => {
      const count = countCharacters(self);
      run.checkLength(count);
      run.charge(count);
      return run.newArray([...chars(self)]);
    }),
  )
  .method('to_blob', 0, paid((run, self) => run.newBlob(utf8.encode(self))))
  .method('to_upper', 0, paid((run, self) => run.newText(self.toUpperCase())))
  .method('to_lower', 0, paid((run, self) => run.newText(self.toLowerCase())))
  .method('contains', 1, withText((self, other) => findText(self, other) >= 0))
  .method('starts_with', 1, withText((self, other) => self.startsWith(other)))
  .method('ends_with', 1, withText((self, other) => self.endsWith(other)))
  .method('index_of', [1, 2], paid((_, self, args) => indexOf(self, args)))
  .method('sub_string', [1, 2], paid((_, self, args) => subString(self, args)))
  .method('split', [0, 2], paid(split))
  .method('split_rev', [1, 2], paid((run, self, args) => splitBy(run, self, args, splitTextBackwards)))
  .method(
    'get',
    1,
    paid((_, self, [index]) => {
      const position = toNumber(index);
      if (position === undefined) return undefined;
      const place = position < 0 ? countCharacters(self) + position : position;
      const character = place < 0 ? '' : sliceCharacters(self, place, place + 1);
      return character === '' ? null : new Char(character);
    }),
  )
  .method(
    'parse_int',
    [0, 1],
    paid((run, self, [radix]) => {
      const base = radix === undefined ? 10 : toNumber(radix);
      if (base === undefined) return undefined;
      if (base < 2 || base > 36) run.fail('Arithmetic', `Invalid radix: '${base}'`);
      run.charge(self.length >> 4);
      const result = parseIntText(self.trim(), base);
      return typeof result === 'string' ? fails(run, 'integer number', self, result) : result;
    }),
  )
  .method(
    'parse_float',
    0,
    paid((run, self) => {
      const text = self.trim().toLowerCase();
      if (text === '') return fails(run, 'floating-point number', self, 'cannot parse float from empty string');
      if (!FLOAT_TEXT.test(text)) return fails(run, 'floating-point number', self, 'invalid float literal');
      return new Float(Number(text.replace(/inf(?:inity)?/, 'Infinity').replace(/^[+-]?nan$/, 'NaN')));
    }),
  )
  .method(
    'parse_decimal',
    0,
    (run, self) => parseDecimalText(run, self) ?? fails(run, 'decimal number', self, 'invalid decimal'),
  );
