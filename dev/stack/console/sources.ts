import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir } from '../paths.ts';

/** All that the built console is made of. */
const SOURCES = ['console', 'client', 'types', 'package-lock.json'];

/** What changes nothing in the build. */
const isLeftOut = (path: string): boolean =>
  /(^|\/)(node_modules|dist)(\/|$)|\.test\.ts$|\.md$|^console\/tools\//.test(path);

/** The files under the sources, in order, by their paths from the project's root. */
async function sourceFiles(): Promise<string[]> {
  const lists = await Promise.all(SOURCES.map(async (source) => {
    if (source.includes('.')) return [source];
    const entries = await readdir(join(projectDir, source), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(projectDir.length + 1));
  }));
  return lists.flat().filter((path) => !isLeftOut(path)).sort();
}

/** A hash of the console's sources, of the client's and of the locked versions: equal hashes, equal builds. */
export async function hashConsoleSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const path of await sourceFiles()) {
    hash.update(`${path}\0`).update(await readFile(join(projectDir, path))).update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}
