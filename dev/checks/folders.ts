import { posix } from 'node:path';
import { StackError } from '../stack/stack_error.ts';
import { importsOf, type Source } from './imports.ts';

/** The most source files in one folder, without its tests and its subfolders. */
const MAX_FILES = 25;
/** The most lines in one folder that has no subfolders. */
const MAX_LINES = 2_500;
/** The most modules and packages that one file imports. */
const MAX_IMPORTS = 15;

/** Files that list the parts of a kind, a line for each part. They may import as many as there are. */
const LISTS: readonly string[] = [
  'client/shell/commands.ts',
  'dev/checks/check.ts',
  'dev/docs/openapi.ts',
  'dev/docs/openapi/schemas/zod_schemas.ts',
  'functions/action/app.ts',
  'functions/flow/app.ts',
  'runner/nodes/registry.ts',
];

const countLines = (text: string): number => text.split('\n').length - 1;

/** Returns a line for each folder that holds too many files, or too many lines without subfolders. */
export function largeFolders(sources: readonly Source[]): string[] {
  const byFolder = new Map<string, Source[]>();
  for (const source of sources) {
    const folder = posix.dirname(source.file);
    byFolder.set(folder, [...byFolder.get(folder) ?? [], source]);
  }
  const hasSubfolder = (folder: string) => [...byFolder.keys()].some((other) => other.startsWith(`${folder}/`));
  return [...byFolder].flatMap(([folder, files]) => {
    if (files.length > MAX_FILES) {
      return [`${folder} has ${files.length} source files, and may have ${MAX_FILES}: move some to a subfolder.`];
    }
    const lines = files.reduce((sum, { text }) => sum + countLines(text), 0);
    if (lines <= MAX_LINES || hasSubfolder(folder)) return [];
    return [`${folder} has ${lines} lines, and a folder without subfolders may have ${MAX_LINES}: give it subfolders.`];
  });
}

/** Returns a line for each file that imports too much, and for each file in `lists` that needs no exception. */
export function manyImports(sources: readonly Source[], lists: readonly string[] = LISTS): string[] {
  const counts = new Map(
    sources.map(({ file, text }) => [file, new Set(importsOf(file, text).map(({ to }) => to)).size]),
  );
  const faults = [...counts].flatMap(([file, count]) =>
    lists.includes(file) || count <= MAX_IMPORTS
      ? []
      : [`${file} imports ${count} modules, and may import ${MAX_IMPORTS}: split it.`]
  );
  const stale = lists.flatMap((file) => {
    const count = counts.get(file) ?? 0;
    return count > MAX_IMPORTS
      ? []
      : [`${file} imports ${count} modules and is no exception: take it out of dev/checks/folders.ts.`];
  });
  return [...faults, ...stale];
}

/** Throws a StackError that names each folder, also of SQL, and each file that is too large for a newcomer to take in. */
export function checkFolders(
  sources: readonly Source[],
  sql: readonly Source[] = [],
  lists?: readonly string[],
): void {
  const faults = [...largeFolders(sources), ...largeFolders(sql), ...manyImports(sources, lists)];
  if (faults.length > 0) throw new StackError(faults.join('\n'));
}
