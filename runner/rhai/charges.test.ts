import { describe, expect, it } from 'vitest';
import { evaluate, failureOf } from '../../tests/support/rhai.ts';
import { Decimal } from '../../types/values/decimal.ts';
import { RhaiError } from './errors.ts';
import { jsonText } from './library/json.ts';
import { standardLibrary } from './library/table.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { ValueRef } from './refs.ts';
import { type CompiledFunction, Run } from './run.ts';
import { Blob, Char, Float, FnPointer, Range, RhaiArray, RhaiMap, type RhaiValue } from './values.ts';

/** The limits of a script's text length and of its number of elements. */
const { stringLength: LENGTH, elements: COUNT } = DEFAULT_LIMITS;

const AT = { line: 1, column: 1 };

/** Functions of the script that take one, two and three arguments. */
const stubs = new Map([1, 2, 3].map((arity): [string, CompiledFunction] => [`f/${arity}`, {
  name: 'f',
  // SAFETY: the code that runs the functions only reads the number of parameters and their slots.
  params: Array.from(
    { length: arity },
    (_, slot) => ({ slot, name: `p${slot}` }),
  ) as unknown as CompiledFunction['params'],
  captureSlots: [],
  slotCount: arity,
  depth: 1,
  body: () => true,
}]));

const newRun = (): Run =>
  new Run({
    limits: { ...DEFAULT_LIMITS },
    hooks: { onPrint: () => {}, onDebug: () => {}, onProgress: () => {}, now: () => 0, random: () => 0.5 },
    functions: stubs,
    natives: standardLibrary,
    given: new Set(),
    constants: new Map(),
    at: AT,
  });

const text = (length = LENGTH): string => 'a'.repeat(length);
const array = (item: RhaiValue = 1, count = COUNT): RhaiArray => newRun().newArray(Array(count).fill(item));
const blob = (length = COUNT): Blob => new Blob(new Uint8Array(length).fill(7));
const map = (count = COUNT): RhaiMap =>
  newRun().newMap(new Map(Array.from({ length: count }, (_, index) => [`k${index}`, index])));
const fn = new FnPointer('f');
/**
 * Makes a function pointer that is curried with itself repeatedly. Writing this pointer as text takes exponentially
 * many steps.
 */
const curriedFn = (): FnPointer => {
  let pointer = fn;
  for (let times = 0; times < 12; times++) pointer = newRun().curry(pointer, [pointer]);
  return pointer;
};
const decimal = Decimal.parse('3.1415926535897932384626433832')!;

/**
 * The least number of operations that a function must be charged for reading this many characters, bytes or elements.
 */
const scans = (count: number): number => Math.floor(count / 64);
const visits = (count: number): number => Math.floor(count / 4);
const copies = (count: number): number => count;

type Case = [name: string, self: RhaiValue, args: RhaiValue[], least: number];

