import { describe, expect, it } from 'vitest';
import { evaluate } from '../../tests/support/rhai.ts';
import { compileScript } from './script.ts';

type Table = [source: string, result: string][];

const check = (topic: string, table: Table) =>
  describe(topic, () => it.each(table)('%s gives %s', (source, result) => expect(evaluate(source)).toBe(result)));

check('statements and scopes', [
  ['', '()'],
  ['1; 2', '2'],
  ['1; 2;', '2'],
  ['let x = 5;', '()'],
  ['let x = 1; let x = x + 1; x', '2'],
  ['let x = 1; { let x = 2; } x', '1'],
  ['let x = 1; { x = 2; } x', '2'],
  ['let x; x', '()'],
  ['const X = 5; X + 1', '6'],
  ['let x = { let y = 2; y * 3 }; x', '6'],
  ['let x = 1 + { let y = 2; y } + 3; x', '6'],
  ['let a = [1]; let b = a; b.push(2); a', '[1]'],
  ['let a = #{x: [1]}; let b = a; b.x.push(2); a', '#{"x": [1]}'],
  ['let a = [1]; let b = [a, a]; b[0].push(2); b', '[[1, 2], [1]]'],
  ['let a = [1]; let b = { a }; b.push(2); a', '[1]'],
  ['let a = [1]; let b = if true { a } else { [] }; b.push(2); a', '[1]'],
  ['let a = [1]; let b = a ?? 0; b.push(2); a', '[1]'],
  ['is_def_var("x")', 'false'],
  ['let x = 1; is_def_var("x")', 'true'],
  ['{ let x = 1; } is_def_var("x")', 'false'],
  ['fn f() {} is_def_fn("f", 0)', 'true'],
  ['is_def_fn("f", 0)', 'false'],
  ['let x = 1; // a comment\nx /* another /* nested */ one */ + 1', '2'],
  ['/// doc\nfn f() { 1 }\n/** doc */ fn g() { 2 } f() + g()', '3'],
  ['return 5; 6', '5'],
  ['exit(3); 4', '3'],
  ['fn f() { exit("out"); } f(); 4', '"out"'],
  ['let _x1 = 3; _x1', '3'],
  ['let x = [1]; let y = take(x); [x, y]', '[(), [1]]'],
  ['let x = [[1], 2]; let y = x[0].take(); y.push(3); [x, y]', '[[(), 2], [1, 3]]'],
]);

check('conditions', [
  ['if true { 1 } else { 2 }', '1'],
  ['if false { 1 }', '()'],
  ['if false { 1 } else if true { 2 } else { 3 }', '2'],
  ['let x = if 1 > 2 { "a" } else { "b" }; x', '"b"'],
  ['true && false', 'false'],
  ['false && 1 / 0 == 1', 'false'],
  ['true || 1 / 0 == 1', 'true'],
  ['true & false | true', 'true'],
  ['true ^ true', 'false'],
  ['() ?? 1', '1'],
  ['0 ?? 1', '0'],
  ['let m = (); m?.a', '()'],
  ['let m = (); m?[0]', '()'],
  ['let m = #{}; m.a?.b ?? 5', '5'],
  ['let m = (); m?.len()', '()'],
]);

check('comparison', [
  ['1 == 1', 'true'],
  ['1 == "1"', 'false'],
  ['1 != "1"', 'true'],
  ['42 > "42"', 'false'],
  ['42 <= "42"', 'false'],
  ['"abc" < "abd"', 'true'],
  ['"b" > \'a\'', 'true'],
  ['"a" == \'a\'', 'true'],
  ['[1, [2]] == [1, [2.0]]', 'true'],
  ['#{a: 1} == #{a: 1}', 'true'],
  ['#{a: 1} == #{b: 1}', 'false'],
  ['() == ()', 'true'],
  ['() == false', 'false'],
  ['(0..3) == (0..=3)', 'false'],
  ['Fn("a") == Fn("a")', 'true'],
  ['true > false', 'true'],
  ['() <= ()', 'false'],
  ['[1] < 2', 'false'],
  ['0.0 / 0 == 0.0 / 0', 'false'],
]);

