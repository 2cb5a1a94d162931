import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';

const read = (name: string) => JSON.parse(readFileSync(join(projectDir, name), 'utf8'));

it('every package with an install script is marked as not to be run, so that npm install does not ask', () => {
  const { allowScripts } = read('package.json');
  const packages = Object.entries<{ hasInstallScript?: boolean }>(read('package-lock.json').packages);
  const names = packages.filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(names).not.toEqual([]);
  for (const name of names) expect(allowScripts, name).toHaveProperty([name], false);
});
