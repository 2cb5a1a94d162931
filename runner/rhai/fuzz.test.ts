import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuzzCases } from '../../tests/support/fuzz_cases.ts';
import { RhaiError } from './errors.ts';
import { compileScript } from './script.ts';
import { Cell, FnPointer, RhaiArray, RhaiMap, type RhaiValue, tagOf } from './values.ts';

/** The limits are so small that thousands of runs take only seconds. */
const LIMITS = { operations: 20_000, stringLength: 500, elements: 100 };

/** Number of programs made by the grammar. Another `FUZZ_SEED` makes other programs. */
const PROGRAMS = fuzzCases(600);

const TRAPS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'globalThis',
  'process',
  'Function',
  'require',
  'items',
  'properties',
  'owner',
  'closure',
  'captured',
  'value',
  'size',
  'length',
];

const NAMES = ['a', 'b', 'c', 'x'];

const METHODS = [
  'push',
  'pop',
  'len',
  'map',
  'filter',
  'reduce',
  'sort',
  'for_each',
  'append',
  'insert',
  'splice',
  'drain',
  'retain',
  'split',
  'trim',
  'pad',
  'replace',
  'crop',
  'sub_string',
  'index_of',
  'to_chars',
  'keys',
  'values',
  'remove',
  'mixin',
  'take',
  'parse_json',
  'to_json',
  'get_bits',
  'set_bits',
  'get',
  'set',
  'abs',
  'round',
  'to_int',
  'to_float',
  'to_decimal',
  'to_string',
  'to_hex',
  'sqrt',
  'call',
  'curry',
  'type_of',
  'extract',
  'zip',
  'dedup',
  'chars',
  'parse_int',
  'min',
  'max',
  'truncate',
  'chop',
  'clear',
  'reverse',
  'find',
  'shuffle',
  'to_json',
  'to_blob',
  'is_shared',
  'order',
  'sort_desc',
  'order_by',
  'base58_encode',
  'base58_decode',
  'hex_encode',
  'hex_decode',
  'sha256',
  'json_encode',
  'json_decode',
];

const OPERATORS = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '**',
  '<<',
  '>>',
  '&',
  '|',
  '^',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  '!in',
  '..',
  '..=',
  '&&',
  '||',
  '??',
];

const name = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...NAMES) }, {
  weight: 1,
  arbitrary: fc.constantFrom(...TRAPS),
});

const literal = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n }).map(String),
  fc.nat(20).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }).map((value) => value.toFixed(3)),
  fc.string({ unit: 'binary', maxLength: 6 }).filter((text) => text.isWellFormed()).map((text) =>
    `"${text.replace(/["\\\n]/g, '')}"`
  ),
  fc.constantFrom(
    "'c'",
    '()',
    'true',
    'false',
    '[]',
    '#{}',
    'blob(3)',
    'Decimal("1.50")',
    '0x8000000000000000',
    '`${a}`',
  ),
  fc.constantFrom(...TRAPS).map((trap) => `"${trap}"`),
);

