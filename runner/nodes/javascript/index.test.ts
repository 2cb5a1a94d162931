import { afterEach, describe, expect, it } from 'vitest';
import { makeNodeCall } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import type { NodeCall } from '../../engine/node.ts';
import { Released } from '../../engine/node.ts';
import { makeScriptThreads } from '../../threads/script_threads.ts';
import { makeSpawnNodeScriptThread } from '../../worker/node_script_thread.ts';
import { javascriptNode } from './index.ts';

const lines: string[] = [];
afterEach(() => void lines.splice(0));

interface Ports {
  inputs?: { [name: string]: [value: Value, ...types: string[]] };
  outputs?: { [name: string]: string };
  form?: { [name: string]: boolean };
}

/** Runs a script whose flow declares these ports. */
async function run(
  source: string,
  { inputs = {}, outputs = { out: 'free' }, form = {} }: Ports = {},
  given: Partial<NodeCall> = {},
) {
  const values: ValueMap = {};
  for (const [name, [value]] of Object.entries(inputs)) values[name] = value;
  return await javascriptNode.run(makeNodeCall(javascriptNode, {
    formData: { source, ...form },
    inputs: values,
    inputNames: Object.keys(inputs),
    outputNames: Object.keys(outputs),
    portTypes: { inputs: Object.values(inputs).map(([, ...types]) => types), outputs: Object.values(outputs) },
    log: (_, line) => void lines.push(line),
    ...given,
  }));
}

const KEY = '11111111111111111111111111111111';

describe('a script reads its inputs in readable form', () => {
  it.each<[name: string, given: [value: Value, ...types: string[]], text: string]>([
    ['a small integer', [{ U: '7' }], 'number 7'],
    ['the last safe integer', [{ I: '-9007199254740991' }], 'number -9007199254740991'],
    ['an integer beyond 2^53', [{ U: '9007199254740993' }], 'bigint 9007199254740993'],
    [
      'an integer of 128 bits',
      [{ I1: '-170141183460469231731687303715884105728' }],
      'bigint -170141183460469231731687303715884105728',
    ],
    ['a float', [{ F: '0.5' }], 'number 0.5'],
    ['an infinity', [{ F: '-inf' }], 'number -Infinity'],
    ['a decimal', [{ D: '2.20' }], 'number 2.2'],
    ['a whole decimal', [{ D: '5.00' }], 'number 5'],
    ['a small decimal', [{ D: '0.0000001' }], 'number 1e-7'],
    ['a whole decimal beyond 2^53', [{ D: '820982911946154508.0' }], 'bigint 820982911946154508'],
    ['a decimal for a float', [{ D: '2.20' }, 'f64'], 'number 2.2'],
    ['a long decimal for a float', [{ D: '1.10000000000000000001' }, 'f64'], 'number 1.1'],
    ['a decimal for an integer', [{ D: '9007199254740993' }, 'u64'], 'bigint 9007199254740993'],
    ['a text', [{ S: 'a\u0001"b' }], 'string a\u0001"b'],
    ['a boolean', [{ B: true }], 'boolean true'],
    ['null', [{ N: 0 }], 'object null'],
    ['a key', [{ B3: KEY }], `string ${KEY}`],
    ['the bytes of a key', [{ B3: KEY }, 'bytes'], `object ${Array(32).fill(0)}`],
    ['bytes', [{ BY: 'AQL/' }], 'object 1,2,255'],
    ['a list', [{ A: [{ U: '1' }, { S: 'a' }] }], 'object 1,a'],
  ])('%s', async (_, given, text) => {
    const { out } = await run('return typeof a + " " + a', { inputs: { a: given } });
    expect(out).toEqual({ S: text });
  });

  it('a map, also one with a member __proto__', async () => {
    const value: Value = { M: { a: { M: { b: { U: '1' } } }, ['__proto__']: { S: 'own' } } };
    const source = 'return [m.a.b, Object.keys(m), m.__proto__, Object.getPrototypeOf(m) === Object.prototype]';
    expect(await run(source, { inputs: { m: [value] } })).toEqual({
      out: { A: [{ U: '1' }, { A: [{ S: 'a' }, { S: '__proto__' }] }, { S: 'own' }, { B: true }] },
    });
  });

  it("inputs whose names can't be variables are members of `inputs`; an input without a value is undefined", async () => {
    const source = 'return [inputs["an input"], inputs.class, typeof a, ENV.mode]';
    const call = makeNodeCall(javascriptNode);
    expect(
      await run(source, { inputs: { 'an input': [{ U: '1' }], class: [{ U: '2' }] } }, {
        run: { ...call.run, environment: { mode: 'test' } },
        inputNames: ['an input', 'class', 'a'],
      }),
    ).toEqual({ out: { A: [{ U: '1' }, { U: '2' }, { S: 'undefined' }, { S: 'test' }] } });
  });
});

