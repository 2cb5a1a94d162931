import { beforeAll, describe, expect, it } from 'vitest';
import { runCode } from './author_code.ts';
import type { MachineHooks } from './machine_hooks.ts';
import { openSandbox, type Sandbox, sandboxBytes } from './sandbox.ts';

class OutOfTime extends Error {}

/** The time of endless computations. It is short, so that the tests are fast. */
const BUDGET_MS = 10;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox(['none', 'typescript']);
  // The realms are made once for all tests.
  run('return 1 as number');
});

const lines: string[] = [];

/** Runs a script with one output `out`, and returns what the guest answered. */
function run(source: string, budgetMs = 10_000) {
  lines.splice(0);
  const until = performance.now() + budgetMs;
  const hooks: MachineHooks = {
    onProgress: () => {
      if (performance.now() > until) throw new OutOfTime();
    },
    onLog: (line) => void lines.push(line),
    now: () => 0,
    random: () => 0.5,
  };
  const task = JSON.stringify({
    o: {
      inputs: { o: {} },
      parameters: [],
      environment: { o: {} },
      outputs: ['out'],
      maxCharacters: 10_000,
      hasRandom: true,
    },
  });
  const { answer, toError } = runCode(sandbox, { source, variables: [], task }, hooks);
  const read = JSON.parse(answer);
  if (read.error !== undefined) throw toError(read);
  return read.isPending ? 'pending' : read.outputs.out;
}

describe('every computation ends when its time is over', () => {
  it.each(Object.entries({
    'a loop': 'for (;;);',
    'a loop that catches everything': 'for (;;) try { for (;;); } catch {} finally { for (;;); }',
    'a regular expression that backtracks': 'return /^(a+)+$/.test("a".repeat(60) + "b")',
    'a regular expression that a text becomes': 'return new RegExp("(x+x+)+y").test("x".repeat(60))',
    'replacing by a regular expression': 'return "x".repeat(1e5).replace(/(x+x+)+y/g, "")',
    'the text of an array of holes': 'return new Array(1e9) + ""',
    'a search in an object with a length': 'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    'a search from behind': 'return Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)',
    'includes': 'return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)',
    'reverse': 'return Array.prototype.reverse.call({ length: 2 ** 53 - 1 })',
    'copyWithin': 'return Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 5)',
    'join': 'return Array.prototype.join.call({ length: 2 ** 31 }, "")',
    'every': 'return Array.prototype.every.call({ length: 2 ** 53 - 1 }, () => true)',
    'flat': 'let a = [[]]; for (let i = 0; i < 40; i++) a = [a, a]; return a.flat(Infinity).length',
    'splice': 'const a = []; a.length = 4e9; for (;;) a.splice(0, 1)',
    'sorting long texts that are alike':
      'const s = "x".repeat(1e5), a = []; for (let i = 0; i < 1e5; i++) a.push(i % 2 ? s : s + "y"); a.sort(); return 1',
    'sorting bytes again and again': 'const a = new Uint8Array(1e6); for (;;) a.sort()',
    'filling bytes again and again': 'const a = new Uint8Array(1e7); for (;;) a.fill(1)',
    'copying bytes again and again': 'const a = new Uint8Array(1e7); for (;;) a.set(a.slice(0, 5e6))',
    'a search for a text': 'return "a".repeat(4e6).indexOf("a".repeat(2e6) + "b")',
    'comparing long texts': 'const a = "x".repeat(3e6) + 1, b = "x".repeat(3e6) + 2; for (;;) if (a === b) return 1',
    'repeating texts': 'for (;;) "ab".repeat(1e6)',
    'padding texts': 'for (;;) "a".padStart(1e6, "xyz")',
    'splitting texts': 'const s = "a,".repeat(1e5); for (;;) s.split(",")',
    'String.raw': 'return String.raw({ raw: { length: 2 ** 53 - 1 } })',
    'large integers': 'let a = 3n ** 10000n; for (;;) a = (a * a) % (2n ** 500000n)',
    'digits of a large integer': 'const a = 3n ** 600000n; return a.toString().length',
    'a large integer of digits': 'return BigInt("9".repeat(2e5)) % 7n',
    'JSON of shared arrays': 'let a = []; for (let i = 0; i < 40; i++) a = [a, a]; return JSON.stringify(a).length',
    'JSON of hidden members':
      'const o = {}; for (let i = 0; i < 1e4; i++) o["k" + i] = undefined; return JSON.stringify(Array(1e5).fill(o)).length',
    'parsing JSON again and again': 'const s = "[" + "1,".repeat(1e5) + "1]"; for (;;) JSON.parse(s)',
    'a promise in a loop': 'for (;;) await 1',
    'promises that make promises': 'const f = () => Promise.resolve().then(f); await f()',
    'code that makes code': 'for (;;) eval("1 + ".repeat(1e4) + "1")',
    'a getter of an output': 'return { get out() { for (;;); } }',
    'a proxy as output': 'return { out: new Proxy({}, { ownKeys() { for (;;); } }) }',
    'a text form': 'throw Object.assign(() => {}, { toString() { for (;;); } })',
    'a generator': 'return [...(function* () { for (;;) yield; })()].length',
    'decoding a text': 'for (;;) decodeURIComponent("%41".repeat(1e5))',
    'normalizing a text': 'for (;;) "\u0041\u030a".repeat(1e5).normalize("NFC")',
    'types that a parser tries twice': `let a: T = ${'<T>('.repeat(24)}1${')'.repeat(24)}; for (;;);`,
  }))('%s', (_, source) => {
    expect(() => run(source, BUDGET_MS)).toThrow(OutOfTime);
    // The next run finds its realm untouched.
    expect(run('return 1 + 1')).toBe(2);
  });
});

