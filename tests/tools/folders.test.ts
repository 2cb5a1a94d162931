import { expect, it } from 'vitest';
import { checkFolders, largeFolders, manyImports } from '../../dev/checks/folders.ts';
import type { Source } from '../../dev/checks/imports.ts';

const files = (count: number, folder = 'a', lines = 1): Source[] =>
  Array.from({ length: count }, (_, index) => ({ file: `${folder}/f${index}.ts`, text: '//\n'.repeat(lines) }));

const importing = (count: number): string =>
  Array.from({ length: count }, (_, index) => `import './m${index}.ts';\n`).join('');

it('a folder may have 25 files beside its subfolders', () => {
  expect(largeFolders([...files(25), ...files(25, 'a/b')])).toEqual([]);
  expect(largeFolders(files(26))).toEqual(['a has 26 source files, and may have 25: move some to a subfolder.']);
});

it('a folder without subfolders may have 2,500 lines', () => {
  expect(largeFolders(files(10, 'a', 250))).toEqual([]);
  expect(largeFolders(files(10, 'a', 251))).toEqual([
    'a has 2510 lines, and a folder without subfolders may have 2500: give it subfolders.',
  ]);
  expect(largeFolders([...files(10, 'a', 251), ...files(1, 'a/b')])).toEqual([]);
});

it('a file may import 15 modules, each as often as it likes', () => {
  const text = importing(15);
  expect(manyImports([{ file: 'a.ts', text: text + text }], [])).toEqual([]);
  expect(manyImports([{ file: 'a.ts', text: importing(16) }], [])).toEqual([
    'a.ts imports 16 modules, and may import 15: split it.',
  ]);
});

it('a list may import more, and an exception that is not needed is a fault', () => {
  expect(manyImports([{ file: 'a.ts', text: importing(20) }], ['a.ts'])).toEqual([]);
  expect(manyImports([{ file: 'a.ts', text: importing(15) }], ['a.ts'])).toEqual([
    'a.ts imports 15 modules and is no exception: take it out of dev/checks/folders.ts.',
  ]);
  expect(manyImports([], ['a.ts'])).toEqual([
    'a.ts imports 0 modules and is no exception: take it out of dev/checks/folders.ts.',
  ]);
});

it('a fault of either kind is thrown', () => {
  expect(() => checkFolders(files(26))).toThrow('26 source files');
  expect(() => checkFolders([], files(26, 'sql/a'))).toThrow('sql/a has 26 source files');
  expect(() => checkFolders([{ file: 'a.ts', text: importing(16) }], [], [])).toThrow('16 modules');
});
