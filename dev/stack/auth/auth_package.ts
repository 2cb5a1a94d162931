import type { App, getAuthSchemaSql } from '@supabase/lite';
import type { createPostgresConnection } from '@supabase/lite/postgres';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../paths.ts';

interface AuthPackage {
  App: typeof App;
  createPostgresConnection: typeof createPostgresConnection;
  getAuthSchemaSql: typeof getAuthSchemaSql;
}

const SOURCE = `
export { App, getAuthSchemaSql } from '@supabase/lite';
export { createPostgresConnection } from '@supabase/lite/postgres';`;

/** One of the bundled packages uses require for Node's built-in modules. */
const BANNER = `
import { createRequire as makeRequireOfBundle } from 'node:module';
const require = makeRequireOfBundle(import.meta.url);`;

/**
 * Makes one file from the package and all its imports. The file's name depends on the installed packages, so that other
 * packages get another file.
 */
export async function makeAuthBundle(): Promise<string> {
  const packages = join(projectDir, 'node_modules');
  const installed = createHash('sha256').update(await readFile(join(packages, '.package-lock.json'))).digest('hex');
  const file = join(packages, `.cache/flow-deployments/auth-${installed.slice(0, 16)}.mjs`);
  if (existsSync(file)) return file;
  const { build } = await import('esbuild');
  const draft = `${file}.${process.pid}`;
  await build({
    stdin: { contents: SOURCE, resolveDir: projectDir },
    bundle: true,
    external: ['postgres'],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: BANNER },
    outfile: draft,
    logLevel: 'silent',
  });
  await rename(draft, file);
  return file;
}

async function importAuthPackage(): Promise<AuthPackage> {
  const file = await makeAuthBundle().catch(() => undefined);
  if (file !== undefined) return await import(pathToFileURL(file).href);
  const [lite, postgres] = await Promise.all([import('@supabase/lite'), import('@supabase/lite/postgres')]);
  return { ...lite, ...postgres };
}

/**
 * Loads Supabase's Auth as a package. Loading its 350 files takes 1.5 s of CPU; loading one bundled file takes a fifth
 * of that. If no bundle can be made, for example without write access to node_modules, the 350 files are loaded.
 */
export async function loadAuthPackage(): Promise<AuthPackage> {
  // The package replaces emitWarning by a function that throws if the warning is an Error, such as the warning about
  // too many listeners. The original function is restored.
  const { emitWarning } = process;
  try {
    return await importAuthPackage();
  } finally {
    process.emitWarning = emitWarning;
  }
}
