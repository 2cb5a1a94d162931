import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The files of one version of this project, as `flows install` writes them. */
export interface ProjectRelease {
  version: string;
  /** The texts by their paths below `supabase/`, such as `functions/flow/index.js`. */
  files: ReadonlyMap<string, string>;
}

/** The folder of the code that several functions share. It begins with `_`, so that the CLI takes it for no function. */
export const SHARED_CODE = '_flow_deployments';

/** Lists the functions of a release. */
export const functionsOf = ({ files }: ProjectRelease): string[] =>
  [...files.keys()].flatMap((path) => /^functions\/([^/]+)\/index\.js$/.exec(path)?.[1] ?? []).toSorted();

/** Reads the release that the built package contains: its package.json and its folder `supabase`. */
export function readRelease(packageDir: string): ProjectRelease {
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string };
  const dir = join(packageDir, 'supabase');
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return {
    version,
    files: new Map(
      files.map((file) => [file.slice(dir.length + 1).replaceAll(sep, '/'), readFileSync(file, 'utf8')]),
    ),
  };
}
