import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientDir } from './paths.ts';

const PEER = '@supabase/supabase-js';

/** The parts of the built package, each with its import name, source and file. */
export const entryPoints = [
  { name: '.', source: 'index.ts', file: 'index' },
  { name: './editor-flow', source: 'editor_flow.ts', file: 'editor_flow' },
  { name: './describing', source: 'describing/index.ts', file: 'describing' },
] as const;

/**
 * Makes the package.json of the built package. The package.json of the workspace names source files instead of built
 * files, so that a checkout needs no build. It declares no peer dependency, because npm would then also install
 * supabase-js for workers.
 */
export function publishedManifest(): Record<string, unknown> {
  const { private: _private, ...manifest } = JSON.parse(readFileSync(join(clientDir, 'package.json'), 'utf8'));
  return {
    ...manifest,
    exports: Object.fromEntries(
      entryPoints.map(({ name, file }) => [name, { types: `./${file}.d.ts`, default: `./${file}.js` }]),
    ),
    bin: { flows: 'flows.js' },
    peerDependencies: { [PEER]: '^2.50.0' },
    peerDependenciesMeta: { [PEER]: { optional: true } },
  };
}
