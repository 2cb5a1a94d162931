import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientDir } from './paths.ts';

const PEER = '@supabase/supabase-js';

/** The parts of the built package: how others import each, its source and its file. */
export const entryPoints = [
  { name: '.', source: 'index.ts', file: 'index' },
  { name: './editor-flow', source: 'editor_flow.ts', file: 'editor_flow' },
] as const;

/**
 * The package.json of the built package. That of the workspace names sources, so that the checkout needs no build, and
 * no peer, which npm would install for workers, too.
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
