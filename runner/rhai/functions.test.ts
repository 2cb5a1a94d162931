import { describe, expect, it } from 'vitest';
import { evaluate, failureOf } from '../../tests/support/rhai.ts';
import { givenMap } from './given.ts';
import type { RhaiMap } from './values.ts';

type Table = [source: string, result: string][];

const check = (topic: string, table: Table) =>
  describe(topic, () => it.each(table)('%s gives %s', (source, result) => expect(evaluate(source)).toBe(result)));

const checkFailures = (topic: string, table: Table) =>
  describe(topic, () => it.each(table)('%s fails: %s', (source, failure) => expect(failureOf(source)).toBe(failure)));

check("a function's name is a value", [
  ['fn foo(x) { x + 1 } let f = foo; call(f, 41)', '42'],
  ['fn foo(x) { x + 1 } let f = 5; f = foo; f.call(1)', '2'],
  ['fn twice(x) { x * 2 } [1, 2].map(twice)', '[2, 4]'],
  ['fn twice(x) { x * 2 } fn all(a) { a.map(twice) } all([1, 2])', '[2, 4]'],
  ['fn twice(x) { x * 2 } let f = || [3].map(twice); f.call()', '[6]'],
  ['let f = later; fn later() { 7 } f.call()', '7'],
  ['fn act(x) { this.n += x; } let m = #{n: 1, act: act}; m.act(2); m.n', '3'],
  ['fn foo() {} type_of(foo)', '"Fn"'],
  ['fn foo() {} let foo = 3; foo', '3'],
  ['fn foo() {} foo = 3; foo', 'Fn(foo)'],
]);

it('a variable that the caller gives comes before the function of its name', () => {
  expect(evaluate('fn a() {} a', { variables: [['a', 1]] })).toBe('1');
});

check('a call with an exclamation mark lends the variables of the caller', [
  ['fn sum() { a + b } let a = 1; let b = 2; sum!()', '3'],
  ['fn change() { a = 0; a + b } let a = 1; let b = 2; [change!(), a]', '[2, 0]'],
  ['fn add(y) { x += y; x } let x = 41; let y = 999; add!(1) + x', '84'],
  ['fn hide() { let a = b + 1; } let b = 9; let a = 1; hide!(); a', '1'],
  ['fn shown(x) { a + x } let a = 1; let f = Fn("shown"); call!(f, 2)', '3'],
  ['fn inner() { a + q } fn outer() { let q = 1; inner!() } let a = 5; outer!()', '6'],
  ['fn grow() { a.push(2); a[0] = 9; } let a = [1]; grow!(); a', '[9, 2]'],
  ['fn copy() { let b = a; b.push(2); b } let a = [1]; [copy!(), a]', '[[1, 2], [1]]'],
  ['fn f() { a } let a = (); f!()', '()'],
  ['fn f() { a } let a = 1; { let a = 2; f!() }', '2'],
  ['fn f() { a } let a = 1; let b = f!(); let a = 2; b', '1'],
  ['fn f() { is_def_var("a") } let a = 1; [f!(), f()]', '[true, false]'],
  ['fn f() { a } fn g(a) { f!() } g(3)', '3'],
]);

it('a call with an exclamation mark also lends variables that the script was given', () => {
  expect(evaluate('fn f() { a += 1; } f!(); a', { variables: [['a', 7]] })).toBe('8');
  expect(failureOf('fn f() { A = 1; } f!();', { constants: [['A', 7]] }))
    .toBe('AssignmentToConstant 1:10 Cannot modify constant A');
});

it("every function sees the constants that the script is given, and can't change them", () => {
  const constants = (): [string, RhaiMap][] => [['A', givenMap([['n', 7]])]];
  const show = (source: string) => evaluate(source, { constants: constants() });
  expect(show('fn f() { A.n } f()')).toBe('7');
  expect(show('fn f() { let g = || A.n; g.call() } f()')).toBe('7');
  expect(show('fn f() { let b = A; b.n = 8; [A.n, b.n] } f()')).toBe('[7, 8]');
  expect(show('fn f(A) { A } f(1)')).toBe('1');
  expect(show('fn A() { 1 } fn f() { A.n } f()')).toBe('7');
  const fails = (source: string) => failureOf(source, { constants: constants() });
  expect(fails('fn f() { A.n = 1; } f()')).toBe('AssignmentToConstant 1:10 Cannot modify constant A');
  expect(fails('fn f() { A.clear(); } f()'))
    .toBe("NonPureMethodCallOnConstant 1:12 Non-pure method 'clear' cannot be called on constant");
});

check('a built-in function changes its first argument as a method does', [
  ['let a = [1]; push(a, 2); a', '[1, 2]'],
  ['fn f() { push(this, 2); } let a = [1]; a.f(); a', '[1, 2]'],
  ['fn f() { push(a, 2); } let a = [1]; f!(); a', '[1, 2]'],
  ['let a = [1]; call(Fn("push"), a, 2); a', '[1, 2]'],
  ['let a = [1]; Fn("push").call(a, 2); a', '[1]'],
  ['let a = [1]; call(Fn("push").curry([0]), a); a', '[1]'],
  ['fn push(a, x) { a += x; } let a = [1]; call(push, a, 2); a', '[1]'],
  ['let a = [[1]]; push(a[0], 2); a', '[[1]]'],
  ['let a = [1]; push!(a, 2); a', '[1]'],
]);

