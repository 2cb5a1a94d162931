import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';

const page = readFileSync(join(projectDir, 'docs/one_node.md'), 'utf8').replaceAll(/\s+/g, ' ');

it('docs/one_node.md tells the way of one node in at most six files, which exist', () => {
  const files = new Set([...page.matchAll(/`([\w/]+\.ts)`/g)].map(([, file]) => file!));
  expect(files.size).toBeLessThanOrEqual(6);
  expect([...files].filter((file) => !existsSync(join(projectDir, file)))).toEqual([]);
});

it('each symbol that the page places in a file is in that file', () => {
  const places = [...page.matchAll(/`([\w.]+)` in `([\w/]+\.ts)`/g)];
  expect(places).toHaveLength(6);
  const missing = places.filter(([, symbol, file]) => {
    const text = readFileSync(join(projectDir, file!), 'utf8');
    return !symbol!.split('.').every((name) => new RegExp(`\\b${name}\\(|(class|function) ${name}\\b`).test(text));
  });
  expect(missing.map(([place]) => place)).toEqual([]);
});