check('switch', [
  ['switch 2 { 1 => "one", 2 => "two", _ => "many" }', '"two"'],
  ['switch 9 { 1 => "one", _ => "many" }', '"many"'],
  ['switch 9 { 1 => "one" }', '()'],
  ['switch 3 { 1 | 2 => "few", 3 | 4 => "some" }', '"some"'],
  ['switch 5 { 0..5 => "low", 5..=9 => "high" }', '"high"'],
  ['switch -5 { -10..0 => "negative" }', '"negative"'],
  ['let x = 7; switch x { 7 if x > 10 => 1, 0..10 if x > 5 => 2, _ => 3 }', '2'],
  ['switch "a" { "a" => 1, "b" => 2 }', '1'],
  ["switch 'a' { 'a' => 1 }", '1'],
  ['switch \'a\' { "a" => 1, _ => 2 }', '2'],
  ['switch 2.5 { 0..2 => "low", 2..=3 => "high" }', '"high"'],
  ['switch Decimal("2.5") { 2..3 => "high", _ => "other" }', '"high"'],
  ['switch Decimal(2) { 2 => "int", _ => "decimal" }', '"decimal"'],
  ['switch 1.0 { 1 => "int", 1.0 => "float" }', '"float"'],
  ['switch true { true => 1, false => 2 }', '1'],
  ['switch () { () => 1 }', '1'],
  ['switch [1, "a"] { [1, "a"] => 1, _ => 2 }', '1'],
  ['switch #{a: 1} { #{a: 1} => 1, _ => 2 }', '1'],
  ['switch 1 { 1 => { let y = 2; y } 2 => 3 }', '2'],
  ['let x = switch 1 { 1 => 10, _ => 20 } + 1; x', '11'],
  ['fn f(x) { switch x { 1 => return "early", _ => () } "late" } f(1) + f(2)', '"earlylate"'],
  ['let s = 0; for i in 0..4 { switch i { 1 => continue, 3 => break, _ => s += 10 } s += 1; } s', '22'],
]);

check('loops', [
  ['let i = 0; while i < 5 { i += 1; } i', '5'],
  ['let i = 0; loop { i += 1; if i == 3 { break; } } i', '3'],
  ['let i = 0; do { i += 1; } while i < 5; i', '5'],
  ['let i = 0; do { i += 1; } until i >= 5; i', '5'],
  ['let s = 0; for i in 0..5 { s += i; } s', '10'],
  ['let s = 0; for i in 0..=5 { s += i; } s', '15'],
  ['let s = 0; for i in 5..0 { s += i; } s', '0'],
  ['let s = ""; for (c, i) in "abc" { s += `${i}${c}`; } s', '"0a1b2c"'],
  ['let s = 0; for x in [1, 2, 3] { s += x; } s', '6'],
  ['let a = [[1], [2]]; for x in a { x.push(9); } a', '[[1], [2]]'],
  ['let a = [1, 2]; for x in a { a.push(x); } a', '[1, 2, 1, 2]'],
  ['let s = 0; for i in range(0, 10, 3) { s += i; } s', '18'],
  ['let s = []; for i in range(5, 0, -2) { s += i; } s', '[5, 3, 1]'],
  ['let s = []; for i in range(0.0, 1.0, 0.5) { s += i; } s', '[0.0, 0.5]'],
  ['let s = 0; for k in #{b: 1, a: 2}.keys() { s += k.len; } s', '2'],
  ['let s = ""; for k in #{b: 1, a: 2}.keys() { s += k; } s', '"ba"'],
  ['let s = 0; for b in blob(3, 2) { s += b; } s', '6'],
  ['let s = ""; for c in "hello".chars(1, 3) { s += c; } s', '"ell"'],
  ['let s = 0; for i in 0..10 { if i % 2 == 0 { continue; } s += i; } s', '25'],
  ['let x = loop { break 42; }; x', '42'],
  ['let x = for i in 0..9 { if i == 4 { break i * 2; } }; x', '8'],
  ['let x = while true { break "w"; }; x', '"w"'],
  ['let x = while false { }; x', '()'],
  ['let n = 0; for i in 0..3 { for j in 0..3 { if j == 1 { break; } n += 1; } } n', '3'],
  ['let n = 0; for i in 0..3 { let x = if i == 1 { continue } else { i }; n += x; } n', '2'],
  ['let n = 0; loop { n += 1 + { if n > 4 { break; } 1 }; } n', '6'],
  ['fn f() { for i in 0..9 { loop { return i + 7; } } } f()', '7'],
  ['fn f() { let x = loop { return 3; }; 4 } f()', '3'],
  ['let s = 0; for i in 9223372036854775805..=9223372036854775807 { s += 1; } s', '3'],
]);

