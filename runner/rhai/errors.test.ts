import { describe, expect, it } from 'vitest';
import { failureOf } from '../../tests/support/rhai.ts';
import { RhaiError } from './errors.ts';
import { compileScript } from './script.ts';
import { RhaiMap } from './values.ts';

type Table = [source: string, failure: string][];

const check = (topic: string, table: Table) =>
  describe(topic, () => it.each(table)('%s fails: %s', (source, failure) => expect(failureOf(source)).toBe(failure)));

check('what is not a script', [
  ['let x = ;', "Syntax 1:9 Expecting an expression, but found ';'"],
  ['1 +', 'Syntax 1:4 Expecting an expression, but the script ends here'],
  ['let x = 1\nlet y = 2;', "Syntax 2:1 Expecting ';' to end the statement, but found 'let'"],
  ['(1', "Syntax 1:3 Expecting ')' to close the parentheses, but the script ends here"],
  ['{ 1', "Syntax 1:4 Expecting '}' to end the block, but the script ends here"],
  ['[1 2]', "Syntax 1:4 Expecting ',' after an element of the list, but found a number"],
  ['#{a 1}', "Syntax 1:5 Expecting ':' after the name of a property, but found a number"],
  ['#{a: 1, a: 2}', 'Syntax 1:9 The property "a" is already defined'],
  ['"abc', 'Syntax 1:1 The string is not closed'],
  ['1 + ##"abc"#', 'Syntax 1:5 The string is not closed'],
  ['1 (* 2', "Syntax 1:3 '(*' is a reserved symbol"],
  ['"a\nb"', 'Syntax 1:1 The string is not closed'],
  ['`abc', 'Syntax 1:1 The string is not closed'],
  ['`${1', "Syntax 1:5 Expecting '}' to end the expression in the string, but the script ends here"],
  ["'ab'", 'Syntax 1:1 A character literal must hold exactly one character'],
  ['"\\q"', "Syntax 1:2 Invalid escape sequence: '\\q'"],
  ['"\\ud800"', "Syntax 1:2 Invalid escape sequence: '\\ud800'"],
  ['/* /* */', 'Syntax 1:1 The comment is not closed'],
  ['0xfffffffffffffffff', 'Syntax 1:1 Malformed number: 0xfffffffffffffffff'],
  ['12abc', 'Syntax 1:1 Malformed number'],
  ['1 === 1', "Syntax 1:3 '===' is a reserved symbol"],
  ['x++', "Syntax 1:2 '++' is a reserved symbol"],
  ['let x = 1; \u00a7', 'Syntax 1:12 Unexpected character "\u00a7"'],
  ['"😀"; ?', "Syntax 1:6 '?' is a reserved symbol"],
  ['let var = 1;', "Syntax 1:5 'var' is a reserved keyword"],
  ['let if = 1;', "Syntax 1:5 Expecting the name of a variable, but found 'if'"],
  ['1 = 2', 'Syntax 1:1 Cannot assign to this expression'],
  ['f() = 2', 'Syntax 1:1 Cannot assign to this expression'],
  ['let x = y = 1;', "Syntax 1:11 Expecting ';' to end the statement, but found '='"],
  ['break;', "Syntax 1:1 'break' must be within a loop"],
  ['loop { || continue }', "Syntax 1:11 'continue' must be within a loop"],
  ['fn f(a, a) {}', "Syntax 1:9 The parameter 'a' is already defined"],
  ['fn f(a) {} fn f(b) {}', "Syntax 1:12 The function 'f' is already defined for this number of parameters (1)"],
  [
    'fn int.f(a) {} fn i64.f(b) {}',
    "Syntax 1:16 The function 'i64.f' is already defined for this number of parameters (1)",
  ],
  ['fn "int" f() {}', "Syntax 1:10 Expecting '.' after the type of 'this', but found 'f'"],
  ['{ fn f() {} }', 'Syntax 1:3 Functions can only be defined at the top level'],
  ['fn f() { fn g() {} }', 'Syntax 1:10 Functions can only be defined at the top level'],
  ['switch 1 { _ => 1, 2 => 3 }', 'Syntax 1:20 The default case must be the last'],
  ['switch 1 { _ if true => 1 }', 'Syntax 1:14 The default case takes no condition'],
  ['switch 1 { x => 1 }', "Syntax 1:12 The cases of 'switch' must be literals"],
  ['switch 1 { 0..5 => 1, 7 => 2 }', 'Syntax 1:23 Cases of numbers must come before those of ranges'],
  ['for (a, a) in [] {}', "Syntax 1:1 The variable 'a' is already defined"],
  ['if true 1', "Syntax 1:9 Expecting '{' after the condition of 'if', but found a number"],
  ['try { }', "Syntax 1:8 Expecting 'catch' after the block of 'try', but the script ends here"],
  ['const X = 1; X = 2', 'AssignmentToConstant 1:14 Cannot modify constant X'],
  ['const X = [1]; X[0] = 2', 'AssignmentToConstant 1:16 Cannot modify constant X'],
  ['const X = #{}; X.a += 2', 'AssignmentToConstant 1:16 Cannot modify constant X'],
]);

