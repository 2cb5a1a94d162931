import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir } from '../paths.ts';

/** The sources of the built console. */
const SOURCES = [
  'console',
  'client',
  'types',
  'docs',
  'runner',
  'platform',
  'package-lock.json',
];

/** Matches files that do not affect the build. */
const isLeftOut = (path: string): boolean =>
  /(^|\/)(node_modules|dist)(\/|$)|\.test\.ts$|^(?!docs\/|runner\/nodes\/).*\.md$/.test(path);

/** Lists the files of the sources in order, by their paths from the project's root. */
async function sourceFiles(): Promise<string[]> {
  const lists = await Promise.all(SOURCES.map(async (source) => {
    if (source.includes('.')) return [source];
    const entries = await readdir(join(projectDir, source), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(projectDir.length + 1));
  }));
  return lists.flat().filter((path) => !isLeftOut(path)).sort();
}

/**
 * Hashes the sources of the console, the client and the documentation, and the locked versions. Equal hashes mean equal
 * builds.
 */
export async function hashConsoleSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const path of await sourceFiles()) {
    hash.update(`${path}\0`).update(await readFile(join(projectDir, path))).update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}