check('functions', [
  ['fn add(a, b) { a + b } add(1, 2)', '3'],
  ['add(1, 2); fn add(a, b) { a + b }', '3'],
  ['fn f(a) { "one" } fn f(a, b) { "two" } f(1) + f(1, 2)', '"onetwo"'],
  ['fn fact(n) { if n <= 1 { 1 } else { n * fact(n - 1) } } fact(20)', '2432902008176640000'],
  ['fn even(n) { n == 0 || odd(n - 1) } fn odd(n) { n != 0 && even(n - 1) } even(10)', 'true'],
  ['fn change(a) { a.push(1); a } let x = []; change(x); x', '[]'],
  ['fn change() { this.push(1); } let x = []; x.change(); x', '[1]'],
  ['fn change() { this = 42; } let x = 500; x.change(); x', '42'],
  ['fn inc(n) { this += n; } let a = #{v: [1, 2]}; a.v[1].inc(5); a', '#{"v": [1, 7]}'],
  ['fn int.twice() { this * 2 } 4.twice()', '8'],
  [
    'fn int.kind() { "int" } fn "string".kind() { "text" } fn kind() { "other" } [1.kind(), "".kind(), 1.5.kind()]',
    '["int", "text", "other"]',
  ],
  ['fn float.add(x) { this += x; } let x = 1.5; x.add(1); x', '2.5'],
  ['fn int.len() { "mine" } "abc".len() + 5.len()', '"3mine"'],
  ['fn map.total() { this.values().reduce(|s, x| s + x, 0) } #{a: 1, b: 2}.total()', '3'],
  ['fn int.plus(x) { this + x } let f = Fn("plus"); 1.call(f, 2)', '3'],
  ['fn get() { this } let a = [1]; let b = a.get(); b.push(2); a', '[1]'],
  ['fn f(x) { return x * 2; 9 } f(4)', '8'],
  ['fn f() { } f()', '()'],
  ['private fn f() { 1 } f()', '1'],
  ['fn len(x) { "mine" } len([1])', '"mine"'],
  ['const A = 3; fn f() { global::A * 2 } f()', '6'],
  ['fn f(x) { x += 1; x } let y = 1; f(y) + y', '3'],
  ['let x = [1, 2]; push(x, 3); x', '[1, 2, 3]'],
  ['len("abc")', '3'],
]);

