import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { denoBinary } from '../../dev/stack/functions.ts';

const root = join(import.meta.dirname, '../..');

const SCRIPTS: [source: string, result: unknown][] = [
  ['for (;;);', expect.stringContaining('node_cpu_limit: not finished after 500 ms')],
  ['return /^(a+)+$/.test("a".repeat(60) + "b")', expect.stringContaining('node_cpu_limit')],
  ['return new Array(1e9) + ""', expect.stringContaining('node_cpu_limit')],
  ['return new Uint8Array(4e7)', expect.stringContaining('out of memory')],
  ['function f() { return f() + 1 } return f()', expect.stringContaining('stack overflow')],
  ['return typeof Deno + typeof process + typeof Worker', { output: { S: 'undefined'.repeat(3) } }],
  ['return [id + 1n, odd]', { output: { A: [{ U: '820982911946154509' }, { D: '1.10000000000000000001' }] } }],
  ['return JSON.stringify({ id, odd })', {
    output: { S: '{"id":820982911946154508,"odd":1.10000000000000000001}' },
  }],
  ['return odd + 1', expect.stringContaining('1.10000000000000000001 has too many digits to compute with')],
  ['const a: number = 1; return a + 1', { output: { U: '2' } }],
];

it('the sandbox holds its bounds in Deno without web workers and without any permission', async () => {
  const { stdout } = await promisify(execFile)(
    denoBinary(),
    [
      'run',
      '--config',
      join(root, 'deno.json'),
      '--no-prompt',
      'tests/support/sandbox_in_deno.ts',
      ...SCRIPTS.map(([source]) => source),
    ],
    { cwd: root, env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' } },
  );
  expect(JSON.parse(stdout)).toEqual(SCRIPTS.map(([, result]) => result));
});
