import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { makeAuthBundle } from '../../dev/stack/auth/auth_package.ts';
import { projectDir } from '../../dev/stack/paths.ts';

/**
 * Runs a program in a separate process, because vitest transforms imports, and because changes that Auth makes to this
 * process would stay.
 */
const run = (program: string) =>
  promisify(execFile)(
    process.execPath,
    ['--import', './platform/loader/typescript.js', '--input-type=module', '--eval', program],
    { cwd: projectDir },
  );

it('Auth is loaded as one cached file, with the exports of the package', async () => {
  const file = await makeAuthBundle();
  const { mtimeMs } = statSync(file);
  const { stdout } = await run(`
    import { getAuthSchemaSql } from '@supabase/lite';
    import { loadAuthPackage } from './dev/stack/auth/auth_package.ts';
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

it('a warning after Auth is loaded is reported and does not throw', async () => {
  const { stderr } = await run(`
    import { loadAuthPackage } from './dev/stack/auth/auth_package.ts';
    await loadAuthPackage();
    process.emitWarning(new Error('as an Error'));
    process.emitWarning('as a text');`);
  expect(stderr).toMatch(/Error: as an Error[^]*Warning: as a text/);
});
