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

/** Files that import too much, with the number of their imports. The number may only become smaller. */
const STILL_TOO_MANY: Readonly<Record<string, number>> = {
};

/** The exceptions from MAX_IMPORTS. */
export interface ImportLimits {
  lists: readonly string[];
  stillTooMany: Readonly<Record<string, number>>;
}

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

/** Returns a line for each file that imports too much, and for each exception that is not needed. */
export function manyImports(
  sources: readonly Source[],
  { lists, stillTooMany }: ImportLimits = { lists: LISTS, stillTooMany: STILL_TOO_MANY },
): string[] {
  const counts = new Map(
    sources.map(({ file, text }) => [file, new Set(importsOf(file, text).map(({ to }) => to)).size]),
  );
  const faults = [...counts].flatMap(([file, count]) => {
    const most = stillTooMany[file] ?? MAX_IMPORTS;
    return lists.includes(file) || count <= most
      ? []
      : [`${file} imports ${count} modules, and may import ${most}: split it.`];
  });
  const stale = [...lists, ...Object.keys(stillTooMany)].flatMap((file) => {
    const count = counts.get(file) ?? 0;
    if (count <= MAX_IMPORTS) {
      return [`${file} imports ${count} modules and is no exception: take it out of dev/checks/folders.ts.`];
    }
    return count >= (stillTooMany[file] ?? 0)
      ? []
      : [`${file} now imports ${count} modules: make its number in dev/checks/folders.ts smaller.`];
  });
  return [...faults, ...stale];
}

/** Throws a StackError that names each folder, also of SQL, and each file that is too large for a newcomer to take in. */
export function checkFolders(sources: readonly Source[], sql: readonly Source[] = [], limits?: ImportLimits): void {
  const faults = [...largeFolders(sources), ...largeFolders(sql), ...manyImports(sources, limits)];
  if (faults.length > 0) throw new StackError(faults.join('\n'));
}
