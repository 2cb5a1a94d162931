import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { denoBinary, functionNames } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';

/** Lists the npm packages that a function loads. */
async function packagesOf(name: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    denoBinary(),
    ['info', '--json', '--config', 'deno.json', `functions/${name}/index.ts`],
    { cwd: projectDir, env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' }, maxBuffer: 64 * 2 ** 20 },
  );
  const { modules } = JSON.parse(stdout) as { modules: { specifier: string }[] };
  const names = modules.map(({ specifier }) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(specifier)?.[1] ?? '');
  return [...new Set(names)].filter((found) => found !== '');
}

/** Tests for packages of Solana, which take most of the start time of a function. */
const isSolana = (name: string): boolean => name.startsWith('@solana');

it.each(functionNames())('%s loads the packages of Solana only if it reads or makes transactions', async (name) => {
  const packages = await packagesOf(name);
  expect(packages).toContain('zod');
  expect(packages.some(isSolana)).toBe(['action', 'runner', 'signature'].includes(name));
});
