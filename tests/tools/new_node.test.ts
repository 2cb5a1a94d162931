import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { denoBinary } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { StackError } from '../../dev/stack/stack_error.ts';
import { makeNode } from '../../dev/nodes/make_node.ts';
import { nodeDefinitionSchema } from '../../types/node_definition.ts';
import { npmScript } from '../support/npm_script.ts';

const COPIED =
  '.oxlintrc.json deno.json package.json tsconfig.json client docs functions runner sql types dev tests/engine tests/support'
    .split(' ');

/** A copy of the parts of the project that nodes need. The tests make nodes in it. */
let copy: string;

interface Result {
  code: number;
  output: string;
}

/** Runs a program in the copy, without the environment of this test run. */
const run = (command: string, ...args: string[]): Promise<Result> => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  return new Promise((resolve) => {
    execFile(command, args, { cwd: copy, env: { ...env, NO_COLOR: '1' } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
};

const newNode = (...args: string[]) => run(process.execPath, ...npmScript('nodes:new', ...args));
const program = (name: string, ...args: string[]) => run(join(copy, 'node_modules/.bin', name), ...args);

const nodesDir = () => join(copy, 'runner/nodes');
const registry = () => readFileSync(join(nodesDir(), 'registry.ts'), 'utf8');

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'flow-new-node-'));
  for (const path of COPIED) cpSync(join(projectDir, path), join(copy, path), { recursive: true });
  symlinkSync(join(projectDir, 'node_modules'), join(copy, 'node_modules'));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('nodes:new', () => {
  // In the order of names, one id comes before all existing nodes, one between them, and one after them.
  const ids = ['a_first_node', 'fooBar2_NFT', 'zzz'];

  it('makes folders of nodes that are formatted, linted, typed, tested and registered', async () => {
    // The command makes one node. The function that the command calls makes the others.
    const [first, ...others] = ids as [string, ...string[]];
    const { code, output } = await newNode(first);
    expect(code, output).toBe(0);
    const outputs = [output, ...others.map((id) => makeNode([id], copy))];
    for (const [index, id] of ids.entries()) expect(outputs[index]).toContain(`npm test -- nodes/${id}/`);
    const folders = ids.map((id) => join('runner/nodes', id));
    for (const folder of folders) {
      expect(readdirSync(join(copy, folder)).toSorted()).toEqual([
        'definition.json',
        'example.json',
        'index.test.ts',
        'index.ts',
      ]);
    }
    writeFileSync(
      join(copy, 'only_these.config.ts'),
      `export default { test: { include: ['runner/nodes/*/*.test.ts', 'tests/engine/registry.test.ts'] } };\n`,
    );
    const made = folders.map((folder) => `${folder}/*.ts`);
    writeFileSync(
      join(copy, 'only_these.tsconfig.json'),
      JSON.stringify({ extends: './tsconfig.json', include: ['runner/nodes/registry.ts', ...made] }),
    );
    const checks = await Promise.all([
      run(
        denoBinary(),
        'fmt',
        '--config',
        'deno.json',
        '--check',
        ...folders,
        'runner/nodes/registry.ts',
      ),
      program('oxlint', '--deny-warnings', 'runner/nodes'),
      program('tsc', '-p', 'only_these.tsconfig.json'),
      // Check only the new nodes, because Deno would take many times as long for the whole runner.
      run(denoBinary(), 'check', '--quiet', ...folders.map((folder) => `${folder}/index.ts`)),
      program('vitest', 'run', '--config', 'only_these.config.ts', 'registry', ...ids),
    ]);
    expect(checks.filter(({ code }) => code !== 0)).toEqual([]);
    expect(checks.at(-1)!.output).toMatch(/Test Files +4 passed/);
    const docs = await run(process.execPath, ...npmScript('docs'));
    expect(docs.code, docs.output).toBe(0);
    const page = readFileSync(join(copy, 'docs/reference/nodes.md'), 'utf8');
    for (const id of ids) expect(page).toContain(`### ${id}`);
  });

  it('writes definitions that zod accepts, with the id and a readable name', () => {
    const definitions = ids.map((id) => JSON.parse(readFileSync(join(nodesDir(), id, 'definition.json'), 'utf8')));
    expect(definitions.map((definition) => nodeDefinitionSchema.safeParse(definition).success)).toEqual([
      true,
      true,
      true,
    ]);
    expect(definitions.map(({ data }) => [data.node_id, data.display_name])).toEqual([
      ['a_first_node', 'A First Node'],
      ['fooBar2_NFT', 'FooBar2 NFT'],
      ['zzz', 'Zzz'],
    ]);
  });

  it('keeps the registry in order', () => {
    const names = [...registry().matchAll(/^ {2}(\w+Node),$/gm)].map(([, name]) => name);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(['aFirstNodeNode', 'constNode', 'fooBar2NFTNode', 'zzzNode']));
    const folders = [...registry().matchAll(/from '\.\/([^/]+)\//g)].map(([, folder]) => folder);
    expect(folders).toEqual(folders.toSorted());
  });

  it.each([
    ['no id', []],
    ['two ids', ['one', 'two']],
    ['an empty id', ['']],
    ['an id that starts with a digit', ['1st']],
    ['an id that starts with a capital', ['Node']],
    ['a hyphen', ['my-node']],
    ['a path', ['../evil']],
    ['__proto__', ['__proto__']],
    ['two adjacent _', ['a__b']],
    ['a closing _', ['a_']],
    ['more than 64 characters', ['x'.repeat(65)]],
    ['an existing id', ['const']],
    ['an id that differs from an existing one only in case', ['flow_Input']],
    ['an id whose export would have the same name as another one', ['flowInput']],
  ])('refuses %s and writes nothing', (_what, args) => {
    const before = [readdirSync(nodesDir()), registry()];
    let refusal: unknown;
    try {
      makeNode(args, copy);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(StackError);
    expect((refusal as StackError).message).toMatch(/npm run nodes:new|already/);
    expect([readdirSync(nodesDir()), registry()]).toEqual(before);
  });

  it('ends with 1 and only the reason if it refuses', async () => {
    const { code, output } = await newNode('const');
    expect(code).toBe(1);
    expect(output).toBe('There is a node const already: runner/nodes/const\n');
  });

  it('does not change the project itself', () => {
    for (const id of ids) expect(existsSync(join(projectDir, 'runner/nodes', id))).toBe(false);
  });
});
