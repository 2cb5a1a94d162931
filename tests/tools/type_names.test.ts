import { expect, it } from 'vitest';
import { sourcesWithImportRules } from '../../dev/checks/imports.ts';
import { checkTypeNames, exportedTypes } from '../../dev/checks/type_names.ts';

const namesIn = (text: string) => exportedTypes({ file: 'a/b.ts', text }).map(({ name, line }) => `${name} ${line}`);

it('exported interfaces, aliases, classes and enums are listed with their lines', () => {
  const text =
    'export interface A {}\nexport type B = string;\nexport class C {}\nexport enum D {}\ninterface E {}\nexport { E };';
  expect(namesIn(text)).toEqual(['A a/b.ts:1', 'B a/b.ts:2', 'C a/b.ts:3', 'D a/b.ts:4', 'E a/b.ts:5']);
});

it('private types, values and re-exports of other files are not listed', () => {
  expect(namesIn("interface A {}\nexport const b = 1;\nexport function c() {}\nexport type { D } from './d.ts';"))
    .toEqual([]);
});

it('a type name that two files export is reported with both lines', () => {
  const sources = [
    { file: 'types/a.ts', text: 'export interface Place {}' },
    { file: 'runner/b.ts', text: '\nexport type Place = string;' },
    { file: 'runner/c.ts', text: 'type Place = number;' },
  ];
  expect(() => checkTypeNames(sources)).toThrow(
    'The exported type Place is declared 2 times, in types/a.ts:1, runner/b.ts:2: rename one.',
  );
});

it('each exported type name of the project has one declaration', async () => {
  const sources = await sourcesWithImportRules();
  expect(sources.length).toBeGreaterThan(100);
  expect(() => checkTypeNames(sources)).not.toThrow();
});