/** The largest calls of all functions whose work grows with their arguments. */
const GROWING: Record<string, Case[]> = {
  any: [
    ['to_string', array(), [], copies(COUNT)],
    ['to_string', array(text(), 1), [], scans(LENGTH)],
    ['to_string', blob(), [], visits(COUNT)],
    ['to_debug', text(), [], scans(LENGTH) * 4],
    ['to_debug', map(), [], copies(COUNT)],
    ['json_encode', map(4_000), [], copies(4_000)],
    ['json_encode', curriedFn(), [], 4_096],
    ['json_encode', text(LENGTH - 2), [], scans(LENGTH - 2)],
  ],
  none: [
    ['print', null, [array()], copies(COUNT)],
    ['print', null, [text()], scans(LENGTH)],
    ['debug', null, [text()], scans(LENGTH) * 4],
    ['debug', null, [blob()], visits(COUNT)],
    ['blob', null, [COUNT, 1], scans(COUNT)],
    ['Decimal', null, [`${' '.repeat(40_000)}1`], scans(40_000)],
    ['Decimal', null, [`0.1${'0'.repeat(900)}`], 900],
    ['get_fn_metadata_list', null, [], stubs.size],
    ['rand_decimal', null, [1, 5], 8],
  ],
  int: [],
  float: [],
  decimal: ['sin', 'cos', 'tan', 'sqrt', 'exp', 'ln', 'log'].map((name): Case => [name, decimal, [], 500]),
  string: [
    ...[
      'len',
      'bytes',
      'chars',
      'to_upper',
      'to_lower',
      'make_upper',
      'make_lower',
      'trim',
      'clear',
      'split',
      'parse_float',
    ]
      .map((name): Case => [name, text(), [], scans(LENGTH)]),
    ['parse_int', text(), [], scans(LENGTH)],
    ['parse_int', '9'.repeat(LENGTH), [], scans(LENGTH) * 4],
    ['parse_decimal', ' '.repeat(LENGTH), [], scans(LENGTH)],
    ['parse_decimal', '9'.repeat(1_000), [], 1_000],
    ['parse_json', `"${text(LENGTH - 2)}"`, [], LENGTH / 8],
    ['json_decode', `[${'1,'.repeat(9_000)}1]`, [], 9_000],
    ['to_chars', text(COUNT), [], copies(COUNT)],
    ['to_blob', text(COUNT), [], scans(COUNT) * 2],
    ...['contains', 'starts_with', 'ends_with', 'index_of', 'split', 'split_rev', 'remove']
      .map((name): Case => [name, text(), ['b'], scans(LENGTH)]),
    ['index_of', text(), ['a', -1], scans(LENGTH)],
    ['split', text(), [5], scans(LENGTH)],
    ['split', 'a,'.repeat(5_000), [','], copies(5_000)],
    ['split_rev', 'a,'.repeat(5_000), [','], copies(5_000)],
    ['sub_string', text(), [1, 2], scans(LENGTH)],
    ['crop', text(), [1, 2], scans(LENGTH)],
    ['truncate', text(), [5], scans(LENGTH)],
    ['pop', text(), [], scans(LENGTH)],
    ['pop', text(), [LENGTH], scans(LENGTH)],
    ['get', text(), [-1], scans(LENGTH)],
    ['set', text(), [-1, new Char('b')], scans(LENGTH)],
    ['pad', '', [LENGTH, 'ab'], scans(LENGTH)],
    ['append', '', [array()], copies(COUNT)],
    ['append', '', [blob()], scans(COUNT)],
    ['replace', text(), ['a', ''], scans(LENGTH)],
    ['replace', text(20_000), ['a', 'bb'], visits(20_000)],
    ['min', text(), [text()], scans(LENGTH)],
    ['max', text(), [text()], scans(LENGTH)],
    ['sha256', text(), [], LENGTH / 16],
    ['hex_encode', text(LENGTH / 2), [], scans(LENGTH)],
    ['hex_decode', '0'.repeat(COUNT * 2), [], scans(COUNT * 2) * 2],
    ['base58_encode', text(2_048), [], 2_048 ** 2 / 64],
    ['base58_decode', '1'.repeat(2_048), [], 2_048 ** 2 / 64],
  ],
  char: [],
  array: [
    ...[
      'map',
      'filter',
      'some',
      'all',
      'for_each',
      'drain',
      'retain',
      'find_map',
      'find',
      'index_of',
      'reduce',
      'reduce_rev',
    ]
      .map((
        name,
      ): Case => [name, array(), [fn], name === 'some' || name.startsWith('find') || name === 'index_of' ? 1 : COUNT]),
    ['zip', array(), [array(), fn], COUNT],
    ['sort', array(), [], COUNT * 13],
    ['sort', array(), [fn], COUNT * 13],
    ['sort', newRun().newArray([text(LENGTH / 2), text(LENGTH / 2)]), [], scans(LENGTH)],
    ['sort_by', array(), [fn], COUNT * 13],
    ['sort_desc', array(), [], COUNT * 13],
    ['order', array(), [], COUNT * 13],
    ['order_by', array(), [fn], COUNT * 13],
    ['order_desc', array(), [], COUNT * 13],
    ['dedup', array(), [], COUNT],
    ['dedup', newRun().newArray([text(LENGTH / 2), text(LENGTH / 2)]), [], scans(LENGTH / 2)],
    ['dedup', newRun().newArray([array(1, 4_000), array(1, 4_000)]), [], 4_000],
    ['index_of', array(), [2], visits(COUNT)],
    ['index_of', array(), [decimal], COUNT * 4],
    ['index_of', array(text(), 1), [`${text(LENGTH - 1)}b`], scans(LENGTH)],
    ['index_of', newRun().newArray([array(1, 9_000)]), [array(1, 9_000)], 9_000],
    ['contains', array(), [2], visits(COUNT)],
    ['contains', array(decimal), [2], COUNT * 4],
    ['contains', newRun().newArray([array(1, 9_000)]), [array(1, 9_000)], 9_000],
    ['get', newRun().newArray([array(1, 9_000)]), [0], 9_000],
    ['extract', array(), [0], copies(COUNT)],
    ['append', new RhaiArray(), [array()], copies(COUNT)],
    ['pad', new RhaiArray(), [COUNT, 1], copies(COUNT)],
    ['pad', new RhaiArray(), [9, array(1, 1_000)], 9_000],
    ['push', new RhaiArray(), [array(1, 9_000)], scans(9_000)],
    ['insert', array(1, COUNT - 1), [0, 1], scans(COUNT - 1)],
    ['set', newRun().newArray([1]), [0, array(1, 9_000)], scans(9_000)],
    ['shift', array(), [], scans(COUNT)],
    ['remove', array(), [0], scans(COUNT)],
    ['splice', array(), [0, 0, new RhaiArray()], scans(COUNT)],
    ['splice', new RhaiArray(), [0, 0, array()], copies(COUNT)],
    ['drain', array(), [0, 0], scans(COUNT)],
    ['drain', array(), [0, COUNT], copies(COUNT)],
    ['retain', array(), [0, 0], copies(COUNT)],
    ['split', array(), [0], copies(COUNT)],
    ['truncate', array(), [0], copies(COUNT)],
    ['chop', array(), [0], copies(COUNT)],
    ['clear', array(), [], scans(COUNT)],
    ['reverse', array(), [], visits(COUNT)],
    ['shuffle', array(), [], copies(COUNT)],
    ['sample', array(), [1], scans(COUNT)],
    ['sample', array(), [COUNT], copies(COUNT)],
  ],
  map: [
    ...['contains', 'get', 'remove'].map((name): Case => [name, new RhaiMap(), [text()], scans(LENGTH)]),
    ['set', new RhaiMap(), [text(), 1], scans(LENGTH)],
    ['get', newRun().newMap(new Map([['k', array(1, 9_000)]])), ['k'], 9_000],
    ['keys', map(), [], copies(COUNT)],
    ['values', map(), [], copies(COUNT)],
    ['keys', newRun().newMap(new Map([[text(), 1]])), [], scans(LENGTH)],
    ['to_json', map(4_000), [], copies(4_000)],
    ['to_json', newRun().newMap(new Map([['k', text(40_000)]])), [], scans(40_000)],
    ...['filter', 'map', 'drain', 'retain'].map((name): Case => [name, map(), [fn], copies(COUNT)]),
    ['mixin', new RhaiMap(), [map()], copies(COUNT)],
    ['mixin', new RhaiMap(), [newRun().newMap(new Map([[text(), 1]]))], scans(LENGTH)],
    ['fill_with', map(), [map()], copies(COUNT)],
    ['clear', map(), [], scans(COUNT)],
  ],
  blob: [
    ...['as_string', 'reverse', 'pop', 'shift'].map((name): Case => [name, blob(), [], scans(COUNT)]),
    ['to_array', blob(), [], copies(COUNT)],
    ['contains', blob(), [9], scans(COUNT)],
    ['extract', blob(), [0], scans(COUNT)],
    ['push', blob(COUNT - 1), [1], scans(COUNT - 1)],
    ['append', blob(COUNT - 1), [1], scans(COUNT - 1)],
    ['append', blob(0), [text(COUNT)], scans(COUNT)],
    ['insert', blob(COUNT - 1), [0, 1], scans(COUNT - 1)],
    ['remove', blob(), [0], scans(COUNT)],
    ['drain', blob(), [0, 1], scans(COUNT - 1)],
    ['retain', blob(), [0, 1], scans(COUNT)],
    ['splice', blob(), [0, 1, new Blob(new Uint8Array())], scans(COUNT - 1)],
    ['split', blob(), [0], scans(COUNT)],
    ['truncate', blob(), [0], scans(COUNT)],
    ['chop', blob(), [0], scans(COUNT)],
    ['pad', blob(0), [COUNT, 1], scans(COUNT)],
    ['write_utf8', blob(1), [0, 1, text()], LENGTH / 16],
    ['write_ascii', blob(1), [0, 1, text()], LENGTH / 16],
    ['sha256', blob(), [], COUNT / 16],
    ['hex_encode', blob(), [], COUNT / 16],
    ['base58_encode', blob(2_048), [], 2_048 ** 2 / 64],
  ],
  range: [],
  fn: [['curry', fn, Array(255).fill(1), 255]],
};