check('what reaches outside', [
  ['import "fs" as fs;', "Syntax 1:1 'import' is not available: a script can't import, export or evaluate code"],
  ['export let x = 1;', "Syntax 1:1 'export' is not available: a script can't import, export or evaluate code"],
  ['eval("1")', "Syntax 1:1 'eval' is not available: a script can't import, export or evaluate code"],
  ['rand::seed(1)', "Syntax 1:7 The module 'rand' has no function 'seed'"],
  ['rand::rand', "Syntax 1:11 Expecting '(' after the name of a function, but the script ends here"],
  ['std::print(1)', "Syntax 1:1 'std::' is not available: scripts can't use modules"],
  ['globalThis', 'VariableNotFound 1:1 Variable not found: globalThis'],
  ['process.exit(1)', 'VariableNotFound 1:1 Variable not found: process'],
  ['constructor', 'VariableNotFound 1:1 Variable not found: constructor'],
  ['__proto__', 'VariableNotFound 1:1 Variable not found: __proto__'],
  ['hasOwnProperty("a")', 'FunctionNotFound 1:1 Function not found: hasOwnProperty (&str | ImmutableString | String)'],
  ['constructor(1)', 'FunctionNotFound 1:1 Function not found: constructor (i64)'],
  ['[].constructor', "DotExpr 1:4 Unknown property 'constructor' - a getter is not registered for type 'array'"],
  ['"".__proto__', "DotExpr 1:4 Unknown property '__proto__' - a getter is not registered for type 'string'"],
  ['(1).toString()', 'FunctionNotFound 1:5 Function not found: toString (i64)'],
  [
    'let a = []; a.__proto__ = 1',
    "DotExpr 1:15 Unknown property '__proto__' - a getter is not registered for type 'array'",
  ],
  [
    '#{}.constructor("x")',
    'FunctionNotFound 1:5 Function not found: constructor (map, &str | ImmutableString | String)',
  ],
  ['(|x| x).constructor', "DotExpr 1:9 Unknown property 'constructor' - a getter is not registered for type 'Fn'"],
  ['Fn("constructor").call()', 'FunctionNotFound 1:19 Function not found: constructor ()'],
  ['Fn("__proto__").call([])', 'FunctionNotFound 1:17 Function not found: __proto__ (array)'],
  ['[1].map("valueOf")', 'FunctionNotFound 1:5 Function not found: valueOf (i64)'],
  ['blob(1).buffer', "DotExpr 1:9 Unknown property 'buffer' - a getter is not registered for type 'blob'"],
  ['let a = []; a["length"]', 'MismatchDataType 1:15 Data type incorrect: string (expecting i64)'],
]);

