import { describe, expect, it } from 'vitest';
import { evaluate, failureOf } from '../../tests/support/rhai.ts';

type Table = [source: string, result: string][];

const check = (topic: string, table: Table) =>
  describe(topic, () => it.each(table)('%s gives %s', (source, result) => expect(evaluate(source)).toBe(result)));

const checkFailures = (topic: string, table: Table) =>
  describe(topic, () => it.each(table)('%s fails: %s', (source, failure) => expect(failureOf(source)).toBe(failure)));

check('an optional link that has nothing to go on from ends the whole chain', [
  ['let x = (); x?.foo.bar.baz', '()'],
  ['let x = (); x?[2].bar[0]', '()'],
  ['let x = (); x?.foo(1).bar(2).baz', '()'],
  ['let x = #{a: ()}; x.a?.b.c[3].d()', '()'],
  ['let x = #{a: #{b: [7]}}; x?.a?.b?[0]', '7'],
  ['let x = (); [x?.a.b, 1]', '[(), 1]'],
  ['let x = (); let a = [5]; a[x?.b.c ?? 0]', '5'],
  ['let x = (); x?.a[x?.b.c ?? 0].d', '()'],
  ['let x = (); x?.push(x?.a.b)', '()'],
  ['let x = #{a: [1]}; x?.a.push(2); x.a', '[1, 2]'],
  ['let x = #{a: [1]}; let y = x?.a; y.push(2); x.a', '[1]'],
  ['let f = |x| x?.a.b; [f.call(()), f.call(#{a: #{b: 3}})]', '[(), 3]'],
  ['fn f(x) { x?.a.b } f(())', '()'],
]);

check('what is assigned to a chain that has ended is dropped', [
  ['let x = (); x?.a = 1; x', '()'],
  ['let x = (); x?[0] = 1; x', '()'],
  ['let x = (); x?.a.b[2] += 1; x', '()'],
  ['let x = #{a: 1}; x?.a = 2; x', '#{"a": 2}'],
  ['let x = #{a: #{b: 1}}; x?.a?.b += 1; x', '#{"a": #{"b": 2}}'],
  ['let x = #{a: ()}; x.a?.b = 1; x', '#{"a": ()}'],
]);

checkFailures('what is not of the chain goes on', [
  ['let x = (); (x?.a).b', "DotExpr 1:20 Unknown property 'b' - a getter is not registered for type '()'"],
  ['let x = #{}; x?.a.b', "DotExpr 1:19 Unknown property 'b' - a getter is not registered for type '()'"],
]);

check('statements on the right of ??', [
  ['let s = 0; for n in 0..9 { let m = if n < 5 { n }; s += m ?? break; } s', '10'],
  ['let s = 0; for n in 0..9 { let m = if n % 2 == 0 { n }; s += m ?? continue; } s', '20'],
  ['fn f(x) { let y = x ?? return 99; y + 1 } f(()) + f(1)', '101'],
  ['let x = (); (x ?? return 5) + 1', '5'],
  ['let x = 1; let y = x ?? throw "never"; y', '1'],
  ['let x = (); try { x ?? throw "gone" } catch (e) { return e; }', '"gone"'],
]);

check('parts of texts', [
  ['"hello"[1..3]', '"el"'],
  ['"hello"[..2]', '"he"'],
  ['"hello"[2..]', '"llo"'],
  ['"hello"[..]', '"hello"'],
  ['"hello"[1..=3]', '"ell"'],
  ['"hello"[..=2]', '"hel"'],
  ['"hello"[..=]', '"hello"'],
  ['"hello"[1..-1]', '"ell"'],
  ['"hello"[1..=-1]', '"ello"'],
  ['"hello"[-2..]', '"lo"'],
  ['"hello"[2..-4]', '""'],
  ['"hello"[2..-18]', '""'],
  ['"hello"[3..1]', '""'],
  ['"hello"[0..99]', '"hello"'],
  ['"hello"[9..]', '""'],
  // Rhai treats an inclusive range that ends where it starts as empty.
  ['"hello"[1..=1]', '""'],
  ['""[1..3]', '""'],
  ['"h😀llo"[1..3]', '"😀l"'],
  ['let r = 1..3; "hello"[r]', '"el"'],
  ['["hello"][0][1..3]', '"el"'],
]);

/** Checks the value of `s` after a change. */
const changes = (topic: string, table: [start: string, change: string, result: string][]) =>
  check(topic, table.map(([start, change, result]) => [`let s = ${start}; ${change}; s`, result]));

changes('changing parts of texts', [
  ['"hello"', 's[1..3] = "x"', '"hxlo"'],
  ['"hello"', 's[1..3] = "xyz"', '"hxyzlo"'],
  ['"hello"', 's[1..=2] = s[2..]', '"hllolo"'],
  ['"hello"', 's[..] = "x"', '"x"'],
  ['"hello"', 's[..=] = "x"', '"x"'],
  ['"hello"', "s[1..99] = '!'", '"h!"'],
  ['"hello"', 's[-2..] += "!"', '"hello!"'],
  ['"h😀llo"', 's[1..2] = "e"', '"hello"'],
  ['""', 's[3..5] = "a"', '"a"'],
  ['["hello"]', 's[0][1..3] = "X"', '["hXlo"]'],
  ['#{t: "hello"}', 's.t[..2] += "y"', '#{"t": "heyllo"}'],
  ['"hello"', 'let t = s[1..]; t[1..20] = "abc"', '"hello"'],
]);

checkFailures('what no part of a text is', [
  ['"abc"[-9..]', 'StringBounds 1:9 String index -9 out of bounds: only 3 characters in string'],
  ['let s = "abc"; s[0..1] = 5', 'MismatchDataType 1:24 Data type incorrect: i64 (expecting string)'],
  ['const S = "abc"; S[0..1] = "x"', 'AssignmentToConstant 1:18 Cannot modify constant S'],
  ['[1, 2][0..1]', 'MismatchDataType 1:9 Data type incorrect: range (expecting i64)'],
]);

check('ranges without a start or an end', [
  ['(..5).start', '0'],
  ['(3..).end', '9223372036854775807'],
  ['0xab[..]', '171'],
  ['0xab[4..=]', '10'],
  ['[1, 2, 3].extract(1..)', '[2, 3]'],
  ['for n in 5.. { if n > 7 { return n; } }', '8'],
  ['switch 7 { ..5 => "low", 5.. => "high" }', '"high"'],
]);

it('texts that grow by parts keep to the limit of a text, and are charged for copied characters', () => {
  expect(failureOf('let s = ""; s.pad(50000, "a"); s[0..1] = "bb"')).toContain('DataTooLarge');
  expect(failureOf('let s = ""; s.pad(50000, "a"); loop { s[0..1] = "b"; }')).toContain('TooManyOperations');
  expect(failureOf('let s = ""; s.pad(50000, "a"); loop { s[1..9]; }', {}, { operations: 100_000 })).toContain(
    'TooMany',
  );
});