/** Programs that use the whole grammar; most of them run for a while. */
const { program } = fc.letrec<Record<'expression' | 'index' | 'block' | 'statement' | 'program', string>>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    literal,
    name,
    fc.tuple(tie('expression'), fc.constantFrom(...OPERATORS), tie('expression')).map(([left, operator, right]) =>
      operator === '&&' || operator === '||' ? `${left} == a ${operator} ${right} == b` : `${left} ${operator} ${right}`
    ),
    tie('expression').map((inner) => `(${inner})`),
    fc.tuple(fc.constantFrom('-', '!', '+'), name).map((parts) => parts.join('')),
    fc.array(tie('expression'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES, ...TRAPS), tie('expression')), {
      maxLength: 3,
      selector: ([key]) => key,
    })
      .map((entries) => `#{${entries.map(([key, value]) => `"${key}": ${value}`).join(', ')}}`),
    fc.tuple(name, tie('index')).map(([base, index]) => `${base}[${index}]`),
    fc.tuple(name, fc.constantFrom('.', '?.'), name).map((parts) => parts.join('')),
    fc.tuple(name, name, tie('index')).map(([base, first, index]) => `${base}?.${first}[${index}].b.len()`),
    fc.tuple(fc.constantFrom('x', '`abc`'), fc.constantFrom('..', '..=', '1..', '..=2', '-9..', '1..=-1'))
      .map(([base, range]) => `${base}[${range}]`),
    fc.constantFrom('f', 'g', '-5.abs()', '- 5.abs()', '0x7f.to_hex()'),
    fc.tuple(fc.constantFrom('f', 'call'), tie('expression')).map(([callee, value]) => `${callee}!(${value})`),
    fc.tuple(tie('expression'), fc.constantFrom('return', 'throw'), tie('expression')).map(([left, word, value]) =>
      `((${left}) ?? ${word} ${value})`
    ),
    fc.tuple(name, fc.constantFrom(...METHODS, ...TRAPS), fc.array(tie('expression'), { maxLength: 2 }))
      .map(([base, method, args]) => `${base}.${method}(${args.join(', ')})`),
    fc.tuple(
      fc.constantFrom('f', 'g', 'print', 'range', 'Fn', 'type_of', ...TRAPS),
      fc.array(tie('expression'), { maxLength: 2 }),
    )
      .map(([callee, args]) => `${callee}(${args.join(', ')})`),
    fc.tuple(name, tie('expression')).map(([param, body]) => `|${param}| ${body}`),
    fc.tuple(tie('expression'), tie('block'), tie('block')).map(([test, yes, no]) =>
      `if (${test}) == a ${yes} else ${no}`
    ),
    fc.tuple(tie('expression'), literal, tie('expression')).map(([subject, pattern, value]) =>
      `switch ${subject} { ${
        pattern.includes('`') || /^(blob|Dec)/.test(pattern) ? '1' : pattern
      } => ${value}, _ => a }`
    ),
    tie('block'),
  ),
  // A literal that can't be an index would be a syntax error, so the grammar makes no such index.
  index: fc.oneof(fc.nat(2).map(String), name, tie('expression').map((index) => `(${index}) ?? 0`)),
  block: fc.array(tie('statement'), { maxLength: 3 }).map((statements) => `{ ${statements.join(' ')} }`),
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('expression').map((value) => `${value};`),
    fc.tuple(fc.constantFrom('let', 'let', 'const'), name, tie('expression')).map(([word, variable, value]) =>
      `${word} ${variable} = ${value};`
    ),
    fc.tuple(name, fc.constantFrom('=', '+=', '-=', '*='), tie('expression')).map((parts) => `${parts.join(' ')};`),
    fc.tuple(name, name, tie('expression')).map(([base, property, value]) => `${base}.${property} = ${value};`),
    fc.tuple(name, tie('index'), tie('expression')).map(([base, index, value]) => `${base}[${index}] += ${value};`),
    fc.tuple(name, fc.constantFrom('..', '1..', '..=2', '2..1'), tie('expression')).map(([base, range, value]) =>
      `${base}[${range}] = ${value};`
    ),
    fc.tuple(name, name, name, tie('expression')).map(([base, first, second, value]) =>
      `${base}?.${first}?[${second}] = ${value};`
    ),
    fc.tuple(name, tie('expression'), tie('block')).map(([variable, source, body]) =>
      `for ${variable} in (${source}) ?? b ${body}`
    ),
    tie('block').map((body) => `while a != x ${body}`),
    tie('block').map((body) => `loop { a += 1; if a == 5 { break; } ${body} }`),
    fc.tuple(tie('block'), tie('block')).map(([body, handler]) => `try ${body} catch (x) ${handler}`),
    tie('expression').map((value) => `throw ${value};`),
    tie('expression').map((value) => `return ${value};`),
  ),
  program: fc.tuple(
    fc.array(tie('statement'), { minLength: 1, maxLength: 5 }),
    tie('block'),
    tie('expression'),
  ).map(([statements, body, value]) =>
    `let a = 1; let b = [1, "two", 3.0]; let c = #{a: 1, b: [2]}; let x = "text";\n${statements.join('\n')}\n` +
    `fn f(a) ${body}\nfn g(a, b) { this = a; }\n${value}`
  ),
}));

/** Fails unless a value is of a script's types, because a script must never reach other objects. */
function checkValue(value: RhaiValue, depth = 0): void {
  expect(depth).toBeLessThan(100);
  expect(value).not.toBeUndefined();
  if (tagOf(value) === 'fn') expect(value).toBeInstanceOf(FnPointer);
  if (typeof value === 'bigint') expect(Number.isSafeInteger(Number(value))).toBe(false);
  if (typeof value === 'number') expect(Number.isSafeInteger(value) && !Object.is(value, -0)).toBe(true);
  expect(value).not.toBeInstanceOf(Cell);
  if (value instanceof RhaiArray) {
    expect(value.items.length).toBeLessThanOrEqual(LIMITS.elements);
    for (const item of value.items) checkValue(item, depth + 1);
  }
  if (value instanceof RhaiMap) { for (const member of value.properties.values()) checkValue(member, depth + 1); }
}

