import { StringStream } from '@codemirror/language';
import { expect, test } from 'vitest';
import { readRhai, type RhaiState } from './rhai_language.ts';

/** Reads the tokens of a script, without blanks. */
function read(source: string): [kind: string, text: string][] {
  const state: RhaiState = { open: [] };
  return source.split('\n').flatMap((line) => {
    const stream = new StringStream(line, 2, 2);
    const tokens: [string, string][] = [];
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = readRhai(stream, state);
      expect(stream.pos).toBeGreaterThan(stream.start);
      if (kind !== null) tokens.push([kind, stream.current()]);
    }
    return tokens;
  });
}

test.for<[what: string, source: string, tokens: [string, string][]]>([
  ['keywords, names and calls', 'let x = sum(this, import);', [
    ['keyword', 'let'],
    ['variableName', 'x'],
    ['operator', '='],
    ['variableName.function', 'sum'],
    ['bracket', '('],
    ['atom', 'this'],
    ['invalid', 'import'],
    ['bracket', ')'],
  ]],
  ['numbers, ranges and methods', '0xff_0 1_000.5e-3 1..5 2.max', [
    ['number', '0xff_0'],
    ['number', '1_000.5e-3'],
    ['number', '1'],
    ['operator', '..'],
    ['number', '5'],
    ['number', '2'],
    ['operator', '.'],
    ['variableName', 'max'],
  ]],
  ['comments within comments, over lines', 'a /* b /* c */ d\n*/ e // f', [
    ['variableName', 'a'],
    ['comment', '/* b /* c */ d'],
    ['comment', '*/'],
    ['variableName', 'e'],
    ['comment', '// f'],
  ]],
  ['strings with escapes, which end with their line', String.raw`"a\"b" 'c' "open` + '\nd', [
    ['string', String.raw`"a\"b"`],
    ['string', "'c'"],
    ['string', '"open'],
    ['variableName', 'd'],
  ]],
  ['a string that goes on in the next line', '"a\\\nb" c', [
    ['string', '"a\\'],
    ['string', 'b"'],
    ['variableName', 'c'],
  ]],
  ['raw strings', '##"a"# b"## c # d', [
    ['string', '##"a"# b"##'],
    ['variableName', 'c'],
    ['operator', '#'],
    ['variableName', 'd'],
  ]],
  ['expressions in back-tick strings, with maps and strings in them', '`a ${#{b: `${c}`}} \\${d`', [
    ['string', '`'],
    ['string', 'a '],
    ['brace', '${'],
    ['operator', '#'],
    ['brace', '{'],
    ['variableName', 'b'],
    ['operator', ':'],
    ['string', '`'],
    ['brace', '${'],
    ['variableName', 'c'],
    ['brace', '}'],
    ['string', '`'],
    ['brace', '}'],
    ['brace', '}'],
    ['string', ' \\${d`'],
  ]],
])('%s are told apart', ([, source, tokens]) => {
  expect(read(source)).toEqual(tokens);
});

test.for(['`${', '{', '/*', '#', '"', '\\', "'", '`', '0x', '1e', '1.', 'a ', '((', '`${`', '}', '#"'])(
  'a script of only %s is read in a bounded number of steps',
  (piece) => {
    const times = 2_000;
    const state: RhaiState = { open: [] };
    const stream = new StringStream(piece.repeat(times), 2, 2);
    let looks = 0;
    const { match, next } = stream;
    Object.assign(stream, {
      match: (...given: Parameters<typeof match>) => (looks += 1, match.apply(stream, given)),
      next: () => (looks += 1, next.apply(stream)),
    });
    while (!stream.eol()) {
      stream.start = stream.pos;
      readRhai(stream, state);
      expect(stream.pos > stream.start).toBe(true);
    }
    // A reader that takes quadratic time would read each character of this line thousands of times.
    expect(looks).toBeLessThan(20 * piece.length * times);
    expect(state.open.length).toBeLessThanOrEqual(33);
  },
);