/** All other functions. Each takes few steps, however large its arguments are. */
const CONSTANT: Record<string, string> = {
  any: 'type_of take is_shared',
  none: 'exit Fn is_def_fn range PI E timestamp utc_now rand rand_float rand_bool',
  int:
    'abs sign is_zero is_odd is_even to_int to_float to_decimal to_hex to_octal to_binary min max get_bit get_bits bits set_bit ' +
    'set_bits',
  float:
    'abs sign is_zero is_nan is_finite is_infinite round to_int to_float to_decimal log atan hypot min max sin cos tan sinh ' +
    'cosh tanh asin acos asinh acosh atanh sqrt exp ln to_degrees to_radians floor ceiling int fraction',
  decimal:
    'abs sign is_zero floor ceiling int fraction round to_int to_float to_decimal round_up round_down round_half_up ' +
    'round_half_down min max',
  string: 'is_empty',
  char: 'to_int to_upper to_lower make_upper make_lower min max',
  array: 'len is_empty pop',
  map: 'len is_empty',
  blob: 'len is_empty get set clear parse_le_int parse_be_int parse_le_float parse_be_float write_le write_be',
  range: 'start end is_inclusive is_exclusive is_empty contains',
  fn: 'name is_anonymous',
};

/** Returns the charge of a call, whether it fails or not. */
function charged(type: string, [name, self, args]: Case): number {
  const run = newRun();
  const native = [...standardLibrary].find(([tag]) => tag === type)?.[1].get(name);
  if (native === undefined) throw new Error(`there is no ${type} ${name}`);
  try {
    expect(native.call(run, self, args, new ValueRef(self)), `${name} takes these arguments`).not.toBeUndefined();
  } catch (error) {
    if (!(error instanceof RhaiError)) throw error;
  }
  return run.operations;
}

