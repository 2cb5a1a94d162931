import { createClient } from '@supabase/supabase-js';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { stackDir } from '../../platform/local_stack/running_stacks.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { type Stack, startStack } from '../../dev/stack/stack.ts';
import type { Database } from '../../types/database.types.ts';
import { copyStack } from '../support/blank_stack.ts';
import { npmScript } from '../support/npm_script.ts';

const exampleFile = join(projectDir, 'docs/example_flow.json');
const dir = mkdtempSync(join(tmpdir(), 'flow-demo-'));

let stack: Stack;
let port: string;

beforeAll(async () => {
  const free = await findFreePort();
  await copyStack(inject('blankStack'), stackDir(free));
  stack = await startStack({ port: free, watch: false });
  port = String(free);
});
afterAll(async () => {
  await rm(dir, { recursive: true });
  await stack?.remove();
});

/** Runs the demo, like `npm run demo -- …`. */
async function demo(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, npmScript('demo', ...args), { cwd: projectDir });
  let output = '';
  child.stdout.on('data', (chunk) => output += chunk);
  child.stderr.on('data', (chunk) => output += chunk);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

const requests = (output: string): string[] => output.split('\n').filter((line) => / \d{3} in \d+ ms/.test(line));

it('the demo boots a stack of its own, shows each request in one short line, and lists the next steps', async () => {
  const { code, output } = await demo('--port', String(await findFreePort()));
  expect(code, output).toBe(0);
  expect(output).toContain('output: {"M":{"total":{"D":"5.60"},"receipt":{"S":"2 x coffee at 2.80 = 5.60"}}}');
  expect(requests(output).length).toBeGreaterThan(10);
  for (const line of requests(output)) expect(line.length, line).toBeLessThan(150);
  expect(output).toMatch(/boots one of its own, which is deleted when the demo ends/);
  expect(output).toMatch(/All of it held\.\n\nNext:\n.*--values[^]*npm start\n.*\n$/);
  expect(output).not.toContain('Look at it in the console');
  expect(output).not.toMatch(/eyJ[\w-]+\./);
});

it('the demo passes inputs of the command line to a flow, and shows everything but secrets with --verbose', async () => {
  const { code, output } = await demo(
    '--port',
    port,
    'docs/example_flow.json',
    '--verbose',
    '--inputs',
    '{"item": {"S": "tea"}}',
  );
  expect(code, output).toBe(0);
  expect(output).toContain('"2 x tea at 2.20 = 4.40"');
  expect(output).toMatch(/← 200 in \d+ ms \[\{"id":.*"user_id":.*"chain_network":.*\}\]\n/);
  expect(output).toMatch(/→ POST .*start\?id=.* \{"inputs":\{"item":\{"S":"tea"\}\}\}/);
  expect(output).not.toMatch(/eyJ[\w-]+\./);
});

it('on a running stack, the demo leaves its flow, and its user for the console', async () => {
  const [first, again] = [
    await demo('--port', port, '--values', '{"item": "tea", "quantity": 3}'),
    await demo('--port', port),
  ];
  expect([first.code, again.code], first.output + again.output).toEqual([0, 0]);
  expect(first.output).toContain('"3 x tea at 2.20 = 6.60"');
  const left = /Look at it in the console:\n  (\S+)flows\/(\d+)\n +email +(\S+)\n +password +(\S+)\n/;
  const [, address, flowId, email, password] = left.exec(first.output) ?? [];
  expect(address).toBe(stack.status.CONSOLE_URL);
  expect(left.exec(again.output)?.slice(3)).toEqual([email, password]);
  const client = createClient<Database>(stack.status.API_URL, stack.status.PUBLISHABLE_KEY);
  const { data } = await client.auth.signInWithPassword({ email: email!, password: password! });
  const { data: flow } = await client.from('flows').select('user_id').eq('id', Number(flowId)).single().throwOnError();
  expect(flow.user_id).toBe(data.user?.id);
});

it('the demo shows the complete errors of a failed run', async () => {
  const item = 'milk '.repeat(100);
  const { code, output } = await demo('--port', port, '--inputs', JSON.stringify({ item: { S: item } }));
  expect(code).toBe(1);
  const after = output.slice(output.indexOf('\n\nThe run failed:\n'));
  expect(after).toContain(`${item} is not on the price list`);
  // The demo prints the errors first.
  expect(after).toMatch(/is not on the price list[^]*\n\noutput: /);
  expect(output.split('output: ')).toHaveLength(2);
});

it('the demo shows all findings of a flow that deploy refuses', async () => {
  const flow = JSON.parse(readFileSync(exampleFile, 'utf8'));
  const [{ id }] = flow.nodes;
  const file = join(dir, 'twice.json');
  await writeFile(file, JSON.stringify({ ...flow, nodes: [...flow.nodes, flow.nodes[0], flow.nodes[1]] }));
  const { code, output } = await demo('--port', port, file);
  expect(code).toBe(1);
  expect(output).toMatch(/The demo failed: 422 flow_invalid: .*\n\[\{/);
  expect(output.split(id).length).toBeGreaterThan(1);
});

describe('the demo refuses in one line', () => {
  it.each([
    ['a missing file', ['nowhere.json'], /^\nThe file .* does not exist\.\n$/],
    ['a file that holds no flow', ['package.json'], /^\nThe file must hold a flow as the editor exports it/],
    ['a file that holds no JSON', ['README.md'], /^\n.*README.md must be JSON: .*\n$/],
    ['inputs that are not JSON', ['--inputs', '{item}'], /^\n--inputs must be JSON: .*\n$/],
    [
      'inputs that are not tagged',
      ['--inputs', '{"item": "tea"}'],
      /^\n--inputs takes .*"quantity": \{"U": "3"\}[^]*inputs\.item\n$/,
    ],
    ['values that are not JSON', ['--values', '{item}'], /^\n--values must be JSON: .*\n$/],
    ['both', ['--values', '{}', '--inputs', '{}'], /^\nGive either --values or --inputs, not both\.\n/],
    ['an unknown option', ['--foo'], /^\nUnknown option '--foo'\.\nnpm run demo -- \[--port N\].*\n$/],
    ['two files', ['a.json', 'b.json'], /^\nGive only one flow\.\nnpm run demo .*\n$/],
  ])('%s', async (_what, args, says) => {
    const { code, output } = await demo(...args);
    expect(code).toBe(1);
    // The output begins with the refusal, so nothing was booted before.
    expect(output).toMatch(says);
  });
});
