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
    ['a decimal', [{ D: '2.20' }], 'string 2.20'],
    ['a decimal for a float', [{ D: '2.20' }, 'f64'], 'number 2.2'],
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

describe('outputs become values of their types', () => {
  it.each<[returned: string, type: string, value: Value]>([
    ['7', 'free', { U: '7' }],
    ['-7', 'free', { I: '-7' }],
    ['1.5', 'free', { D: '1.5' }],
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
    ['2n ** 128n', 'free', 'output `out` must be of the type free'],
    ['[2n ** 128n]', 'free', 'output `out` holds an integer that is wider than 128 bits'],
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
    expect(lines).toEqual(['a 1 ["2"] {"b":null}']);
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
