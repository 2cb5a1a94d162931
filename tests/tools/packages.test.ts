import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';

const read = (name: string) => JSON.parse(readFileSync(join(projectDir, name), 'utf8'));

it('says of every package that has an install script that it need not run, so that npm install asks nobody', () => {
  const { allowScripts } = read('package.json');
  const packages = Object.entries<{ hasInstallScript?: boolean }>(read('package-lock.json').packages);
  const names = packages.filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(names).not.toEqual([]);
  for (const name of names) expect(allowScripts, name).toHaveProperty([name], false);
});
