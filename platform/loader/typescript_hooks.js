import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const target = `node${process.versions.node}`;
const manifest = createRequire(import.meta.url).resolve('esbuild/package.json');
const { version } = JSON.parse(readFileSync(manifest, 'utf8'));

/**
 * The cache of compiled files, by their contents. Starting esbuild takes as long as all other work of a short command.
 */
const folder = join(dirname(manifest), `../.cache/flow-deployments/esbuild-${version}-${target}`);

function readKept(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function keep(file, code) {
  try {
    mkdirSync(folder, { recursive: true });
    // The file is written under another name first, because other processes may read it meanwhile.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, code);
    renameSync(draft, file);
  } catch {
    // If the cache can't be written, each process compiles the file anew.
  }
}

async function stripTypes(sourcefile, source) {
  const { transform } = await import('esbuild');
  const { code } = await transform(source, {
    loader: 'ts',
    sourcefile,
    sourcemap: 'inline',
    sourcesContent: false,
    target,
  });
  return code;
}

/** Loads a module; see the documentation of node:module for parameters and result. */
export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return await nextLoad(url, context);
  const path = fileURLToPath(url);
  const text = readFileSync(path, 'utf8');
  // Only the file's base name enters the source map, so all checkouts share the cache.
  const name = basename(path);
  const file = join(folder, createHash('sha256').update(`${name}\n`).update(text).digest('hex'));
  let source = readKept(file);
  if (source === undefined) {
    source = await stripTypes(name, text);
    keep(file, source);
  }
  return { format: 'module', source, shortCircuit: true };
}
