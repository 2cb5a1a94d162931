import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { declaredFiles } from '../../dev/database/schema.ts';
import { projectDir } from '../../dev/stack/paths.ts';

const folderOf = (file: string): string => file.split('/')[0]!;

/** The files of sql/ with their statements, without comments. */
const sources = declaredFiles().map((file) => {
  const text = readFileSync(join(projectDir, 'sql', file), 'utf8');
  return { file, sql: text.replaceAll(/--[^\n]*/g, '').replaceAll(/^comment on [^;]*;$/gm, '') };
});

const TABLE = '(?:public|private)\\.[a-z_]+';

/** Each table with the folder that creates it. */
const folders = new Map(
  sources.flatMap(({ file, sql }) =>
    [...sql.matchAll(new RegExp(`^create (?:unlogged )?table (${TABLE})`, 'gm'))].map(([, table]) => [
      table!,
      folderOf(file),
    ])
  ),
);

it('finds the tables and their folders', () => {
  expect(folders.get('public.flow_run')).toBe('450_runs');
  expect(folders.get('private.deployment_usage')).toBe('650_starts');
});

it('no folder writes a table that a later folder creates', () => {
  const writes = sources.flatMap(({ file, sql }) =>
    [...sql.matchAll(new RegExp(`\\b(?:insert into|update|delete from) (${TABLE})`, 'g'))].map(([, table]) => ({
      file,
      table: table!,
      folder: folders.get(table!),
    }))
  );
  expect(writes.length).toBeGreaterThan(50);
  expect(writes.filter(({ file, folder }) => folder !== undefined && folder > folderOf(file))).toEqual([]);
});