/** Runs a text as a script. The script must end, either with values of a script's types or with a RhaiError. */
function runText(source: string): 'value' | 'syntax' | 'error' {
  let operations = 0;
  try {
    const { value, variables } = compileScript(source, LIMITS).run({ onProgress: (count) => operations = count });
    for (const result of [value, ...variables.values()]) checkValue(result);
    return 'value';
  } catch (error) {
    if (!(error instanceof RhaiError)) throw error;
    expect(error.line).toBeGreaterThan(0);
    expect(error.column).toBeGreaterThan(0);
    expect(operations).toBeLessThanOrEqual(LIMITS.operations);
    return error.kind === 'Syntax' ? 'syntax' : 'error';
  }
}

/** Objects outside the script that an escape could reach. The test checks that scripts leave them unchanged. */
const surroundings = () => [
  ...[Object, Array, Function, String, Number, Map, Promise, RhaiArray, RhaiMap, FnPointer]
    .map(({ prototype }) => Object.getOwnPropertyNames(prototype).length),
  Object.getOwnPropertyNames(globalThis).length,
];

describe('any text that is run as a script', () => {
  it('ends within its limits and fails with nothing but a RhaiError when the grammar made it', () => {
    const before = surroundings();
    const outcomes = { value: 0, syntax: 0, error: 0 };
    fc.assert(fc.property(program, (source) => void outcomes[runText(source)]++), { numRuns: PROGRAMS });
    expect(surroundings()).toEqual(before);
    // If nearly all programs failed at their first statement, the test would prove nothing.
    expect(outcomes.value).toBeGreaterThan(PROGRAMS / 20);
    expect(outcomes.error).toBeGreaterThan(PROGRAMS / 20);
    expect(outcomes.syntax).toBeLessThan(PROGRAMS / 2);
  });

  it('fails with nothing but a RhaiError when it is random text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (source) => void runText(source)), {
      numRuns: fuzzCases(500),
    });
  });

  it('fails with nothing but a RhaiError when its tokens are in random order', () => {
    const words = [
      ...OPERATORS,
      ...NAMES,
      ...TRAPS.slice(0, 4),
      ...'( ) [ ] { } #{ , ; : . ?. ?[ => | || ` ${ " \' = += _ 1 2.5 0x1'.split(' '),
      ...'let const if else while loop for in do until switch fn return break continue throw try catch this global:: print'
        .split(' '),
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 40 }), (tokens) => void runText(tokens.join(' '))),
      { numRuns: fuzzCases(750) },
    );
  });
});

describe('integers', () => {
  const int = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }),
    fc.bigInt({ min: -10n, max: 10n }),
  );
  // As with Rust's checked_rem, the remainder of a division that overflows is an error too.
  const remainder = (a: bigint, b: bigint) => b === 0n || (a === -(2n ** 63n) && b === -1n) ? undefined : a % b;
  const exact: Record<string, (a: bigint, b: bigint) => bigint | undefined> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => b === 0n ? undefined : a / b,
    '%': remainder,
    '&': (a, b) => a & b,
    '|': (a, b) => a | b,
    '^': (a, b) => a ^ b,
  };
  const scripts = Object.fromEntries(
    Object.keys(exact).map((operator) => [operator, compileScript(`a ${operator} b`)]),
  );
  const toValue = (value: bigint): RhaiValue => Number.isSafeInteger(Number(value)) ? Number(value) : value;

  it('are exact to the last of 64 bits, and overflow is an error', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(exact)), int, int, (operator, a, b) => {
        const wanted = exact[operator]!(a, b);
        const run = () => scripts[operator]!.run({ variables: [['a', toValue(a)], ['b', toValue(b)]] }).value;
        if (wanted === undefined || wanted !== BigInt.asIntN(64, wanted)) expect(run).toThrow(/overflow|by zero/);
        else expect(run()).toBe(toValue(wanted));
      }),
      { numRuns: fuzzCases(1_000), examples: [['%', -(2n ** 63n), -1n], ['/', -(2n ** 63n), -1n]] },
    );
  });
});
