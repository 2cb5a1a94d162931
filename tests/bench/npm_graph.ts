import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { denoBinary } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';

interface ModuleGraph {
  modules: { specifier: string }[];
}

/** Returns the folder of the package that holds a file. */
const packageDirOf = (file: string): string | undefined => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];

/**
 * Finds the folder of a package that another package imports; undefined if npm has not installed it, such as an
 * optional package.
 */
function findPackage(name: string, fromDir: string): string | undefined {
  for (let dir = fromDir;; dir = dirname(dir)) {
    const found = join(dir, 'node_modules', name);
    if (existsSync(found)) return found;
    if (dir === dirname(dir)) return undefined;
  }
}

/** Returns the bytes of a package's files, without packages that are installed inside of it. */
const sizeOf = (dir: string): number =>
  readdirSync(dir, { withFileTypes: true }).reduce((bytes, entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? bytes : bytes + sizeOf(path);
    return entry.isFile() ? bytes + statSync(path).size : bytes;
  }, 0);

/**
 * Returns the bytes of the npm packages that a module imports, by `deno info`, and of their dependencies. `deno info`
 * does not list the dependencies of installed packages. This function follows them, because the platform has to fetch
 * them too.
 */
export async function npmGraphBytes(module: string): Promise<number> {
  const { stdout } = await promisify(execFile)(denoBinary(), ['info', '--json', module], {
    cwd: projectDir,
    env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' },
    maxBuffer: 64 * 2 ** 20,
  });
  const { modules } = JSON.parse(stdout) as ModuleGraph;
  const imported = modules.map(({ specifier }) => specifier).filter((specifier) => specifier.startsWith('file:'));
  const wanted = imported.flatMap((specifier) => packageDirOf(fileURLToPath(specifier)) ?? []);
  const found = new Set<string>();
  for (let dir = wanted.pop(); dir !== undefined; dir = wanted.pop()) {
    if (found.has(dir)) continue;
    found.add(dir);
    const { dependencies = {} } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
    wanted.push(...Object.keys(dependencies).flatMap((name) => findPackage(name, dir!) ?? []));
  }
  return [...found].reduce((bytes, dir) => bytes + sizeOf(dir), 0);
}
