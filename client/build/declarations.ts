import { join } from 'node:path';
import { generateDtsBundle } from 'dts-bundle-generator';
import { clientDir } from './paths.ts';
import { entryPoints } from './manifest.ts';

/** The declarations of each part, by file name: one file with all the types that it needs, and no imports. */
export function buildDeclarations(): Map<string, string> {
  const bundles = generateDtsBundle(
    entryPoints.map(({ source }) => ({ filePath: join(clientDir, source), output: { noBanner: true } })),
    { preferredConfigPath: join(clientDir, 'build/tsconfig.json') },
  );
  return new Map(entryPoints.map(({ file }, index) => [`${file}.d.ts`, bundles[index]!]));
}
