import { transform } from 'esbuild';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Node's hook that reads a module; node:module says what it takes and gives. */
export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return await nextLoad(url, context);
  const sourcefile = fileURLToPath(url);
  const { code } = await transform(await readFile(sourcefile, 'utf8'), {
    loader: 'ts',
    sourcefile,
    sourcemap: 'inline',
    sourcesContent: false,
    target: `node${process.versions.node}`,
  });
  return { format: 'module', source: code, shortCircuit: true };
}