describe('memory, stack and outputs are bounded', () => {
  it.each<[name: string, source: string, error: RegExp]>([
    ['arrays', 'const a = []; for (;;) a.push(new Array(1000).fill(7))', /out of memory/],
    ['a text', 'return "a".repeat(1e9)', /out of memory|string length|invalid/i],
    ['a text that doubles', 'let s = "a"; for (;;) s += s', /out of memory|string too long|length/i],
    ['bytes', 'return new Uint8Array(4e7)', /out of memory/],
    ['an integer', 'return 3n ** (2n ** 62n)', /BigInt is too large/],
    ['recursion', 'function f() { return f() + 1 } return f()', /stack overflow/],
    ['text forms of text forms', 'const o = {}; o.toString = () => `${o}`; return `${o}`', /stack overflow/],
    [
      'proxies of proxies',
      'let p = {}; for (let i = 0; i < 1e4; i++) p = new Proxy(p, {}); return p.x',
      /stack overflow/,
    ],
    ['parsing deep JSON', 'return JSON.parse("[".repeat(1e6) + "]".repeat(1e6))', /stack overflow/],
    ['evaluating deep code', 'return eval("(".repeat(1e5) + "1" + ")".repeat(1e5))', /stack overflow/],
    ['an output', 'return "x".repeat(20000)', /the outputs take more than 10000 characters/],
    ['bytes of an output', 'return new Uint8Array(20000)', /the outputs take more than 10000 characters/],
    ['an output that refers to itself', 'const a = {}; a.a = a; return a', /nested deeper than 64 levels/],
    ['shared outputs', 'let a = [1]; for (let i = 0; i < 50; i++) a = [a, a]; return a', /more than 10000 characters/],
    ['a long error', 'throw new Error("x".repeat(1e6))', /^.{10000,10100}$/s],
  ])('%s', (_, source, error) => {
    expect(() => run(source)).toThrow(error);
    expect(run('return 1 + 1')).toBe(2);
  });

  it('a line of the log is cut', () => {
    run('log("x".repeat(1e6))');
    expect(lines[0]).toHaveLength(20_001);
  });
});

describe('nothing leaves the sandbox', () => {
  it.each<[name: string, source: string, out: unknown]>([
    [
      'functions of the host',
      'return typeof hostLog + typeof hostRandom + typeof guest + typeof library',
      'undefined'.repeat(4),
    ],
    [
      'the realm of the host',
      'return [].constructor.constructor("return typeof process + typeof Deno + typeof fetch + typeof require")()',
      'undefined'.repeat(4),
    ],
    ['the function log', 'return log.constructor("return typeof process")()', 'undefined'],
    [
      'the constructor of an async function',
      'return (async () => {}).constructor("return typeof process")()',
      'undefined',
    ],
    [
      'errors of the host',
      'try { null.x } catch (e) { return e.constructor.constructor("return typeof process")() }',
      'undefined',
    ],
    ['modules', 'try { await import("node:fs") } catch (e) { return "refused" }', 'refused'],
    ['shared memory', 'return typeof SharedArrayBuffer + typeof Atomics + typeof WebAssembly', 'undefined'.repeat(3)],
    ['the caller', 'return (function () { return this })() === undefined', true],
    [
      'the local time zone',
      'return new Date(0).getTimezoneOffset() + String(new Date(0))',
      '0Thu Jan 01 1970 00:00:00 GMT+0000',
    ],
  ])('%s', (_, source, out) => {
    expect(run(source)).toEqual(out);
  });

  it('a run finds nothing of an earlier run, not even in built-in objects', () => {
    run(`globalThis.left = 1; Object.prototype.left = 1; Array.prototype.push = null; JSON.stringify = () => "{}";
      Object.defineProperty(Object.prototype, "out", { get: () => 5 }); Promise.prototype.then = null; return 1`);
    expect(run('return [typeof left, typeof {}.left, typeof [].push, JSON.stringify([1])]')).toEqual(
      ['undefined', 'undefined', 'function', '[1]'],
    );
  });

  it('what a script does to the built-in objects changes only its own outputs', () => {
    const source = `JSON.stringify = () => "no"; Array.prototype.toJSON = () => "no"; String.prototype.slice = null;
      Object.prototype.toJSON = () => "no"; Reflect.apply = null; return { a: [1, "b"] }`;
    expect(run(source)).toEqual({ o: { a: [1, 'b'] } });
  });
});

