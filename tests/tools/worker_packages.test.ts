import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';

interface Import {
  specifier: string;
  /** True for a dynamic import. */
  isLazy: boolean;
}

/** Lists the imports that a module makes at run time, without those of types. */
function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const { module, errors } = parseSync(file, text);
  expect(errors, file).toEqual([]);
  const imported = module.staticImports.filter(({ entries }) => entries.length === 0 || entries.some((e) => !e.isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.filter(({ isType }) => !isType).flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
  );
  const lazy = module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end))
    .map((literal) => /^(['"])(.*)\1$/.exec(literal)?.[2] ?? expect.fail(`${file} imports what ${literal} says`));
  return [
    ...[...imported, ...exported].map((specifier) => ({ specifier, isLazy: false })),
    ...lazy.map((specifier) => ({ specifier, isLazy: true })),
  ];
}

/** Lists the files and packages that a program loads, with or without its dynamic imports. */
function loadedBy(entries: string[], withLazy: boolean): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = entries.map((entry) => join(projectDir, entry));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file) || file.endsWith('.json')) continue;
    files.add(file);
    for (const { specifier, isLazy } of importsOf(file)) {
      if (isLazy && !withLazy) continue;
      if (specifier.startsWith('.')) waiting.push(resolve(dirname(file), specifier));
      else if (!specifier.startsWith('node:') && !builtinModules.includes(specifier)) {
        packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0]);
      }
    }
  }
  return { files, packages };
}

/** `npm run worker`, and its thread for scripts. */
const WORKER = ['runner/worker/main.ts', 'runner/worker/script_thread.ts'];

it('npm run worker needs no package that npm ci --omit=dev leaves out, for a project or a local stack', () => {
  const { dependencies, scripts } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8'));
  expect(scripts.worker).toContain('--import ./platform/loader/typescript.js runner/worker/main.ts');
  const { packages } = loadedBy([...WORKER, 'platform/loader/typescript_hooks.js'], true);
  expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
  // The walk has found packages far from the entry, also behind a dynamic import.
  expect([...packages]).toEqual(expect.arrayContaining(['@solana/kit', 'zod', 'hono', 'esbuild']));
});

it('npm run worker loads nothing of dev/, because a worker is installed without it', () => {
  const { files } = loadedBy([...WORKER, 'platform/loader/typescript_hooks.js'], true);
  expect([...files].filter((file) => file.startsWith(join(projectDir, 'dev/')))).toEqual([]);
  expect([...files]).toContain(join(projectDir, 'platform/local_stack/running_stacks.ts'));
});