const ID = '820982911946154508';
/** A decimal that no JavaScript number holds. */
const ODD = '1.10000000000000000001';

describe('a script computes with numbers', () => {
  it.each<[source: string, out: Value]>([
    ['return five + fraction', { D: '6.5' }],
    ['return price > 10.5', { B: false }],
    ['return [price, 10.5, fraction].toSorted((a, b) => a - b)', { A: [{ D: '1.5' }, { D: '9.5' }, { D: '10.5' }] }],
    ['return id > 5', { B: true }],
    ['return id + 1n', { U: '820982911946154509' }],
    [`return id === ${ID}n`, { B: true }],
    ['return "users/" + id', { S: `users/${ID}` }],
    ['return JSON.stringify({ id, price })', { S: `{"id":${ID},"price":9.5}` }],
  ])('%s', async (source, out) => {
    const inputs: Ports['inputs'] = {
      five: [{ U: '5' }],
      fraction: [{ D: '1.5' }],
      price: [{ D: '9.5' }],
      id: [{ U: ID }],
    };
    expect(await run(source, { inputs })).toEqual({ out });
  });
});

describe('a decimal that no JavaScript number holds', () => {
  const inputs: Ports['inputs'] = { odd: [{ D: ODD }], list: [{ A: [{ D: `${ODD}0` }, { U: '1' }] }] };

  it.each<[expression: string, out: Value]>([
    ['odd === list[0]', { B: true }],
    ['list.includes(odd)', { B: true }],
    ['new Set([odd, list[0]]).size', { U: '1' }],
    ['`${odd}`', { S: ODD }],
    ['"x".concat(odd)', { S: `x${ODD}` }],
    ['list.join()', { S: `${ODD},1` }],
    ['({ [odd]: 1 })', { M: { [ODD]: { U: '1' } } }],
    ['JSON.stringify({ odd, list })', { S: `{"odd":${ODD},"list":[${ODD},1]}` }],
    ['JSON.stringify(odd, null, 2)', { S: ODD }],
    ['JSON.stringify({ odd, a: 2n }, ["a", "odd"])', { S: `{"a":2,"odd":${ODD}}` }],
    ['JSON.stringify([odd, 2n], (_, value) => typeof value === "bigint" ? String(value) : value)', {
      S: `[${ODD},"2"]`,
    }],
    ['JSON.stringify([2], (_, value) => value === 2 ? odd : value)', { S: `[${ODD}]` }],
    ['JSON.stringify(["\\u0000", undefined])', { S: String.raw`["\u0000",null]` }],
    ['JSON.stringify(undefined) === undefined', { B: true }],
    ['odd ? 1 : 2', { U: '1' }],
    ['typeof odd + Object.keys(odd).length', { S: 'object0' }],
  ])('%s', async (expression, out) => expect(await run(`return ${expression}`, { inputs })).toEqual({ out }));

  it.each([
    'odd + 1',
    '"x" + odd',
    'odd < 2',
    'odd < odd',
    'Math.max(odd)',
    'Number(odd)',
    'list.sort((a, b) => a - b)',
  ])(
    '%s is refused',
    async (expression) => {
      await expect(run(`return ${expression}`, { inputs })).rejects.toThrow(
        `TypeError: ${ODD} has too many digits to compute with or to order; print it with \`\${…}\` (line 1, column`,
      );
    },
  );

  it('is logged and thrown with its digits', async () => {
    await expect(run('log(odd, list); throw odd', { inputs })).rejects.toThrow(ODD);
    expect(lines).toEqual([`${ODD} [${ODD},1]`]);
  });
});

