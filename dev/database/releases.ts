import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { migrationFiles } from '../stack/migrations.ts';
import { projectDir } from '../stack/paths.ts';
import { StackError } from '../stack/stack_error.ts';

/** The file that lists all releases, oldest first. */
export const releasesFile = join(projectDir, 'supabase/releases.json');

const releaseSchema = z.strictObject({
  version: z.string(),
  /** The SHA-256 in hex of each migration that came with the release, by file name. */
  migrations: z.record(z.string(), z.string()),
});

/** A release, with the migrations that it added to those of the releases before. */
export type SchemaRelease = z.infer<typeof releaseSchema>;

/** Reads the releases, oldest first. */
export const readReleases = (): SchemaRelease[] =>
  z.array(releaseSchema).parse(JSON.parse(readFileSync(releasesFile, 'utf8')));

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Returns the hash of each migration of supabase/migrations that no release has. */
export function unreleasedMigrations(releases: SchemaRelease[]): SchemaRelease['migrations'] {
  const released = new Set(releases.flatMap(({ migrations }) => Object.keys(migrations)));
  const files = migrationFiles().filter((name) => !released.has(name));
  return Object.fromEntries(files.map((name) => [name, hashOf(join(projectDir, 'supabase/migrations', name))]));
}

/**
 * Checks that the released migrations are as they were released, and that later ones sort after them. An installation
 * has applied the released ones, so it would never get a change of them.
 */
export function checkReleases(releases: SchemaRelease[]): void {
  const faults = releases.flatMap(({ version, migrations }) =>
    Object.entries(migrations).flatMap(([name, hash]) => {
      const file = join(projectDir, 'supabase/migrations', name);
      if (!existsSync(file)) return [`supabase/migrations/${name} of release ${version} is missing`];
      return hashOf(file) === hash ? [] : [`supabase/migrations/${name} differs from release ${version}`];
    })
  );
  const newest = releases.flatMap(({ migrations }) => Object.keys(migrations)).sort().at(-1) ?? '';
  for (const name of Object.keys(unreleasedMigrations(releases))) {
    if (name < newest) faults.push(`supabase/migrations/${name} is new, but sorts before the released ${newest}`);
  }
  if (faults.length === 0) return;
  throw new StackError(
    `${
      faults.join('\n')
    }\nReleased migrations never change: restore them, change sql/, and run npm run db:diff -- <name>.`,
  );
}