check('closures and function pointers', [
  ['let f = |x| x * 2; f.call(4)', '8'],
  ['let f = |x, y| { x - y }; f.call(4, 1)', '3'],
  ['let f = || 42; f.call()', '42'],
  ['call(|x| x + 1, 2)', '3'],
  ['let x = 1; let f = |y| x + y; x = 40; f.call(2)', '42'],
  ['let x = 1; let f = |y| { x += y; }; f.call(2); f.call(3); x', '6'],
  ['let c = 0; let inc = || { c += 1; c }; let get = || c; inc.call(); inc.call(); get.call()', '2'],
  ['let fs = []; for i in 0..3 { fs.push(|| i); } fs[0].call()', '2'],
  ['let fs = []; for i in 0..3 { let j = i; fs.push(|| j); } fs[0].call()', '0'],
  ['let x = 1; let f = |y| |z| x + y + z; f.call(2).call(3)', '6'],
  ['fn make(n) { |x| x + n } make(3).call(4)', '7'],
  ['let a = [1]; let f = || a.push(2); f.call(); a', '[1, 2]'],
  ['fn foo(x) { 41 + x } let f = Fn("foo"); f.call(1)', '42'],
  ['fn foo(x) { 41 + x } call(Fn("foo"), 1)', '42'],
  ['Fn("len").call("hello")', '5'],
  ['fn sub(a, b) { a - b } let f = Fn("sub").curry(10); f.call(3)', '7'],
  ['let f = |a, b, c| a + b + c; f.curry(1, 2).call(3)', '6'],
  ['fn add(x) { this += x; } let x = 41; x.call(Fn("add"), 1); x', '42'],
  ['let x = 5; x.call(|y| this * y, 3)', '15'],
  ['let o = #{v: 3, f: |x| this.v * x}; o.f(5)', '15'],
  ['let o = #{v: 1, inc: || this.v += 1}; o.inc(); o.inc(); o.v', '3'],
  ['Fn("foo").name', '"foo"'],
  ['(|| 1).is_anonymous', 'true'],
  ['type_of(Fn("foo"))', '"Fn"'],
  ['let f = |x| { let f2 = |y| y * 2; f2.call(x) + 1 }; f.call(5)', '11'],
  ['let x = 1; let f = |x| x; f.call(2)', '2'],
]);

/** Checks the value that a script catches when `body` fails. */
const catches = (topic: string, table: Table) =>
  check(topic, table.map(([body, caught]) => [`let c; try { ${body} } catch (e) { c = e; } c`, caught]));

catches('errors that a script catches', [
  ['throw 42;', '42'],
  ['throw #{code: 7};', '#{"code": 7}'],
  ['throw;', '()'],
  ['try { throw 1; } catch (e) { throw; }', '1'],
  ['try { throw 1; } catch (e) { throw (); }', '1'],
  ['try { throw 1; } catch (e) { throw 10; }', '10'],
  ['try { throw 1; } catch { try { throw; } catch (e) { throw e ?? "none"; } }', '"none"'],
  ['let f = || { throw "deep"; }; f.call()', '"deep"'],
  [
    '1 / 0',
    '#{"message": "Division by zero: 1 / 0", "line": 1, "position": 16, "error": "ErrorArithmetic"}',
  ],
  [
    '\n  nothing',
    '#{"message": "Variable not found: nothing", "line": 2, "position": 3, "error": "ErrorVariableNotFound", ' +
    '"variable": "nothing"}',
  ],
  [
    'f(1)',
    '#{"message": "Function not found: f (i64)", "line": 1, "position": 14, "error": "ErrorFunctionNotFound", ' +
    '"function": "f (i64)"}',
  ],
  [
    '[4].map(|x| x / 0)',
    '#{"message": "Division by zero: 4 / 0 (line 1, position 28)\\nin closure call", "line": 1, "position": 18, ' +
    '"error": "ErrorInFunctionCall", "function": "anon$1", "source": ""}',
  ],
  [
    '[1][-5]',
    '#{"message": "Array index -5 out of bounds: only 1 element in array", "line": 1, "position": 18, ' +
    '"error": "ErrorArrayBounds", "length": 1, "index": -5}',
  ],
  [
    'let n = 1; if n { }',
    '#{"message": "Data type incorrect: i64 (expecting bool)", "line": 1, "position": 28, ' +
    '"error": "ErrorMismatchDataType", "requested": "bool", "actual": "i64"}',
  ],
]);