check('running into errors', [
  ['let x = 1;\n  y + x', 'VariableNotFound 2:3 Variable not found: y'],
  ['x = 1;', 'VariableNotFound 1:1 Variable not found: x'],
  ['{ let x = 1; } x', 'VariableNotFound 1:16 Variable not found: x'],
  ['let x = 1; fn f() { x } f()', 'VariableNotFound 1:21 Variable not found: x'],
  ['let f = || q; 1', 'VariableNotFound 1:9 Variable not found: q'],
  ['fn f() { global::A } f()', 'VariableNotFound 1:10 Variable not found: global::A'],
  ['foo(1, "a")', 'FunctionNotFound 1:1 Function not found: foo (i64, &str | ImmutableString | String)'],
  ['fn f(a) {} f()', 'FunctionNotFound 1:12 Function not found: f ()'],
  ['let f = |x| x; f.call()', 'FunctionNotFound 1:18 Function not found: anon$1 ()'],
  ['fn int.f() {} "a".f()', 'FunctionNotFound 1:19 Function not found: f (&str | ImmutableString | String)'],
  ['fn int.f() {} f()', 'FunctionNotFound 1:15 Function not found: f ()'],
  ['[1].push()', 'FunctionNotFound 1:5 Function not found: push (array)'],
  [
    '[1].insert("a", 1)',
    'FunctionNotFound 1:5 Function not found: insert (array, &str | ImmutableString | String, i64)',
  ],
  ['Fn("1x")', 'FunctionNotFound 1:1 Invalid function name: "1x"'],
  ['(|| this).call()', "UnboundThis 1:5 'this' not bound"],
  ['fn f() { this += 1; } f()', "UnboundThis 1:10 'this' not bound"],
  ['let n = 1; if n { }', 'MismatchDataType 1:15 Data type incorrect: i64 (expecting bool)'],
  ['let s = "x"; while s { }', 'MismatchDataType 1:20 Data type incorrect: string (expecting bool)'],
  ['let n = 1; n && true', 'MismatchDataType 1:12 Data type incorrect: i64 (expecting bool)'],
  ['[2, 1].sort(|x, y| "x")', 'MismatchDataType 1:8 Data type incorrect: string (expecting i64)'],
  [
    'let a = [1, "a"]; a.sort()',
    'FunctionNotFound 1:21 Function not found: sort() cannot be called with elements of different types',
  ],
  ['let s = "abc"; s[0] = "xy"', 'MismatchDataType 1:21 Data type incorrect: string (expecting char)'],
  ['let b = blob(1); b[0] = "x"', 'MismatchDataType 1:23 Data type incorrect: string (expecting i64)'],
  ['[][0]', 'ArrayBounds 1:4 Array index 0 out of bounds: array is empty'],
  ['[1, 2][-3]', 'ArrayBounds 1:8 Array index -3 out of bounds: only 2 elements in array'],
  ['"a"[1]', 'StringBounds 1:5 String index 1 out of bounds: only 1 character in string'],
  ['let a = [1]; a["a"]', 'MismatchDataType 1:16 Data type incorrect: string (expecting i64)'],
  ['let m = #{a: 1}; m[0]', 'MismatchDataType 1:20 Data type incorrect: i64 (expecting string)'],
  ['5[64]', 'BitFieldBounds 1:3 Bit-field index 64 out of bounds: only 64 bits in bit-field'],
  ['5[60..65]', 'BitFieldBounds 1:5 Bit-field index 65 out of bounds: only 64 bits in bit-field'],
  ['let n = 5; n["a"]', 'MismatchDataType 1:14 Data type incorrect: string (expecting i64)'],
  ['let x = 5; x[0] = 1', 'MismatchDataType 1:17 Data type incorrect: i64 (expecting bool)'],
  ['const X = 5; X[0] = false', 'AssignmentToConstant 1:14 Cannot modify constant X'],
  ['let t = true; t[0]', 'IndexingType 1:17 Indexer unavailable: bool [i64]'],
  ['().foo', "DotExpr 1:4 Unknown property 'foo' - a getter is not registered for type '()'"],
  ['let m = #{}; m.a.b', "DotExpr 1:18 Unknown property 'b' - a getter is not registered for type '()'"],
  ['let x = 5; x.is_odd = true', "DotExpr 1:14 Property 'is_odd' can't be assigned to"],
  ['for x in 5 { }', 'For 1:10 For loop expects iterable type, not i64'],
  ['for x in #{} { }', 'For 1:10 For loop expects iterable type, not map'],
  ['const X = [1]; X.push(2)', "NonPureMethodCallOnConstant 1:18 Non-pure method 'push' cannot be called on constant"],
  ['throw "no"', 'Runtime 1:1 Runtime error: no'],
  ['throw', 'Runtime 1:1 Runtime error'],
  ['throw [1]', 'Runtime 1:1 Runtime error: [1]'],
  ['try { throw 1; } catch (e) { throw; }', 'Runtime 1:30 Runtime error: 1'],
  ['try { throw 1; } catch (e) { throw (); }', 'Runtime 1:30 Runtime error: 1'],
  ['try { 1 / 0 } catch { if true { throw; } }', 'Arithmetic 1:33 Division by zero: 1 / 0'],
  ['const X = 1; X.take()', "NonPureMethodCallOnConstant 1:16 Non-pure method 'take' cannot be called on constant"],
  ['#{a: 1}.filter(1)', 'FunctionNotFound 1:9 Function not found: filter (map, i64)'],
  [
    'let m = #{a: 1}; m.filter(|k| m.b = 2)',
    'DataRace 1:35 Data race detected: a function is going through the array or object map',
  ],
  ['rand(5, 1)', 'Runtime 1:1 The range 5..=1 is empty'],
  [
    'let a = [1]; a.map(|x| a.push(x))',
    'DataRace 1:26 Data race detected: a function is going through the array or object map',
  ],
  [
    'let a = [2, 1]; a.sort(|x, y| { a[0] = 1; 0 })',
    'DataRace 1:38 Data race detected: a function is going through the array or object map',
  ],
]);

