import { describe, expect, it } from 'vitest';
import { evaluate, failureOf } from '../../tests/support/rhai.ts';
import { RhaiError } from './errors.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { compileScript } from './script.ts';

type Table = [source: string, failure: string][];

/** Checks that each script is refused before it is run. */
const refuses = (topic: string, table: Table) =>
  describe(topic, () =>
    it.each(table)('%s: %s', (source, failure) => {
      expect(failureOf(source)).toBe(failure);
      expect(failureOf(`if false {\n${source}\n}`)).toMatch(/^(Syntax|AssignmentToConstant) 2:/);
    }));

refuses('literals that are indexed by what they have no elements by', [
  ['[1]["a"]', 'Syntax 1:5 An array is indexed by an integer, not by a string'],
  ['"abc"[`a`]', 'Syntax 1:7 A string is indexed by an integer, not by a string'],
  ['#{a: 1}[0]', 'Syntax 1:9 An object map is indexed by a string, not by an integer'],
  ["[1]['a']", 'Syntax 1:5 An array is indexed by an integer, not by a character'],
  ['"abc"[1.5]', 'Syntax 1:7 A string is indexed by an integer, not by a float'],
  ['#{a: 1}[()]', 'Syntax 1:9 An object map is indexed by a string, not by ()'],
  ["#{a: 1}['a']", 'Syntax 1:9 An object map is indexed by a string, not by a character'],
  ['[1][a && b]', 'Syntax 1:7 An array is indexed by an integer, not by a boolean'],
  ['5["a"]', 'Syntax 1:3 An integer is indexed by an integer, not by a string'],
]);

refuses('conditions that are not Booleans, and what no loop goes through', [
  ['if 1 { }', 'Syntax 1:4 Expecting a boolean, not an integer'],
  ['while "x" { }', 'Syntax 1:7 Expecting a boolean, not a string'],
  ['do { } until [1]', 'Syntax 1:14 Expecting a boolean, not an array'],
  ['if false { } else if #{} { }', 'Syntax 1:22 Expecting a boolean, not an object map'],
  ['switch 1 { 1 if () => 2 }', 'Syntax 1:17 Expecting a boolean, not ()'],
  ['1 && true', 'Syntax 1:1 Expecting a boolean, not an integer'],
  ["true || 'a'", 'Syntax 1:9 Expecting a boolean, not a character'],
  ['if { true } { }', 'Syntax 1:4 Expecting a boolean expression, but found a block'],
  ['for x in true { }', 'Syntax 1:10 Expecting an iterable value, not a boolean'],
  ['for x in 1.5 { }', 'Syntax 1:10 Expecting an iterable value, not a float'],
  ['for x in { 1 } { }', 'Syntax 1:10 Expecting an iterable value, but found a block'],
]);

refuses('assignments to what is not a place', [
  ['"a" = 1', 'Syntax 1:1 Cannot assign to this expression'],
  ['x + 1 = 2', 'Syntax 1:3 Cannot assign to this expression'],
  ['[1, 2][0] = 3', 'Syntax 1:1 Cannot assign to this expression'],
  ['f().a = 3', 'Syntax 1:1 Cannot assign to this expression'],
  ['x.f() = 3', 'Syntax 1:3 Cannot assign to this expression'],
  ['x.f().a = 3', 'Syntax 1:3 Cannot assign to this expression'],
  ['x && y = z', "Syntax 1:3 Unexpected '=': perhaps '==' was meant"],
  ['x?.f() = 1', 'Syntax 1:4 Cannot assign to this expression'],
]);

refuses('names and words in the wrong places', [
  ['let _ = 1', "Syntax 1:5 Expecting the name of a variable, but found '_'"],
  ['let __ = 1', "Syntax 1:5 '__' is not a valid name: a name needs a letter before its first digit"],
  ['let _1 = 1', "Syntax 1:5 '_1' is not a valid name: a name needs a letter before its first digit"],
  ['for _ in [] { }', "Syntax 1:5 Expecting the name of a variable, but found '_'"],
  ['let call = 1', "Syntax 1:5 'call' is a reserved keyword"],
  ['|print| 1', "Syntax 1:2 'print' is a reserved keyword"],
  ['this', "Syntax 1:1 'this' can only be used in functions and closures"],
  ['let x = ( );', "Syntax 1:11 Expecting an expression, but found ')'"],
  ['switch 1 { 0..5 => 1, 7.5 => 2 }', 'Syntax 1:23 Cases of numbers must come before those of ranges'],
  ['let x = switch 5 { 5 => break, _ => 1 }', "Syntax 1:25 'break' must be within a loop"],
  ['"\\\'"', "Syntax 1:2 Invalid escape sequence: '\\''"],
  ["'\\\"'", "Syntax 1:2 Invalid escape sequence: '\\\"'"],
  ['let x\u00a0= 1', 'Syntax 1:6 Unexpected character "\u00a0"'],
]);

