import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { evaluate, failureOf } from '../../tests/support/rhai.ts';

type Table = [source: string, result: string][];

const check = (topic: string, table: Table, options?: Parameters<typeof evaluate>[1]) =>
  describe(
    topic,
    () => it.each(table)('%s gives %s', (source, result) => expect(evaluate(source, options)).toBe(result)),
  );

check('parts of texts by ranges', [
  ['let s = "abcde"; crop(s, 1..3); s', '"bc"'],
  ['let s = "abcde"; s.crop(1..=3); s', '"bcd"'],
  ['let s = "abcde"; s.crop(-9..2); s', '"ab"'],
  ['let s = "abcde"; s.crop(3..1); s', '""'],
  ['let s = "a😀cd😀"; s.crop(1..=2); s', '"😀c"'],
  ['sub_string("a😀cd😀", 1..=9)', '"😀cd😀"'],
  ['sub_string("abc", -5..2)', '"ab"'],
  ['let t = ""; for c in chars("hello", 2..=3) { t += c; } t', '"ll"'],
  ['let t = ""; for c in "h😀llo".chars(1..3) { t += c; } t', '"😀l"'],
]);

check('characters beyond 16 bits', [
  ['"a😀b😀".get(-1)', "'😀'"],
  ['"a😀b".get(-9)', '()'],
  ['"a😀b".get(3)', '()'],
  ['let s = "a😀b😀"; s.pop()', "'😀'"],
  ['let s = "a😀b😀"; s.pop(3); s', '"a"'],
  ['let s = "a😀b"; s.set(-2, \'x\'); s', '"axb"'],
  ['let s = "a😀b"; s.truncate(2); s', '"a😀"'],
  ['"a😀b".split(2)', '["a😀", "b"]'],
  ['"a😀b".split("")', '["", "a", "😀", "b", ""]'],
  ['let s = "😀"; s.replace("", "-"); s', '"-😀-"'],
  ['let s = "x"; s.pad(6, "ab😀"); s', '"xab😀ab"'],
  ['"😀a😀b".index_of("b", 2)', '3'],
  ['"😀a😀b".index_of("a", -3)', '1'],
]);

check('white space at the ends', [
  ['let s = " \\t\\n\\u00a0\\u3000a b\\u2028 "; s.trim(); s', '"a b"'],
  ['let s = "\\ufeffa\\ufeff"; s.trim(); s', '"\\u{feff}a\\u{feff}"'],
  ['let s = " \\u0085 "; s.trim(); s', '""'],
  ['"\\u2003a\\u2003\\u2003b ".split()', '["a", "b"]'],
  ['" ".split()', '[]'],
]);

check('floats of texts', [
  ['"1.".parse_float()', '1.0'],
  ['".5".parse_float()', '0.5'],
  ['"-1.5e-3".parse_float()', '-0.0015'],
  ['" inf ".parse_float()', 'inf'],
  ['"0".parse_int()', '0'],
  ['"-000123".parse_int()', '-123'],
  ['"00".parse_int(2)', '0'],
]);

check('order', [
  ['let a = [2, 3, 1]; a.sort_desc(); a', '[3, 2, 1]'],
  ['let a = [2, 3, 1]; a.sort_by(|x, y| x - y); a', '[1, 2, 3]'],
  [
    'let a = [2, 3, 1]; [a.order(), a.order_desc(), a.order_by(|x, y| y < x), a]',
    '[[1, 2, 3], [3, 2, 1], [3, 2, 1], [2, 3, 1]]',
  ],
  ['const A = ["b", "a"]; A.order()', '["a", "b"]'],
  ['let a = [true, false]; a.sort(); a', '[false, true]'],
  ['let a = [(), ()]; a.sort(); a', '[(), ()]'],
  ['let a = []; a.sort(); a', '[]'],
]);

check('places of elements by the name of a function', [
  ['fn big(x) { x > 1 } [1, 2, 3].index_of("big")', '1'],
  ['fn big(x) { x > 1 } [1, 2, 3].index_of("big", 2)', '2'],
  ['fn third(x, i) { i == 2 } [1, 2, 3].index_of("third")', '2'],
  ['fn mine() { this == 3 } [1, 2, 3].index_of("mine")', '2'],
  ['["a", "big"].index_of("big")', '1'],
]);

check('object maps', [
  ['#{a: 1, b: 2}.map(|k, v| k + v)', '#{"a": "a1", "b": "b2"}'],
  ['#{a: 1, b: 2}.map(|k| this * 10)', '#{"a": 10, "b": 20}'],
  ['let m = #{a: [1]}; let n = m.map(|k, v| v); n.a.push(2); m', '#{"a": [1]}'],
  ['#{a: [Fn("abc")]}.to_json()', '"{\\"a\\":[\\"abc\\"]}"'],
  ['#{a: [Fn("abc").curry(42).curry("x")]}.to_json()', '"{\\"a\\":[[\\"abc\\",42,\\"x\\"]]}"'],
  ['#{a: blob(2, 7)}.to_json()', '"{\\"a\\":[7,7]}"'],
]);