describe('limits', () => {
  it.each<[string, string]>([
    ['loop { }', 'TooManyOperations 1:1 Too many operations: more than 10000000'],
    ['fn f() { f() } f()', 'StackOverflow 1:10 Stack overflow: too many calls within each other'],
    ['let f = #{}; f.g = || this.g(); f.g()', 'StackOverflow 1:28 Stack overflow: too many calls within each other'],
    ['fn f(x) { [x].map(|y| f(y)) } f(1)', 'StackOverflow'],
    ['fn f(x) { try { f(x) } catch { 1 } } f(1)', 'StackOverflow'],
    ['let s = "x"; loop { s += s; }', 'DataTooLarge 1:23 Length of string too large: more than 50000 characters'],
    ['let s = "x"; s.pad(50001, "y")', 'DataTooLarge'],
    ['let s = "x"; s.pad(9223372036854775807, "y")', 'DataTooLarge'],
    ['let s = ""; s.pad(50000, "a"); s.replace("a", "bb")', 'DataTooLarge'],
    ['let s = ""; s.pad(50000, "a"); `${s}${s}`', 'DataTooLarge'],
    ['let a = []; loop { a.push(1); }', 'DataTooLarge 1:22 Size of array/BLOB too large: more than 10000 elements'],
    ['let a = [1]; loop { a += a; }', 'DataTooLarge'],
    ['let a = [1]; loop { a = a + a; }', 'DataTooLarge'],
    ['let a = []; a.pad(10001, 0)', 'DataTooLarge'],
    ['let a = []; a.pad(9223372036854775807, 0)', 'DataTooLarge'],
    ['blob(10001)', 'DataTooLarge'],
    ['let a = []; a.pad(100, 0); let b = []; b.pad(101, a)', 'DataTooLarge'],
    ['let a = [[], []]; loop { a[0].push(1); a[1].push(1); }', 'DataTooLarge'],
    ['let m = #{}; let i = 0; loop { m[`${i}`] = i; i += 1; }', 'DataTooLarge'],
    ['let s = ""; s.pad(30000, "a"); [s, s]', 'DataTooLarge'],
    ['let s = ""; s.pad(30000, "a"); let a = [s]; let m = #{a: a}; m.a.push(s)', 'DataTooLarge'],
    [
      'let a = []; loop { a = [a]; }',
      'DataTooLarge 1:24 Data too deep: more than 64 arrays and maps within each other',
    ],
    ['parse_json("{")', 'Runtime 1:1 Runtime error: the text is not JSON: '],
    ['let s = ""; s.pad(50000, "["); parse_json(s)', 'Runtime'],
    ['let s = ""; s.pad(70, "["); let e = ""; e.pad(70, "]"); parse_json(s + e)', 'DataTooLarge 1:57 Data too deep'],
    ['"a".to_chars().len; let s = ""; s.pad(20000, "a"); s.to_chars()', 'DataTooLarge'],
  ])('%s ends: %s', (source, failure) => {
    const found = failureOf(source);
    expect(found.startsWith(failure), found).toBe(true);
  });

  // An endless script ends when it has used all its operations. A lower limit makes this test short.
  it.each<[string, string]>([
    ['while true { 1 }', '1:14'],
    ['let i = 0; do { i += 1; } until false', '1:19'],
    ['for i in 0..999999999999 { }', '1:1'],
    ['fn f(n) { if n > 1 { f(n - 1) + f(n - 2) } else { 1 } } f(60)', '1:'],
  ])('%s ends at %s when its operations are used up', (source, place) => {
    const found = failureOf(source, undefined, { operations: 100_000 });
    expect(found.startsWith(`TooManyOperations ${place}`), found).toBe(true);
    expect(found).toMatch(/ Too many operations: more than 100000$/);
  });

  it('do not refuse allowed sizes', () => {
    const source = `
      fn depth(n) { if n == 0 { 0 } else { 1 + depth(n - 1) } }
      let s = ""; s.pad(50000, "a");
      let a = []; a.pad(10000, 1);
      for i in 0..100000 { a.push(a.pop()); a[i % 10000] = i; }
      [depth(255), s.len, a.len]`;
    expect(String((compileScript(source).run().value as { items?: unknown[] }).items)).toBe('255,50000,10000');
  });

  it('end calls that are too deep even if each function is long', () => {
    const body = (inner: string) => `${'if true { '.repeat(20)}${inner}${' }'.repeat(20)}`;
    expect(failureOf(`fn f(n) { ${body('[n].map(|x| f(x + 1))')} } f(0)`)).toContain('StackOverflow');
  });

  it('count the variables of the script and of each function, with those given by the caller', () => {
    const lets = (count: number) => Array.from({ length: count }, (_, index) => `let v${index} = 1;`).join('\n');
    expect(compileScript(`${lets(50)} 7`).run().value).toBe(7);
    expect(failureOf(lets(51))).toBe('TooManyVariables 51:1 Too many variables defined: more than 50');
    expect(failureOf(lets(50), { variables: [['a', 1]] })).toBe(
      'TooManyVariables 50:1 Too many variables defined: more than 50',
    );
    expect(failureOf(`fn f() { ${lets(51)} } f()`)).toContain('TooManyVariables 51:1');
    expect(compileScript(`for i in 0..100 { ${lets(20)} } fn f() { ${lets(50)} 5 } f()`).run().value).toBe(5);
  });

  it.each([
    ['parentheses', '('.repeat(10_000)],
    ['brackets', '['.repeat(10_000)],
    ['blocks', '{'.repeat(10_000)],
    ['minus signs', '- '.repeat(10_000)],
    ['negations', '!'.repeat(10_000)],
    ['powers', '2 ** '.repeat(10_000)],
    ['closures', '|x| '.repeat(10_000)],
    ['calls', 'f('.repeat(10_000)],
    ['conditions', 'if true {'.repeat(10_000)],
    ['maps', '#{a:'.repeat(10_000)],
    ['strings', '`${'.repeat(10_000)],
    ['comments', '/*'.repeat(10_000)],
    ['sums', '1 + '.repeat(10_000)],
    ['methods', `x${'.a()'.repeat(10_000)}`],
    ['switches', 'switch 1 { 1 => '.repeat(10_000)],
  ])('%s that are nested far too deep are a syntax error', (_, source) => {
    expect(failureOf(source)).toMatch(/^Syntax /);
  });

  it('report progress every few thousand operations to the caller, who can end the script for good', () => {
    const seen: number[] = [];
    const stop = new Error('stop');
    const onProgress = (operations: number) => {
      seen.push(operations);
      if (seen.length === 5) throw stop;
    };
    const script = compileScript('loop { try { loop { 1 + 1; } } catch { } }');
    expect(() => script.run({ onProgress })).toThrow(stop);
    expect(seen).toHaveLength(5);
    expect(Math.max(...seen)).toBeLessThan(50_000);
  });
});

