import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildDeclarations } from '../../client/build/declarations.ts';
import { projectDir } from '../../supabase/local/paths.ts';

/** All that declarations are made of: what the client imports of the project, the compiler's options, and the versions of packages. */
const SOURCES = ['client', 'types', 'tsconfig.json', 'package-lock.json'];

const KEPT = join(projectDir, 'node_modules/.cache/client_declarations.json');

/** Names and contents of the sources below a folder. Tests and what was built are none of them. */
export function hashSources(dir: string): string {
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
 * The declarations of the client's package, which take seconds to make: those of the last time, while nothing that they are made of has
 * changed.
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
  // Whoever reads it meanwhile has the old ones or the new.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ hash, declarations: [...declarations] }));
  renameSync(`${file}.${process.pid}`, file);
  return declarations;
}
