import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectDir } from '../stack/paths.ts';

/** The import map with which the functions are deployed: hosted Supabase has no package.json. */
export const importMapFile = join(projectDir, 'functions/deno.json');

/** Packages that only the worker needs. It uses esbuild to read TypeScript, and may call Postgres directly. */
const WORKER_ONLY = ['esbuild', 'postgres'];

/** Makes the import map with the versions of package.json. */
export function importMap(): string {
  const { dependencies } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const imported = Object.entries(dependencies).filter(([name]) => !WORKER_ONLY.includes(name));
  const imports = imported.flatMap(([name, version]) => [
    [name, `npm:${name}@${version}`],
    // The entry with a slash matches paths inside a package, such as hono/cors.
    [`${name}/`, `npm:/${name}@${version}/`],
  ]);
  return `${JSON.stringify({ imports: Object.fromEntries(imports) }, null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(importMapFile, importMap());
