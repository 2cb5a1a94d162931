import { accessSync, constants, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { UsageError } from '../usage_error.ts';

/** The folder of a Supabase project. Paths are below its `supabase/`, with `/` as the separator. */
export interface TargetProject {
  /** The folder that contains `supabase/`, without symbolic links. */
  dir: string;
  /** Returns the text of a file; undefined if it does not exist. */
  read: (path: string) => string | undefined;
  /** Lists the paths of all files in a folder; empty if the folder does not exist. */
  list: (folder: string) => string[];
  /** Returns the file to write for a path. Throws a UsageError if it is outside of `dir` or can't be written. */
  fileToWrite: (path: string) => string;
}

const statOf = (file: string) => lstatSync(file, { throwIfNoEntry: false });

/** Finds a Supabase project. Throws a UsageError if the folder has none. */
export function openProject(folder: string): TargetProject {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`${folder} is not a folder.`);
  }
  const dir = realpathSync(folder);
  if (statSync(join(dir, 'supabase/config.toml'), { throwIfNoEntry: false })?.isFile() !== true) {
    const isInside = basename(dir) === 'supabase' && statOf(join(dir, 'config.toml')) !== undefined;
    throw new UsageError(
      `${folder} is not the folder of a Supabase project, because it has no supabase/config.toml. ` +
        (isInside ? `Use the folder around it: ${dirname(dir)}` : 'To make one: npx supabase init'),
    );
  }

  /** Returns the file of a path without symbolic links, also if the file does not exist yet. */
  const resolve = (path: string): string => {
    let file = dir;
    for (const name of ['supabase', ...path.split('/')]) {
      const link = join(file, name);
      if (statOf(file) !== undefined && !statSync(file).isDirectory()) {
        throw new UsageError(`${file} must be a folder.`);
      }
      try {
        file = statOf(link)?.isSymbolicLink() ? realpathSync(link) : link;
      } catch {
        throw new UsageError(`${link} is a symbolic link to something that does not exist.`);
      }
      if (!file.startsWith(dir + sep)) {
        throw new UsageError(`${link} is a symbolic link that leads out of ${dir}. Nothing is written there.`);
      }
    }
    return file;
  };

  const fileToWrite = (path: string): string => {
    const file = resolve(path);
    if (statOf(file)?.isDirectory()) throw new UsageError(`${file} is a folder, but a file of that name is needed.`);
    let parent = dirname(file);
    while (statOf(parent) === undefined) parent = dirname(parent);
    try {
      accessSync(parent, constants.W_OK | constants.X_OK);
    } catch {
      throw new UsageError(`${parent} is read-only.`);
    }
    return file;
  };
  return {
    dir,
    read: (path) => {
      const file = resolve(path);
      return statOf(file)?.isFile() ? readFileSync(file, 'utf8') : undefined;
    },
    list: (path) => {
      const file = resolve(path);
      if (!statOf(file)?.isDirectory()) return [];
      return readdirSync(file, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
        .map(({ parentPath, name }) => `${path}/${join(parentPath, name).slice(file.length + 1).replaceAll(sep, '/')}`)
        .toSorted();
    },
    fileToWrite,
  };
}
