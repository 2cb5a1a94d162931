import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeNodeCall, runNode, testRun } from '../../../tests/support/node_call.ts';
import { nodeDefinitionSchema } from '../../../types/node_definition.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { type NodeModule, Released } from '../../engine/node.ts';
import { rhaiScriptNode, sizedScriptNodes } from './index.ts';

const node = (id: string): NodeModule => {
  const module = sizedScriptNodes.find(({ definition }) => definition.data.node_id === id);
  if (module === undefined) throw new Error(`there is no ${id}`);
  return module;
};

const run = (source: string, inputs: ValueMap = {}, given: Parameters<typeof runNode>[2] = {}) =>
  runNode(node('rhai_script_2x1'), { source: { S: source }, ...inputs }, given);

const BYTES_32 = '11111111111111111111111111111111';

describe('rhai_script', () => {
  it('has a definition for every number of inputs from 0 to 5 and outputs from 1 to 5 that zod accepts', () => {
    expect(sizedScriptNodes).toHaveLength(30);
    for (const { definition, takesPortsFromFlow } of sizedScriptNodes) {
      expect(nodeDefinitionSchema.safeParse(definition).error?.issues ?? []).toEqual([]);
      expect(takesPortsFromFlow).toBe(true);
    }
    const { targets, sources } = node('rhai_script_5x3').definition;
    expect(targets.map(({ name, required, type_bounds }) => [name, required ?? false, type_bounds])).toEqual([
      ['source', true, ['string']],
      ...['a', 'b', 'c', 'd', 'e'].map((name) => [name, false, ['free']]),
    ]);
    expect(sources.map(({ name, type, optional }) => [name, type, optional])).toEqual(
      ['u', 'v', 'x'].map((name) => [name, 'free', true]),
    );
    expect(node('rhai_script_0x5').definition.targets).toHaveLength(1);
  });

  it.each<[string, ValueMap, ValueMap]>([
    ['a + b', { a: { D: '1' }, b: { D: '2' } }, { u: { D: '3' } }],
    ['a + b', { a: { U: '18446744073709551615' }, b: { I: '1' } }, { u: { D: '18446744073709551616' } }],
    ['a + b', { a: { I: '9007199254740993' }, b: { I: '2' } }, { u: { I: '9007199254740995' } }],
    ['a + b', { a: { F: '0.1' }, b: { I: '1' } }, { u: { F: '1.1' } }],
    ['a', { a: { F: 'inf' } }, { u: { F: 'inf' } }],
    ['a', { a: { F: 'NaN' } }, { u: { F: 'NaN' } }],
    ['a * 2', { a: { D: '1.50' } }, { u: { D: '3.00' } }],
    ['a', { a: { U1: '79228162514264337593543950335' } }, { u: { D: '79228162514264337593543950335' } }],
    ['a', { a: { I1: '-5' } }, { u: { D: '-5' } }],
    ['a.len', { a: { B3: BYTES_32 } }, { u: { I: '32' } }],
    ['type_of(a) + a.len', { a: { BY: 'AQID' } }, { u: { S: 'blob3' } }],
    ['a.pad(32, 0); a', { a: { BY: '' } }, { u: { B3: BYTES_32 } }],
    ["#{b: true, c: 'x', n: (), l: [1, 2.5]}", {}, {
      u: { M: { b: { B: true }, c: { S: 'x' }, n: { N: 0 }, l: { A: [{ I: '1' }, { F: '2.5' }] } } },
    }],
    ['a == ()', {}, { u: { B: true } }],
    ['a == ()', { a: { N: 0 } }, { u: { B: true } }],
    ['let u = 1; 2', {}, { u: { I: '1' } }],
    ['let u = (); 2', {}, { u: { I: '2' } }],
    ['()', {}, {}],
    ['a.__proto__', { a: { M: JSON.parse('{"__proto__": {"S": "own"}}') } }, { u: { S: 'own' } }],
  ])('runs %j with %j and outputs %j', async (source, inputs, outputs) => {
    expect(await run(source, inputs)).toEqual(outputs);
  });

  it('names inputs and outputs like the flow, and reads several outputs from variables only', async () => {
    const outputs = await runNode(
      node('rhai_script_1x2'),
      { source: { S: 'let twice = price * 2; 7' }, price: { I: '21' } },
      { outputNames: ['twice', 'rest'] },
    );
    expect(outputs).toEqual({ twice: { I: '42' } });
  });

  it("has the flow's environment as the constant ENV", async () => {
    const call = makeNodeCall(node('rhai_script_0x1'));
    const given = { run: { ...call.run, environment: { RUST_LOG: 'info' } } };
    expect(await run('ENV.RUST_LOG', {}, given)).toEqual({ u: { S: 'info' } });
    expect(await run('fn level() { ENV.RUST_LOG } level()', {}, given)).toEqual({ u: { S: 'info' } });
    await expect(run('ENV.RUST_LOG = "x"', {}, given)).rejects.toThrow(
      'Cannot modify constant ENV (line 1, position 1)',
    );
  });

  it('logs the output of print and debug', async () => {
    const lines: unknown[] = [];
    await run('print("hello");\n debug("x")', {}, { log: (...line) => lines.push(line) });
    expect(lines).toEqual([['Info', 'hello'], ['Debug', '"x" (line 2, position 2)']]);
  });

  it.each<[string, ValueMap, string]>([
    ['let x = 1;\nlet y = x / 0;', {}, 'Division by zero: 1 / 0 (line 2, position 11)'],
    ['let x = ;', {}, "Expecting an expression, but found ';' (line 1, position 9)"],
    ['throw "no funds"', {}, 'Runtime error: no funds (line 1, position 1)'],
    ['|x| x', {}, "output `u`: a script's Fn can't be an output, since flows have no values of this type"],
    ['[1..2]', {}, "output `u`: a script's range can't be an output, since flows have no values of this type"],
    [
      'a',
      { a: { U1: '79228162514264337593543950336' } },
      'input `a`: 79228162514264337593543950336 must fit a decimal',
    ],
    ['loop {}', {}, 'Too many operations'],
    ['let y = c', {}, 'Variable not found: c (line 1, position 9); its inputs are a, b'],
    ['fn f() { a } f()', {}, '; a function sees its own parameters and variables only, so pass it the input'],
    ['c', { [`x${'y'.repeat(60)}`]: { I: '1' } }, `; its inputs are a, b, x${'y'.repeat(49)}`],
    [
      'z',
      Object.fromEntries([...'cdefghijk'].map((name) => [name, { I: '1' }])),
      '; its inputs are a, b, c, d, e, f, g, h, i, j and others',
    ],
  ])('fails for %j and names the reason', async (source, inputs, message) => {
    await expect(run(source, inputs)).rejects.toThrow(message);
    await expect(run(source, inputs)).rejects.toMatchObject({ name: 'NodeError' });
  });

  const table: Value = {
    A: Array.from({ length: 300 }, () => ({ A: Array.from({ length: 300 }, () => ({ I: '1' })) })),
  };
  const large: Value = { M: { rows: table, text: { S: 'x'.repeat(60_000) } } };

  it.each<[string, ValueMap]>([
    ['for i in 0..200 { a == b; }', { a: table, b: table }],
    ['for i in 0..200 { let c = a; }', { a: table }],
    ['for i in 0..100_000 { a == b; }', {
      a: { M: { x: { S: 'x'.repeat(60_000) } } },
      b: { M: { x: { S: 'y'.repeat(60_000) } } },
    }],
  ])('counts operations for iterating over inputs: %s', async (source, inputs) => {
    await expect(run(source, inputs)).rejects.toThrow('Too many operations');
  });

  it('accepts inputs beyond the limits, which the script may change but hardly enlarge', async () => {
    const source =
      'a.rows[7][7] = 5; a.rows.push([1]); a.more = "y"; let c = a; c.rows[7][7] += 1; c.rows[7][7] + c.rows.len';
    expect(await run(source, { a: large })).toEqual({ u: { I: '307' } });
    await expect(run('loop { a.rows.push([1, 2, 3]); }', { a: large })).rejects.toThrow(
      'Size of array/BLOB too large: more than 100300 elements',
    );
    await expect(run('let c = [a]', { a: large })).rejects.toThrow('Size of array/BLOB too large');
  });

  it('keeps at most as many lines of a trial as a run may log', async () => {
    // The clock stands still, so that the trial does not end, even on a slow machine.
    vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const lines: unknown[][] = [];
    const scripts = () => Promise.reject(new Error('no script of this test is long'));
    const source = 'for i in 0..11000 { debug(i); print(i) }';
    // The owner is a new one, because on a busy machine the scripts of other tests may have made theirs a slow one.
    const owner = { ...testRun, ownerId: randomUUID() };
    await run(source, {}, { run: owner, scripts, log: (...line) => void lines.push(line) });
    expect(lines).toHaveLength(10_000);
    expect(lines.at(-1)).toEqual(['Info', '9999']);
  });

  it('mentions in the error that a script has no inputs', async () => {
    await expect(runNode(node('rhai_script_0x1'), { source: { S: 'x' } })).rejects.toThrow(
      '; the script has no inputs',
    );
  });

  it('fails without a source, or with a source that is no text', async () => {
    await expect(runNode(node('rhai_script_0x1'), {})).rejects.toThrow('missing field `source`');
    await expect(runNode(node('rhai_script_0x1'), { source: { I: '1' } })).rejects.toThrow('source must be a string');
  });

  it('checks the time now and then, and throws when the run is released', async () => {
    let checks = 0;
    const checkTime = () => {
      if (++checks === 3) throw new Released();
    };
    await expect(run('try { loop {} } catch { }', {}, { checkTime })).rejects.toThrow(Released);
  });
});