check('try and catch', [
  ['try { 5 } catch (e) { 6 }', '5'],
  ['try { 1 / 0 } catch { "the value of a clause is lost" }', '()'],
  ['fn f() { try { return 1; } catch { } 2 } f()', '1'],
  ['fn f() { try { throw 1; } catch { return 3; } 2 } f()', '3'],
  ['let n = 0; for i in 0..5 { try { if i == 2 { continue; } if i == 4 { break; } n += i; } catch { } } n', '4'],
  ['let e = 1; try { throw 2; } catch (e) { } e', '1'],
  ['fn f(n) { if n == 0 { throw "x"; } f(n - 1) } for i in 0..300 { try { f(200) } catch { } } "ok"', '"ok"'],
  ['throw_it(); fn throw_it() { try { throw (); } catch (e) { return e == (); } }', 'true'],
]);

describe('the caller of a script', () => {
  const run = (source: string, options: Parameters<ReturnType<typeof compileScript>['run']>[0]) =>
    compileScript(source).run(options);

  it('gives it variables and constants, and gets the variables of the top level', () => {
    const { value, variables } = run('let c = a + B; a = 10; { let hidden = 1; } const D = 4; c', {
      variables: [['a', 1]],
      constants: [['B', 2]],
    });
    expect(value).toBe(3);
    expect([...variables]).toEqual([['a', 10], ['B', 2], ['c', 3], ['D', 4]]);
  });

  it('gives variables that closures see and functions do not', () => {
    expect(() => run('fn f() { a } f()', { variables: [['a', 1]] })).toThrow('Variable not found: a');
    expect(run('let f = || a; f.call()', { variables: [['a', 1]] }).value).toBe(1);
    expect(run('is_def_var("a")', { variables: [['a', 1]] }).value).toBe(true);
    expect(run('fn f() { is_def_var("a") } f()', { variables: [['a', 1]] }).value).toBe(false);
  });

  it('gets only the variables that a script defined before it returned early', () => {
    expect([...run('let a = 1; if a == 1 { return; } let b = 2;', {}).variables]).toEqual([['a', 1]]);
    expect([...run('let a = 1; return; let a = 2;', {}).variables]).toEqual([['a', 1]]);
  });

  it('gets printed and debugged texts with their positions', () => {
    const seen: unknown[] = [];
    run('print("a" + 1); print([\'b\', ()]); print();\ndebug("c");', {
      onPrint: (text) => seen.push(text),
      onDebug: (text, at) => seen.push([text, at]),
    });
    expect(seen).toEqual(['a1', "['b', ()]", '', ['"c"', { line: 2, column: 1 }]]);
  });

  it('sets the time', () => {
    expect(run('utc_now()', { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) }).value).toBe('2026-01-02T03:04:05.006Z');
  });

  it('sets the source of randomness', () => {
    const random = () => 0.5;
    expect(run('rand(1, 6)', { random }).value).toBeGreaterThanOrEqual(1);
    expect(evaluate('[rand_float(), rand_bool(), rand_bool(0.9)]', { random })).toBe('[0.5, false, true]');
    expect(evaluate('rand_float(2.0, 4.0)', { random })).toBe('3.0');
    expect(evaluate('[rand::rand(1, 6) in 1..=6, rand::rand_float(2.0, 4.0), rand::sample([7])]', { random }))
      .toBe('[true, 3.0, 7]');
    expect(evaluate('[1, 2, 3, 4].sample()', { random })).toBe('3');
    expect(evaluate('let a = [1, 2, 3, 4]; a.shuffle(); a.sort(); a', { random: Math.random })).toBe('[1, 2, 3, 4]');
    expect(evaluate('[1, 2, 3].sample(2).len', { random })).toBe('2');
    expect(evaluate('let d = rand_decimal(1, 3); d >= 1 && d < 3', { random })).toBe('true');
    for (
      const source of [
        'rand(3..5) in 3..5',
        'rand(3..=5) in 3..=5',
        'rand(-5, 5) in -5..=5',
        'type_of(rand()) == "i64"',
      ]
    ) {
      for (let times = 0; times < 50; times++) expect(evaluate(source)).toBe('true');
    }
  });

  it('can run the script again from the start', () => {
    const script = compileScript('let a = [1]; a.push(2); a.len');
    expect([script.run().value, script.run().value]).toEqual([2, 2]);
  });
});
