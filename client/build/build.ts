import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { buildDeclarations } from './declarations.ts';
import { entryPoints, publishedManifest } from './manifest.ts';
import { clientDir, projectDir } from './paths.ts';
import { buildRelease } from './release.ts';

/** Collects the licences of all bundled packages, because the licences require that every copy includes them. */
function licencesOf(builds: readonly Metafile[]): string {
  const outputs = builds.flatMap((metafile) => Object.values(metafile.outputs));
  const bundled = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
  );
  const packages = bundled.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
    .filter((path) => path !== undefined);
  return [...new Set(packages)].toSorted().map((path) => {
    const dir = join(projectDir, path);
    const { name, version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
    const file = ['LICENSE', 'LICENSE.md', 'LICENCE'].map((file) => join(dir, file)).find(existsSync);
    if (file === undefined) throw new Error(`${dir} has no licence file, which the built package must contain.`);
    return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`;
  }).join(`\n${'-'.repeat(80)}\n\n`);
}

/**
 * Empties a folder, and builds the package into it: ES modules, declarations, the command, the files that the command
 * installs, and licences.
 */
export async function buildClient(dir: string, declarations = buildDeclarations()): Promise<void> {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const shared = {
    absWorkingDir: projectDir,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
  } as const;
  const library = await build({
    ...shared,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    // Some packages name no other file that needs no Node.
    conditions: ['browser'],
    entryPoints: entryPoints.map(({ source, file }) => ({ in: join(clientDir, source), out: file })),
    // The parts share code, so that errors of all parts are instances of the same class FlowError.
    splitting: true,
    chunkNames: 'shared_[hash]',
    outdir: dir,
  });
  const command = await build({
    ...shared,
    platform: 'node',
    target: 'node20',
    entryPoints: [join(clientDir, 'shell/published.ts')],
    banner: { js: '#!/usr/bin/env node' },
    outfile: join(dir, 'flows.js'),
  });
  chmodSync(join(dir, 'flows.js'), 0o755);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  };
  for (const [name, text] of declarations) write(name, text);
  for (const [path, text] of (await buildRelease()).files) write(`supabase/${path}`, text);
  write('package.json', `${JSON.stringify(publishedManifest(), null, 2)}\n`);
  write('README.md', readFileSync(join(clientDir, 'README.md'), 'utf8'));
  write('LICENSE', readFileSync(join(projectDir, 'LICENSE'), 'utf8'));
  write('THIRD_PARTY_LICENSES', licencesOf([library.metafile, command.metafile]));
}