/** Two scripts of saved flows. Clients of such flows send numbers as decimals. */
const ADD = 'a + b';
const COLLATZ = 'if a % 2 == 0 {\n    a / 2\n} else {\n    3 * a + 1\n}';

it.each<[string, Value, Value]>([
  [ADD, { D: '40' }, { D: '42' }],
  [COLLATZ, { D: '7' }, { D: '22' }],
  [COLLATZ, { D: '22' }, { D: '11' }],
  [COLLATZ, { U: '6' }, { D: '3' }],
])('the script %j of a saved flow outputs, for %j, the value %j', async (source, a, u) => {
  expect(await run(source, { a, b: { D: '2' } })).toEqual({ u });
});

describe('rhai_script with ports of the flow', () => {
  const runOwn = (source: unknown, inputs: ValueMap, outputNames: string[]) =>
    runNode(rhaiScriptNode, inputs, {
      // SAFETY: the test also gives sources that are not texts.
      formData: { source } as never,
      inputNames: Object.keys(inputs),
      outputNames,
    });

  it('has the script in its form data, where no input takes its place', async () => {
    const { definition } = rhaiScriptNode;
    expect(nodeDefinitionSchema.safeParse(definition).error?.issues ?? []).toEqual([]);
    expect(definition.targets.map(({ name }) => name)).toEqual(['input']);
    expect(await runOwn('price * 2', { price: { I: '21' } }, ['twice'])).toEqual({ twice: { I: '42' } });
    expect(await runOwn('let a = price; let b = a + 1;', { price: { I: '1' } }, ['a', 'b', 'c'])).toEqual({
      a: { I: '1' },
      b: { I: '2' },
    });
    expect(await runOwn('1', { source: { S: '2' } }, ['out'])).toEqual({ out: { I: '1' } });
    for (const source of [undefined, null, 5]) {
      await expect(runOwn(source, { source: { S: '2' } }, ['out'])).rejects.toThrow(
        'the form data has no text `source`',
      );
    }
  });

  it('takes 32 inputs and outputs, and names that objects of JavaScript have', async () => {
    const names = Array.from({ length: 32 }, (_, index) => `in_${index}`);
    const inputs = Object.fromEntries(names.map((name, index) => [name, { I: String(index) }]));
    const outputNames = names.map((name) => name.replace('in', 'out'));
    const source = outputNames.slice(0, 16).map((name, index) => `let ${name} = in_${31 - index};`).join('\n');
    expect(await runOwn(source, inputs, outputNames)).toEqual(
      Object.fromEntries(outputNames.slice(0, 16).map((name, index) => [name, { I: String(31 - index) }])),
    );
    const hostile = JSON.parse('{"__proto__": {"I": "1"}, "constructor": {"I": "2"}}') as ValueMap;
    const outputs = await runOwn('__proto__ += constructor; let toString = 4;', hostile, ['__proto__', 'toString']);
    expect(Object.entries(outputs)).toEqual([['__proto__', { I: '3' }], ['toString', { I: '4' }]]);
  });
});