check('after the other arguments, which may change it', [
  ['let a = [1]; push(a, { push(a, 9); 2 }); a', '[1, 9, 2]'],
  ['let a = [1]; push(a, { a = [7]; 2 }); a', '[7, 2]'],
  ['let a = 1; max(a, { a = 9; 3 })', '9'],
  ['let a = [1]; push(a, a); a', '[1, [1]]'],
  ['let f = |x, y| x - y; call(f, 5, { f = 0; 3 })', '2'],
]);

checkFailures('so that a mistake in those is found first', [
  ['nothing(a, b)', 'VariableNotFound 1:12 Variable not found: b'],
  ['nothing(a + 1, b)', 'VariableNotFound 1:9 Variable not found: a'],
  ['fn f() { this = b; } f()', "UnboundThis 1:10 'this' not bound"],
  ['fn f() { this += b; } f()', "UnboundThis 1:10 'this' not bound"],
  ['fn f() { this.a = b; } f()', 'VariableNotFound 1:19 Variable not found: b'],
]);

check('but only a copy of a constant, or of a variable that a closure has captured', [
  ['const A = [1]; push(A, 2); A', '[1]'],
  ['const A = [1, 2]; [pop(A), len(A)]', '[2, 2]'],
  ['const A = 1; take(A)', '1'],
  ['const A = [1]; call(Fn("push"), A, 2); A', '[1]'],
  ['let a = [1]; let f = || a; push(a, 2); [a, f.call()]', '[[1], [1]]'],
  ['let a = [1]; let f = || push(a, 2); f.call(); a', '[1]'],
  ['let a = [1]; let f = || a; fn g() { push(this, 2); } a.g(); a', '[1]'],
  ['let a = [1]; let f = || a; [len(a), is_shared(a)]', '[1, true]'],
  ['let a = [[1]]; let f = || a; let b = pop(a); b.push(2); a', '[[1]]'],
]);

it('whose work is charged', () => {
  const source = 'let a = []; a.pad(9000, 1); let f = || a; for i in 0..40 { push(a, 1); } a.len';
  expect(evaluate(source)).toBe('9000');
  expect(failureOf(source, {}, { operations: 300_000 })).toContain('TooManyOperations');
});

checkFailures('what is lent to nobody', [
  ['fn f() { a } let a = 1; f()', 'VariableNotFound 1:10 Variable not found: a'],
  ['fn f() { a } f!(); let a = 1;', 'VariableNotFound 1:10 Variable not found: a'],
  ['fn f() { g() } fn g() { a } let a = 1; f!()', 'VariableNotFound 1:25 Variable not found: a'],
  ['const A = 1; fn f() { A = 2; } f!()', 'AssignmentToConstant 1:23 Cannot modify constant A'],
  ['let x = 1; x.f!()', `Syntax 1:15 A method can't be called with the variables of its caller: leave out the '!'`],
  ['f!;', "Syntax 1:3 Expecting '(' after '!', but found ';'"],
]);

checkFailures('a captured variable that is this of a function is used by nothing else', [
  [
    'let a = 20; let f = |x| { this += a + x }; a.call(f, 1); a',
    "DataRace 1:35 Data race detected when accessing variable 'a'",
  ],
  ['let a = 20; let f = || { a = 1; }; a.call(f)', "DataRace 1:26 Data race detected when accessing variable 'a'"],
  ['let a = [1]; let f = || a.push(2); a.call(f)', "DataRace 1:25 Data race detected when accessing variable 'a'"],
  [
    'let a = 1; let f = || a; fn g(f) { f.call() } a.g(f)',
    "DataRace 1:23 Data race detected when accessing variable 'a'",
  ],
]);

check('it is free again afterwards, and other variables are meanwhile', [
  ['let a = 1; let b = 40; let f = |x| { this += a + x }; b.call(f, 1); b', '42'],
  ['let a = 20; let f = |x| { this += a + x }; try { a.call(f, 1); } catch { a += 1; } a', '21'],
  ['let a = 1; let f = |x| a + x; fn g() { this += 1; } a.g(); f.call(0)', '2'],
]);

it('variables of one name in a block count once', () => {
  const lets = 'let x = 1; '.repeat(100);
  expect(evaluate(`${lets} x`)).toBe('1');
  expect(evaluate(`{ ${lets} } { ${lets} x }`)).toBe('1');
  const params = Array.from({ length: 51 }, (_, index) => `p${index}`);
  expect(failureOf(`fn f(${params.join(', ')}) {} f(${params.map(() => '1').join(', ')})`)).toContain(
    'TooManyVariables',
  );
});