describe('a returned number gets the tag and the text of the input that it equals', () => {
  it.each<[name: string, inputs: Value[], source: string, out: Value]>([
    ['unchanged', [{ D: '5.0' }], 'return a', { D: '5.0' }],
    ['computed', [{ D: '2.20' }], 'return 1 + 1.2', { D: '2.20' }],
    ['as a part', [{ D: '2.20' }], 'return { price: [a] }', { M: { price: { A: [{ D: '2.20' }] } } }],
    ['of an input of another type', [{ F: '1.0' }], 'return 1', { F: '1.0' }],
    ['a signed integer', [{ I: '5' }], 'return a', { I: '5' }],
    ['in two inputs of one form', [{ D: '5.0' }, { D: '5.0' }], 'return 5', { D: '5.0' }],
    ['an integer and a decimal', [{ U: '5' }, { D: '5.0' }], 'return 5', { U: '5' }],
    ['two texts', [{ D: '5.0' }, { D: '5.00' }], 'return 5', { U: '5' }],
    ['a decimal and a float', [{ D: '2.2' }, { F: '2.2' }], 'return b', { D: '2.2' }],
    ['a long integer', [{ U: ID }], 'return a', { U: ID }],
    ['a long whole decimal', [{ D: `${ID}.0` }], 'return a', { D: `${ID}.0` }],
    ['a long decimal', [{ D: `${ODD}0` }], 'return a', { D: `${ODD}0` }],
    ['another number', [{ D: '2.20' }], 'return 2.5', { D: '2.5' }],
  ])('%s', async (_, [a, b], source, out) => {
    expect(await run(source, { inputs: { a: [a!], ...(b === undefined ? {} : { b: [b] }) } })).toEqual({ out });
  });

  it.each<[type: string, out: Value]>([
    ['decimal', { D: '5.0' }],
    ['u64', { U: '5' }],
    ['i64', { I: '5' }],
    ['f64', { F: '5.0' }],
  ])('but the type %s of an output comes first', async (type, out) => {
    expect(await run('return a', { inputs: { a: [{ D: '5.0' }] }, outputs: { out: type } })).toEqual({ out });
  });
});

describe('outputs become values of their types', () => {
  it.each<[returned: string, type: string, value: Value]>([
    ['7', 'free', { U: '7' }],
    ['-7', 'free', { I: '-7' }],
    ['1.5', 'free', { D: '1.5' }],
    ['5.0', 'free', { U: '5' }],
    ['1e21', 'free', { U1: '1000000000000000000000' }],
    ['1e40', 'free', { F: '1e40' }],
    ['1e-30', 'free', { F: '1e-30' }],
    ['2n ** 128n', 'free', { F: '3.402823669209385e38' }],
    ['7', 'i64', { I: '7' }],
    ['7', 'f64', { F: '7.0' }],
    ['7', 'decimal', { D: '7' }],
    ['"2.20"', 'decimal', { D: '2.20' }],
    ['NaN', 'free', { F: 'NaN' }],
    ['-Infinity', 'f64', { F: '-inf' }],
    ['2n ** 64n', 'free', { U1: '18446744073709551616' }],
    ['5n', 'u64', { U: '5' }],
    ['"18446744073709551615"', 'u64', { U: '18446744073709551615' }],
    [`"${KEY}"`, 'free', { S: KEY }],
    [`"${KEY}"`, 'pubkey', { B3: KEY }],
    ['new Uint8Array([1, 2, 255])', 'bytes', { BY: 'AQL/' }],
    ['new Uint8Array(32)', 'pubkey', { B3: KEY }],
    ['null', 'free', { N: 0 }],
    ['[1, [true]]', 'array', { A: [{ U: '1' }, { A: [{ B: true }] }] }],
    ['({ a: 1, b: undefined, [Symbol()]: 2 })', 'object', { M: { a: { U: '1' } } }],
    ['7', 'a type of an editor', { U: '7' }],
  ])('%s as %s', async (returned, type, value) => {
    expect(await run(`return ${returned}`, { outputs: { out: type } })).toEqual({ out: value });
  });

  it.each<[returned: string, type: string, error: string]>([
    ['-1', 'u64', 'output `out` must be of the type u64'],
    ['"a"', 'u64', 'output `out` must be of the type u64'],
    ['[1]', 'string', 'output `out` must be of the type string'],
    ['2n ** 64n', 'u64', 'output `out` must be of the type u64'],
    ['new Date(0)', 'free', "TypeError: output `out`: an instance of Date can't be an output"],
    ['new Map()', 'free', "TypeError: output `out`: an instance of Map can't be an output"],
    ['() => 1', 'free', "TypeError: output `out`: a value of type function can't be an output"],
    ['[Symbol()]', 'free', "TypeError: output `out`.0: a value of type symbol can't be an output"],
    ['[, 1]', 'free', "TypeError: output `out`.0: a value of type undefined can't be an output"],
    ['({ a: "\\0" })', 'free', 'TypeError: output `out`.a: a text holds NUL or a lone surrogate'],
    ['"\\ud800"', 'free', 'TypeError: output `out`: a text holds NUL or a lone surrogate'],
  ])('%s as %s is refused', async (returned, type, error) => {
    await expect(run(`return ${returned}`, { outputs: { out: type } })).rejects.toThrow(error);
  });

  it('several outputs are members of the returned object, and may be left out', async () => {
    const outputs = { a: 'free', b: 'free' };
    expect(await run('return { a: 1 }', { outputs })).toEqual({ a: { U: '1' } });
    expect(await run('', { outputs })).toEqual({});
    await expect(run('return 1', { outputs })).rejects.toThrow('must return an object with its outputs');
    await expect(run('return { c: 1 }', { outputs })).rejects.toThrow('returned `c`, which is no output of the node');
  });

  it('a single output is the returned value, or its member', async () => {
    expect(await run('return { out: 1 }')).toEqual({ out: { U: '1' } });
    expect(await run('return { out: 1, other: 2 }')).toEqual({ out: { M: { out: { U: '1' }, other: { U: '2' } } } });
    expect(await run('return')).toEqual({});
  });
});

