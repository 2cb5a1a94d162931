import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { makeAuthBundle } from '../../dev/stack/auth_package.ts';
import { projectDir } from '../../dev/stack/paths.ts';

/** Runs a program in a process of its own: what vitest imports it reads in its own way, and what Auth changes stays. */
const run = (program: string) =>
  promisify(execFile)(
    process.execPath,
    ['--import', './dev/loader/typescript.js', '--input-type=module', '--eval', program],
    { cwd: projectDir },
  );

it('Auth is loaded as one file, which is kept, and says what the package says', async () => {
  const file = await makeAuthBundle();
  const { mtimeMs } = statSync(file);
  const { stdout } = await run(`
    import { getAuthSchemaSql } from '@supabase/lite';
    import { loadAuthPackage } from './dev/stack/auth_package.ts';
    const { App, createPostgresConnection, getAuthSchemaSql: fromBundle } = await loadAuthPackage();
    console.log(JSON.stringify({
      isBundle: fromBundle !== getAuthSchemaSql,
      saysTheSame: fromBundle() === getAuthSchemaSql(),
      types: [typeof App, typeof createPostgresConnection],
    }));`);
  expect(JSON.parse(stdout)).toEqual({ isBundle: true, saysTheSame: true, types: ['function', 'function'] });
  expect(await makeAuthBundle()).toBe(file);
  expect(statSync(file).mtimeMs).toBe(mtimeMs);
});

it('a warning of whoever has loaded Auth is told, and throws nothing, whatever it is', async () => {
  const { stderr } = await run(`
    import { loadAuthPackage } from './dev/stack/auth_package.ts';
    await loadAuthPackage();
    process.emitWarning(new Error('as an Error'));
    process.emitWarning('as a text');`);
  expect(stderr).toMatch(/Error: as an Error[^]*Warning: as a text/);
});
