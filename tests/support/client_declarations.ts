import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildDeclarations } from '../../client/build/declarations.ts';
import { projectDir } from '../../dev/stack/paths.ts';

/**
 * The inputs of the declarations: the sources that the client imports, the compiler's options, and the versions of
 * packages.
 */
const SOURCES = ['client', 'types', 'tsconfig.json', 'package-lock.json'];

const KEPT = join(projectDir, 'node_modules/.cache/client_declarations.json');

/** Hashes names and contents of the sources below a folder, without tests and built files. */
function hashSources(dir: string): string {
  const hash = createHash('sha256');
  const isSource = (name: string) => /\.(ts|json)$/.test(name) && !/\.test\.ts$|(^|\/)(dist|node_modules)\//.test(name);
  for (const source of SOURCES) {
    const isFile = source.endsWith('.json');
    const names = isFile ? [''] : readdirSync(join(dir, source), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((name) => isFile || isSource(name)).toSorted()) {
      const content = readFileSync(join(dir, source, name));
      hash.update(JSON.stringify([source, name, content.length])).update(content);
    }
  }
  return hash.digest('hex');
}

/**
 * Returns the declarations of the client's package. They take seconds to make, so they are cached while their inputs do
 * not change.
 */
export function keptDeclarations(
  { dir = projectDir, file = KEPT, make = buildDeclarations } = {},
): Map<string, string> {
  const hash = hashSources(dir);
  if (existsSync(file)) {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { hash: string; declarations: [string, string][] };
    if (kept.hash === hash) return new Map(kept.declarations);
  }
  const declarations = make();
  mkdirSync(dirname(file), { recursive: true });
  // Replace the file in one step, so that readers get either the old or the new file.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ hash, declarations: [...declarations] }));
  renameSync(`${file}.${process.pid}`, file);
  return declarations;
}
