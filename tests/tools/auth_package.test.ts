import { getAuthSchemaSql } from '@supabase/lite';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadAuthPackage, makeAuthBundle } from '../../supabase/local/auth_package.ts';

it('Auth is loaded as one file, which is kept, and says what the package says', async () => {
  const file = await makeAuthBundle();
  const before = readFileSync(file);
  const { App, createPostgresConnection, getAuthSchemaSql: fromBundle } = await loadAuthPackage();
  expect(fromBundle).not.toBe(getAuthSchemaSql);
  expect(fromBundle()).toBe(getAuthSchemaSql());
  expect([typeof App, typeof createPostgresConnection]).toEqual(['function', 'function']);
  expect(await makeAuthBundle()).toBe(file);
  expect(readFileSync(file)).toEqual(before);
});
