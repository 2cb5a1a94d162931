import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import { supportedNodes } from './supported_nodes.ts';

const read = (file: string) => readFileSync(join(projectDir, file), 'utf8');

it('CI tests all versions of Node in engines of package.json', () => {
  const [, matrix] = /^ +node: \[(.*)\]$/m.exec(read('.github/workflows/ci.yml')) ?? [];
  expect(matrix?.split(', ')).toEqual(supportedNodes());
});

it('the client runs on the oldest version and on all newer ones', () => {
  const { engines } = JSON.parse(read('client/package.json')) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${supportedNodes()[0]}`);
});

it.each(['README.md', 'CONTRIBUTING.md', 'docs/guides/local_stack.md'])('%s names all versions', (file) => {
  const versions = supportedNodes();
  expect(read(file)).toContain(`You need Node ${versions.slice(0, -1).join(', ')} or ${versions.at(-1)}`);
});