describe('faults that only running finds', () => {
  it.each([
    ['let n = 0; n[0]', 'false'],
    ['5[0]', 'true'],
    ['#{a: 1}["a"]', '1'],
    ["if false { [1][0]['x'] + #{a: 1}[`a`][()] + y[1.5] + z()[true] + 1.5[0] }", '()'],
    ["try { [[1]][0]['x'] } catch (e) { return e.error; }", '"ErrorMismatchDataType"'],
    ['try { true[0] } catch (e) { return e.error; }', '"ErrorIndexingType"'],
    ['let x = #{a: #{}}; (x.a).b = 1; x', '#{"a": #{"b": 1}}'],
    ['let _x = 1; let __y2 = 2; _x + __y2', '3'],
    ['fn f( ) { 1 } f( )', '1'],
    ['const A = [1]; if false { A[0] = 2; } A', '[1]'],
    ['const A = [1]; try { A[0] = 2; } catch (e) { return e.error; }', '"ErrorAssignmentToConstant"'],
  ])('%s gives %s', (source, result) => expect(evaluate(source)).toBe(result));
});

/** Repeats a piece of source up to the longest source allowed. */
function fill(piece: (index: number) => string, length: number = DEFAULT_LIMITS.sourceLength - 1_000): string {
  const pieces: string[] = [];
  for (let size = 0; size < length; size += pieces.at(-1)!.length) pieces.push(piece(pieces.length));
  return pieces.join('');
}

const HALF = 130_000;

// Before the limits, the compiler took 5 s to 97 s for each of these sources, and 3 GB of memory for one.
it.each<[string, () => string]>([
  ['many variables, each used', () => fill((i) => `let a${i}=1;`, HALF) + fill((i) => `a${i % 9_000};`, HALF)],
  ['many params', () => `fn f(${fill((i) => `a${i},`)}){}`],
  ['many questions for variables', () => fill((i) => `let a${i}=1;`, HALF) + fill(() => 'is_def_var("");', HALF)],
  ['many calls that lend many variables', () => fill((i) => `let a${i}=1;`, HALF) + fill(() => 'f!();', HALF)],
  ['many functions and calls of methods', () => fill((i) => `fn f${i}(){}`, HALF) + fill(() => 'x.f();', HALF)],
  ['many captures', () => `${fill((i) => `let a${i}=1;`, HALF)}||[${fill((i) => `a${i % 9_000},`, HALF)}]`],
  ['many ends that a raw string might have', () => `${'#'.repeat(301)}"${fill(() => `"${'#'.repeat(300)}`, 250_000)}`],
  ['many escapes', () => `\`${fill(() => '\\${``$')}\``],
])('the time for %s grows no faster than their length', (_, make) => {
  try {
    compileScript(make());
  } catch (error) {
    expect(error).toBeInstanceOf(RhaiError);
  }
});

describe('literals that exceed the limits of a value', () => {
  const limits = { stringLength: 4, elements: 3 };
  const refused = (source: string) => failureOf(`if false {\n${source}\n}`, {}, limits);

  it.each([
    ['"abcde"', 'Syntax 2:1 The string has more than 4 characters'],
    ['"😀😀😀😀😀"', 'Syntax 2:1 The string has more than 4 characters'],
    ['#"abcde"#', 'Syntax 2:1 The string has more than 4 characters'],
    ['`abcde`', 'Syntax 2:1 The string has more than 4 characters'],
    ['`a${1}bcdef`', 'Syntax 2:1 The string has more than 4 characters'],
    ['`abcde${1}`', 'Syntax 2:1 The string has more than 4 characters'],
    ['#{"abcde": 1}', 'Syntax 2:3 The string has more than 4 characters'],
    ['[1, 2, 3, 4]', 'Syntax 2:1 The array has more than 3 elements'],
    ['#{a: 1, b: 2, c: 3, d: 4}', 'Syntax 2:1 The object map has more than 3 properties'],
  ])('%s: %s', (source, failure) => expect(refused(source)).toBe(failure));

  it.each([
    ['"\\x41bcd"', '"Abcd"'],
    ['"😀😀😀😀"', '"😀😀😀😀"'],
    ['[1, 2, 3]', '[1, 2, 3]'],
    ['#{a: 1, b: 2, c: 3}', '#{"a": 1, "b": 2, "c": 3}'],
  ])('%s is within the limits', (source, result) => expect(evaluate(source, {}, limits)).toBe(result));
});

it('bounds names and the texts of errors', () => {
  const long = 'a'.repeat(256);
  expect(failureOf(long)).toBe('Syntax 1:1 A name has more than 255 characters');
  expect(failureOf(long.slice(1))).toContain('Variable not found: a');
  const thrown = failureOf('let s = ""; s.pad(50000, "a"); throw s;');
  expect(thrown.length).toBeLessThan(10_100);
  expect(thrown.endsWith('…')).toBe(true);
  expect(failureOf(`f(${'1,'.repeat(20_000)})`).length).toBeLessThan(10_100);
});
