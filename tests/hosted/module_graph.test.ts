import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { denoBinary, functionNames } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';

interface Module {
  specifier: string;
  dependencies?: { code?: { specifier: string }; isDynamic?: boolean }[];
}

/** Lists the modules of a function. */
async function modulesOf(name: string): Promise<Module[]> {
  const { stdout } = await promisify(execFile)(
    denoBinary(),
    ['info', '--json', '--config', 'deno.json', `functions/${name}/index.ts`],
    { cwd: projectDir, env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' }, maxBuffer: 64 * 2 ** 20 },
  );
  return (JSON.parse(stdout) as { modules: Module[] }).modules;
}

/** Lists the npm packages that a function loads. */
async function packagesOf(name: string): Promise<string[]> {
  const modules = await modulesOf(name);
  const names = modules.map(({ specifier }) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(specifier)?.[1] ?? '');
  return [...new Set(names)].filter((found) => found !== '');
}

/** Matches packages of Solana. Loading them takes most of the start time of a function. */
const isSolana = (name: string): boolean => name.startsWith('@solana');

it.each(functionNames())('%s loads the packages of Solana only if it reads or makes transactions', async (name) => {
  const packages = await packagesOf(name);
  expect(packages).toContain('zod');
  expect(packages.some(isSolana)).toBe(['action', 'runner', 'signature'].includes(name));
});

const SANDBOX = /runner\/script\/(?:machine\.ts|generated\/)/;
const TOOLS = /runner\/described\/mcp\/|node_modules\/@modelcontextprotocol\/client\//;

it.each([
  ['flow', 'the sandbox of scripts', SANDBOX],
  ['runner', 'the sandbox of scripts', SANDBOX],
  ['runner', 'the client of MCP servers', TOOLS],
  ['nodes', 'the client of MCP servers', TOOLS],
])('%s loads %s only when it is needed', async (name, _what, pattern) => {
  const edges = (await modulesOf(name)).flatMap(({ specifier, dependencies = [] }) =>
    dependencies.map(({ code, isDynamic }) => ({ from: specifier, to: code?.specifier ?? '', isDynamic }))
  );
  const isHeavy = (specifier: string) => pattern.test(specifier);
  const into = edges.filter(({ from, to }) => isHeavy(to) && !isHeavy(from));
  expect(into).not.toEqual([]);
  expect(into.filter(({ isDynamic }) => isDynamic !== true)).toEqual([]);
});
