import { expect, it } from 'vitest';
import { BLOCKED_SQL, checkMultigres } from '../../dev/checks/multigres.ts';

const check = (file: string, text: string) => () => checkMultigres([{ file, text }]);

/** A known mistake for each name. */
const MISTAKES: { [name: string]: string } = {
  'synchronous_commit': "select set_config('synchronous_commit', 'off', true);",
  'dblink': "select * from dblink_exec('dbname=other', 'delete from t');",
  'a foreign server': 'create server other\n  foreign data wrapper postgres_fdw;',
  'LOAD': "load 'auto_explain';",
  'ALTER SYSTEM': "alter system set max_connections = '1';",
  'a large object': "select lo_from_bytea(0, 'x');",
  "a function that reads the server's files": "select pg_read_file('postgresql.conf');",
};

it.each(BLOCKED_SQL.map(({ name }) => name))('%s is refused in SQL and in scripts', (name) => {
  const mistake = MISTAKES[name];
  expect(check('a.sql', `select 1;\n${mistake}`)).toThrow(`a.sql:2: Multigres refuses ${name}.`);
  expect(check('a.ts', `f();\nsql\`${mistake}\`;`)).toThrow(`a.ts:2: Multigres refuses ${name}.`);
  expect(check('a.ts', `sql(${JSON.stringify(mistake)})`)).toThrow(`a.ts:1: Multigres refuses ${name}.`);
});

it('comments and words of programs are allowed', () => {
  expect(check('a.sql', "-- load 'x' by dblink\ncomment on table t is 'Loads files.';")).not.toThrow();
  expect(check('a.ts', "// alter system\nconst load = 'load'; lo_get();")).not.toThrow();
});