describe('the operations that functions charge', () => {
  it('are tested for all functions', () => {
    const listed = (type: string) =>
      [...new Set([...GROWING[type]!.map(([name]) => name), ...CONSTANT[type]!.split(' ')])].sort();
    for (const [type, methods] of standardLibrary) {
      expect([type, listed(type)]).toEqual([type, [...methods.keys()].sort()]);
    }
  });

  it.each(Object.entries(GROWING).flatMap(([type, cases]) => cases.map((one) => [type, one[0], one] as const)))(
    'of %s.%s follow the work',
    (type, _, one) => expect(charged(type, one)).toBeGreaterThanOrEqual(Math.floor(one[3])),
  );
});

/** Makes a chain of functions. Each one calls the next one and lends it the variables of its caller. */
const lending = (count: number): string =>
  Array.from({ length: count }, (_, index) => `fn f${index + 1}() { f${index}!(); }`).join(' ');
const names = (count: number): string => Array.from({ length: count }, (_, index) => `g${index}`).join(',');
const named = (count: number): string => Array.from({ length: count }, (_, index) => `fn g${index}() {}`).join(' ');

/** Expressions of the language that read a whole value, with the fewest operations that they must cost. */
const EXPRESSIONS: [source: string, least: number][] = [
  ['s == t', scans(LENGTH)],
  ['s < t', scans(LENGTH)],
  ['[s] == [t]', scans(LENGTH)],
  ['#{k: s} == #{k: t}', scans(LENGTH)],
  ['b == c', COUNT / 16],
  ['a == d', copies(COUNT)],
  ['"b" in s', scans(LENGTH)],
  ['s in [t]', scans(LENGTH)],
  ['a in [d]', copies(COUNT)],
  ['s in #{}', scans(LENGTH)],
  ['s - "a"', scans(LENGTH)],
  ['"" + a', copies(COUNT)],
  ['"" + b', scans(COUNT)],
  ['b + ""', scans(COUNT)],
  ['let x = blob(); x += u', scans(COUNT)],
  ['`${a}`', copies(COUNT)],
  ['`${s}`', scans(LENGTH)],
  ['let x = []; x += a', copies(COUNT)],
  ['a + []', copies(COUNT)],
  ['m + #{}', copies(COUNT)],
  ['try { throw a } catch { }', copies(COUNT)],
  ['try { throw s } catch { }', scans(LENGTH)],
  ['let x = #{}; x[s]', scans(LENGTH)],
  ['let x = #{}; x[s] = 1', scans(LENGTH)],
  ['is_def_var(s)', scans(LENGTH)],
  ['s[-1]', LENGTH >> 10],
  ["let x = s; x[0] = 'b'", scans(LENGTH)],
  ['switch s { "q" => 1, _ => 2 }', 1],
  [`switch s { "${text()}b" => 1, _ => 2 }`, scans(LENGTH)],
  [`switch n { [${'1,'.repeat(5_000)}] => 1, _ => 2 }`, 5_000],
  [`switch n { ${Array.from({ length: 5_000 }, (_, index) => `${index} => 1,`).join('')} _ => 2 }`, 5_000],
  [`switch n { ${Array.from({ length: 500 }, (_, index) => `${index}|-1|-2|-3|-4|-5|-6 => 1,`).join('')} }`, 1_500],
  [`if false {} ${'else if false {} '.repeat(5_000)}`, 5_000],
  [Array(40).fill('false').join(' || '), 39],
  [Array(40).fill('true').join(' && '), 39],
  [Array(40).fill('()').join(' ?? '), 39],
  [`fn f() { if true { return 1 } ${'let a;'.repeat(20_000)} } f()`, 20_000 / 16],
  [`fn f0() { [${'s,'.repeat(100)}]; } ${lending(20)} let s = 1; f20!()`, 100 * 20 * 2],
  ['let f = Fn("f").curry(a); f.call()', copies(COUNT)],
  [`${named(400)} || [${names(400)}]`, 100],
  ['for x in s { break }', scans(LENGTH)],
  ['for x in a { break }', copies(COUNT)],
  ['let x = a', copies(COUNT)],
  ['let x = b', scans(COUNT)],
];