describe('the message of an error', () => {
  it.each<[string, string]>([
    [
      'fn f(x) {\n  1 / x\n}\nfn g() { f(0) }\n g()',
      [
        'Division by zero: 1 / 0 (line 2, position 5)',
        "in call to function 'f' (line 4, position 10)",
        "in call to function 'g' (line 5, position 2)",
      ].join('\n'),
    ],
    [
      'let f = |x| x / 0;\n[1].map(f)',
      [
        'Division by zero: 1 / 0 (line 1, position 15)',
        'in closure call (line 2, position 5)',
      ].join('\n'),
    ],
    [
      'fn f() { throw "no"; } try { f(); } catch { throw; }',
      [
        'Runtime error: no (line 1, position 10)',
        "in call to function 'f' (line 1, position 45)",
      ].join('\n'),
    ],
    [
      'fn f() { try { g() } catch { throw; } } fn g() { h() } fn h() { 1 + () } f()',
      [
        'Function not found: + (i64, ()) (line 1, position 67)',
        "in call to function 'h' (line 1, position 50)",
        "in call to function 'g' (line 1, position 30)",
        "in call to function 'f' (line 1, position 74)",
      ].join('\n'),
    ],
    ['fn f() { loop { } } f()', 'Too many operations: more than 10000000 (line 1, position 10)'],
  ])('of %j lists the calls that the error passed through', (source, message) => {
    expect(() => compileScript(source).run()).toThrow(expect.objectContaining({ message }));
  });
});

it('an error has its kind, position and reason, and the thrown value', () => {
  try {
    compileScript('\n  throw #{a: 1};').run();
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(RhaiError);
    expect(error).toMatchObject({
      kind: 'Runtime',
      line: 2,
      column: 3,
      message: 'Runtime error: #{"a": 1} (line 2, position 3)',
    });
    expect((error as RhaiError).thrown).toBeInstanceOf(RhaiMap);
  }
});