describe('errors', () => {
  it.each<[source: string, error: string]>([
    ['return nope', "ReferenceError: 'nope' is not defined (line 1, column 8)"],
    ['const a = 1;\n  return a.b.c', "TypeError: cannot read property 'c' of undefined (line 2, column 13)"],
    [
      'let a: number = 1;\nlet b = (a as any).b.c',
      "TypeError: cannot read property 'c' of undefined (line 2, column 21)",
    ],
    ['let a = 1;\nlet a = 2', "SyntaxError: Identifier 'a' has already been declared (line 2, column 5)"],
    ['let a = ;', 'SyntaxError: Unexpected token (line 1, column 9)'],
    ['let a: number = ;', 'SyntaxError: Unexpected token (line 1, column 17)'],
    ['if (true) {', 'SyntaxError: Unexpected token (line 1, column 12)'],
    ['enum A { B }', 'SyntaxError: an enum is code; use an object (line 1, column 1)'],
    [
      'import x from "y"',
      "SyntaxError: 'import' and 'export' may appear only with 'sourceType: module' (line 1, column 1)",
    ],
    ['throw "plain"', 'plain'],
    ['throw { a: 1n }', '{"a":1}'],
    ['throw null', 'null'],
    ['function f() { throw new RangeError("x") }\nf()', 'RangeError: x (line 1, column 36)'],
    ['await Promise.reject(new Error("later"))', 'Error: later (line 1, column 31)'],
  ])('%s', (source, error) => {
    expect(() => run(source)).toThrow(expect.objectContaining({ message: error }));
  });

  it('a promise that never ends is no endless wait', () => {
    expect(run('await new Promise(() => {})')).toBe('pending');
  });
});

describe('TypeScript', () => {
  it.each<[source: string, out: unknown]>([
    ['const a: number = 1; interface B { c: string } type D = B; return a as D as any', 1],
    ['function f<T>(this: void, a?: T, ...b: T[]): T { return a! } return f<number>(2)', 2],
    [
      'class A<T> { private readonly a: number = 3; declare b: string; get c(): number { return this.a } } return new A<string>().c',
      3,
    ],
    ['class A { static readonly b: number = 3; private static c = 4 } return [A.b, A["c"]]', [3, 4]],
    ['class A { static f() { return 1 } } class B extends A { static override f() { return 2 } } return B.f()', 2],
    ['const f = <T,>(a: T): a is T => true; return f(1) satisfies boolean', true],
    ['let a = 4 as number\n;[1].length; return a', 4],
    ['const a = 1\ntype B = number\n;(a)\nreturn 5', 5],
    ['const number = 1, f = 2; return f < number', false],
    ['for (const a of [6] as number[]) return a', 6],
    ['try { throw 1 } catch (e: unknown) { return 7 }', 7],
  ])('%s', (source, out) => {
    expect(run(source)).toEqual(out);
  });
});

it('gives the memory of a large script back, and later scripts run as before', async () => {
  expect(run('let a = []; for (let i = 0; i < 24; i++) a.push(new Uint8Array(1e6).fill(1)); return a.length')).toBe(24);
  await expect.poll(sandboxBytes).toBeLessThan(16_000_000);
  sandbox = await openSandbox(['none', 'typescript']);
  expect(run('return 1 + 1')).toBe(2);
  expect(run('const a: number = 2; return a + 1')).toBe(3);
});