describe('a script', () => {
  it('reads the clock and makes random numbers only if the form says so', async () => {
    await expect(run('return Date.now()')).rejects.toThrow('the script reads the clock, which is off');
    await expect(run('try { return new Date() } catch { return 1 }')).rejects.toThrow('the script reads the clock');
    await expect(run('return Math.random()')).rejects.toThrow('Math.random is off');
    const { out } = await run('return [Date.now() > 1e12, Math.random() < 1, Math.random() === Math.random()]', {
      form: { clock: true, random: true },
    });
    expect(out).toEqual({ A: [{ B: true }, { B: true }, { B: false }] });
  });

  it.each([
    ['(1234.5).toLocaleString("de")', 'toLocaleString'],
    ['(1234.5).toLocaleString(undefined, { minimumFractionDigits: 2 })', 'toLocaleString'],
    ['5n.toLocaleString("de")', 'toLocaleString'],
    ['[1.5].toLocaleString("de")', 'toLocaleString'],
    ['new Uint8Array(1).toLocaleString("de")', 'toLocaleString'],
    ['new Date(0).toLocaleDateString("de")', 'toLocaleDateString'],
    ['new Date(0).toLocaleTimeString([], { hour12: false })', 'toLocaleTimeString'],
    ['"I".toLocaleLowerCase("tr")', 'toLocaleLowerCase'],
    ['"i".toLocaleUpperCase("tr")', 'toLocaleUpperCase'],
    ['"ä".localeCompare("z", "sv")', 'localeCompare'],
    ['"a".localeCompare("A", undefined, { sensitivity: "base" })', 'localeCompare'],
  ])('is refused languages and options, which the sandbox lacks: %s', async (expression, name) => {
    await expect(run(`return ${expression}`)).rejects.toThrow(`${name} takes no language and no options here`);
  });

  it('may use the same functions without them', async () => {
    const { out } = await run(
      'return ["b", "a"].sort((a, b) => a.localeCompare(b)).concat("I".toLocaleLowerCase(), (1.5).toLocaleString())',
    );
    expect(out).toEqual({ A: ['a', 'b', 'i', '1.5'].map((text) => ({ S: text })) });
  });

  it('writes to the log of its run, also before it fails', async () => {
    await expect(run('log("a", 1, [2n], { b: null }); throw new Error("no")')).rejects.toThrow('no');
    expect(lines).toEqual(['a 1 [2] {"b":null}']);
  });

  it('is a text in the form data, and no input replaces it', async () => {
    await expect(run('', {}, { formData: {}, inputs: { source: { S: 'return 1' } } })).rejects.toThrow(
      'the form data has no text `source`',
    );
    expect(await run('return 1', { inputs: { source: [{ S: 'return 2' }] } })).toEqual({ out: { U: '1' } });
    await expect(run(' '.repeat(65_537))).rejects.toThrow('more than 65536 characters');
  });

  it('ends after 500 ms where the runtime has no threads, and its error recommends a worker', async () => {
    await expect(run('for (;;);')).rejects.toThrow(
      'node_cpu_limit: not finished after 500 ms of computing, the limit of a script in an Edge Function without threads; ' +
        'with npm run worker it is 5000 ms',
    );
  });

  it('is released with its run', async () => {
    const checkTime = () => {
      throw new Released();
    };
    await expect(run('for (;;);', {}, { checkTime })).rejects.toThrow(Released);
  });

  it('continues in a thread after 20 ms, and other code runs meanwhile', async () => {
    const scripts = makeScriptThreads({ spawn: makeSpawnNodeScriptThread(), budgetMs: Infinity })('a')!;
    const source = 'log("begun"); for (let i = 0; i < 1e7; i++); log("ended"); return 8';
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    expect(await run(source, {}, { scripts })).toEqual({ out: { U: '8' } });
    clearInterval(timer);
    expect(lines).toEqual(['begun', 'ended']);
    expect(turns).toBeGreaterThan(1);
    await expect(run('for (let i = 0;; i++) if (i === 1e7) null.x', {}, { scripts })).rejects.toThrow(
      '(line 1, column',
    );
  });
});
