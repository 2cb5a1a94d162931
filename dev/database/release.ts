import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../stack/paths.ts';
import { readReleases, releasesFile, unreleasedMigrations } from './releases.ts';

// Adds the release of package.json's version to supabase/releases.json, with the migrations that are new in it.
const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
const releases = readReleases();
if (releases.some((release) => release.version === version)) {
  console.error(`${version} is released. Set the next version in package.json first.`);
  process.exitCode = 1;
} else {
  const migrations = unreleasedMigrations(releases);
  writeFileSync(releasesFile, `${JSON.stringify([...releases, { version, migrations }], null, 2)}\n`);
  console.log(
    `Released ${version} with ${Object.keys(migrations).length} new migrations. They never change from now on.`,
  );
}