describe('the operations that expressions charge', () => {
  it.each(EXPRESSIONS.map(([source, least]) => [source.slice(0, 60), least, source] as const))(
    'of %s are at least %i',
    (_, least, source) => {
      const variables: [string, RhaiValue][] = [
        ['s', text()],
        ['t', `${text(LENGTH - 1)}b`],
        ['u', text(COUNT)],
        ['a', array()],
        ['d', newRun().newArray([...Array(COUNT - 1).fill(1), 2])],
        ['n', array(1, 5_000)],
        ['b', blob()],
        ['c', new Blob(blob().bytes.with(COUNT - 1, 1))],
        ['m', map()],
      ];
      expect(failureOf(`${source};`, { variables }, { operations: Math.floor(least) - 1, stringLength: LENGTH + 1 }))
        .toContain('TooManyOperations');
    },
  );
});

describe('curried arguments', () => {
  const GROWN = 'let f = Fn("x"); for i in 0..40 { f = f.curry(f); }';
  it.each([
    [`${GROWN} f.json_encode()`, 'Size of array/BLOB too large: more than 10000 elements'],
    [
      'let f = Fn("x"); loop { f = Fn("x").curry(f); }',
      'Data too deep: more than 64 arrays and maps within each other',
    ],
    ['let f = Fn("x"); loop { f = Fn("x").curry([f]); }', 'Data too deep'],
    ['let a = []; a.pad(4000, 0); let f = Fn("x").curry(a); [f, f, f]', 'Size of array/BLOB too large'],
    ['let s = ""; s.pad(20000, "a"); let f = Fn("x").curry(s); f = f.curry(f); f.curry(s)', 'Size of strings'],
    ['let s = ""; s.pad(20000, "a"); let f = Fn("x").curry(s); #{a: f, b: f, c: f}', 'Size of strings'],
  ])('count like elements: %s', (source, reason) => {
    expect(failureOf(source)).toContain(reason);
  });

  it('are counted exactly in arrays that held more before', () => {
    const source = 'let a = []; let b = []; b.pad(1000, 0); for i in 0..8 { a.push(b); a.pop(); } ' +
      'let f = Fn("x").curry(a); [f, f].len';
    expect(evaluate(source)).toBe('2');
  });
});

it('JSON stops when it exceeds the limit of a string', () => {
  const run = newRun();
  const tooLong = newRun().newArray(Array(COUNT).fill('\u0001'));
  expect(() => jsonText(run, tooLong)).toThrow('Length of string too large');
  // Each element takes 9 characters. The writer stops when the text has more UTF-16 units than any string may have.
  // This number is two for each character of the longest string.
  expect(run.operations).toBeLessThanOrEqual(Math.ceil(2 * LENGTH / 9) + 1);
  expect(jsonText(newRun(), newRun().newArray([newRun().newMap(new Map()), null, 'a', fn, blob(2)])))
    .toBe('[{},null,"a","f",[7,7]]');
  expect(jsonText(newRun(), newRun().curry(fn, [1, 'b']))).toBe('["f",1,"b"]');
});

it('the size of numbers does not change the count of operations', () => {
  expect(charged('float', ['round', new Float(1.5), [], 0])).toBe(0);
  expect(charged('range', ['contains', new Range(0, 5, false), [1], 0])).toBe(0);
});
