import { expect, it } from 'vitest';
import { BLOCKED_SQL, checkMultigres } from '../../dev/checks/multigres.ts';

const check = (file: string, text: string) => () => checkMultigres([{ file, text }]);

it.each(BLOCKED_SQL.map(({ name, canary }) => [name, canary]))(
  '%s is refused in SQL and in scripts',
  (name, canary) => {
    expect(check('a.sql', `select 1;\n${canary}`)).toThrow(`a.sql:2: Multigres refuses ${name}.`);
    expect(check('a.ts', `f();\nsql\`${canary}\`;`)).toThrow(`a.ts:2: Multigres refuses ${name}.`);
    expect(check('a.ts', `sql(${JSON.stringify(canary)})`)).toThrow(`a.ts:1: Multigres refuses ${name}.`);
  },
);

it('comments and words of programs are allowed', () => {
  expect(check('a.sql', "-- load 'x' by dblink\ncomment on table t is 'Loads files.';")).not.toThrow();
  expect(check('a.ts', "// alter system\nconst load = 'load'; lo_get();")).not.toThrow();
});
