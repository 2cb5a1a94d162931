import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import { keptDeclarations } from '../support/client_declarations.ts';

const dir = mkdtempSync(join(tmpdir(), 'flow-declarations-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('declarations are reused until a source, a version or the compiler changes', () => {
  for (const path of ['client', 'types', 'tsconfig.json', 'package-lock.json']) {
    cpSync(join(projectDir, path), join(dir, path), { recursive: true });
  }
  let made = 0;
  const ask = () =>
    keptDeclarations({ dir, file: join(dir, 'kept.json'), make: () => new Map([['index.d.ts', String(++made)]]) });
  const numbered = (count: number) => new Map([['index.d.ts', String(count)]]);
  const change = (path: string) => appendFileSync(join(dir, path), '\n');
  expect([ask(), ask()]).toEqual([numbered(1), numbered(1)]);
  const parts = [
    'client/index.ts',
    'client/build/tsconfig.json',
    'client/build/declarations.ts',
    'types/values/value.ts',
    'types/database.types.ts',
    'tsconfig.json',
    'package-lock.json',
  ];
  for (const [count, path] of parts.entries()) {
    change(path);
    expect([ask(), ask()], path).toEqual([numbered(count + 2), numbered(count + 2)]);
  }
  mkdirSync(join(dir, 'types/more'));
  writeFileSync(join(dir, 'types/more/new.ts'), '');
  ask();
  rmSync(join(dir, 'types/more/new.ts'));
  ask();
  expect(made, 'files that come and go count').toBe(parts.length + 3);

  change('client/methods/inputs.test.ts');
  expect([...ask()], 'tests do not').toEqual([['index.d.ts', String(made)]]);
  expect(made).toBe(parts.length + 3);
  expect(readFileSync(join(dir, 'kept.json'), 'utf8')).not.toContain('"index.d.ts","1"');
});