check('functions', [
  ['fn f(x) { } [is_def_fn("f", 1), is_def_fn("f", 2), is_def_fn("g", 1)]', '[true, false, false]'],
  ['fn int.f(x) { } [is_def_fn("i64", "f", 1), is_def_fn("string", "f", 1)]', '[true, false]'],
  [
    'fn f(x, y) { } fn g() { } get_fn_metadata_list("f")',
    '[#{"name": "f", "is_anonymous": false, "params": ["x", "y"]}]',
  ],
  ['fn int.f() { } get_fn_metadata_list()[0].this_type', '"i64"'],
  ['fn f(x) { } fn f(x, y) { } get_fn_metadata_list("f", 2).len', '1'],
  ['let x = 1; is_shared(x)', 'false'],
  ['let x = 1; let f = || x += 1; [is_shared(x), x.is_shared()]', '[true, true]'],
  ['let x = 1; let a = x.is_shared(); let f = || x; a', 'false'],
  ['let x = 1; let f = || x.is_shared(); f.call()', 'true'],
  ['let x = 1; let f = || x; let a = [x]; a[0].is_shared()', 'false'],
  ['[1, "a", ()].map(|x| x.is_shared())', '[false, false, false]'],
]);

const SHA = createHash('sha256').update('é').digest('hex');

check('encodings', [
  ['base58_encode(hex_decode("010203"))', '"Ldp"'],
  ['"Ldp".base58_decode()', '[010203]'],
  ['base58_decode(base58_encode("hello")).as_string()', '"hello"'],
  ['base58_encode(blob(32))', '"11111111111111111111111111111111"'],
  ['base58_encode("")', '""'],
  ['hex_encode(blob(2, 255))', '"ffff"'],
  ['hex_encode("é")', '"c3a9"'],
  ['hex_decode("C3a9").as_string()', '"é"'],
  ['hex_decode("")', '[]'],
  ['type_of(sha256("a")) + sha256("a").len', '"blob32"'],
  ['hex_encode(sha256("é"))', `"${SHA}"`],
  ['sha256("é") == sha256("é".to_blob())', 'true'],
  ['json_encode([1, "x", (), 1.5, #{a: true}])', '"[1,\\"x\\",null,1.5,{\\"a\\":true}]"'],
  ['json_encode("a\\"b")', '"\\"a\\\\\\"b\\""'],
  ['json_encode(())', '"null"'],
  ['json_decode("[1, {\\"a\\": null}]")', '[1, #{"a": ()}]'],
  ['json_decode(json_encode(#{a: [1, 2.5]})) == #{a: [1, 2.5]}', 'true'],
]);

check('time', [['timestamp()', '1700000000'], ['type_of(timestamp())', '"i64"']], { now: () => 1_700_000_000_999 });

describe('arguments that functions refuse', () => {
  it.each([
    [
      '[[1], [2]].sort()',
      'FunctionNotFound 1:12 Function not found: sort() cannot be called with elements of type array',
    ],
    ['[#{}].order()', 'FunctionNotFound 1:7 Function not found: order() cannot be called with elements of type map'],
    [
      '[1, "a"].sort_desc()',
      'FunctionNotFound 1:10 Function not found: sort_desc() cannot be called with elements of different types',
    ],
    [
      'const A = [1]; A.sort_desc()',
      "NonPureMethodCallOnConstant 1:18 Non-pure method 'sort_desc' cannot be called on constant",
    ],
    ['"0O".base58_decode()', "Runtime 1:6 Runtime error: the text is not valid base58: '0O'"],
    ['"abc".hex_decode()', "Runtime 1:7 Runtime error: the text is not valid hexadecimal: 'abc'"],
    ['"xy".hex_decode()', "Runtime 1:6 Runtime error: the text is not valid hexadecimal: 'xy'"],
    [
      'blob(2049).base58_encode()',
      'Runtime 1:12 Runtime error: base58 takes at most 2048 bytes or characters, not 2049',
    ],
    ['json_encode(1, 2)', 'FunctionNotFound 1:1 Function not found: json_encode (i64, i64)'],
    ['sha256(1)', 'FunctionNotFound 1:1 Function not found: sha256 (i64)'],
    ['Fn("if")', 'FunctionNotFound 1:1 Invalid function name: "if"'],
    ['Fn("import")', 'FunctionNotFound 1:1 Invalid function name: "import"'],
    ['let f = Fn("f"); for i in 0..300 { f = f.curry(i); }', 'DataTooLarge 1:42 Too many arguments: more than 255'],
    ['[3, 1].sort("x")', 'FunctionNotFound 1:8 Function not found: x (i64, i64)'],
  ])('%s fails: %s', (source, failure) => expect(failureOf(source)).toBe(failure));
});
