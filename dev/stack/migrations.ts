import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { connect } from './postgres/postgres.ts';
import { projectDir } from './paths.ts';
import { StackError } from './stack_error.ts';

/** Runs the project's Supabase CLI and returns what it printed to stdout. */
export async function runSupabase(
  args: string[],
  env: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<string> {
  return await runCommand(join(projectDir, 'node_modules/.bin/supabase'), args, {
    name: `supabase ${args.slice(0, 2).join(' ')}`,
    cwd: projectDir,
    env: { ...process.env, SUPABASE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', ...env },
    signal,
  });
}

/** Returns the address of the local server for the Supabase CLI, which must be told that there is no TLS. */
export const forSupabaseCli = (url: string): string => `${url}?sslmode=disable`;

/** Lists the migrations of a Supabase project, by default of this one, in the order in which they apply. */
export const migrationFiles = (supabaseProject = projectDir): string[] =>
  readdirSync(join(supabaseProject, 'supabase/migrations')).filter((file) => /^\d+_.*\.sql$/.test(file)).sort();

const versionOf = (file: string): string => file.slice(0, file.indexOf('_'));

/**
 * Reads what the Supabase CLI has recorded in the database: the applied migrations, and whether the seed was applied.
 */
async function readHistory(databaseUrl: string): Promise<{ applied: Set<string>; isSeeded: boolean }> {
  const sql = connect(databaseUrl);
  try {
    const [{ hasMigrations, isSeeded }] = await sql<[{ hasMigrations: boolean; isSeeded: boolean }]>`
      select to_regclass('supabase_migrations.schema_migrations') is not null as "hasMigrations",
             to_regclass('supabase_migrations.seed_files') is not null as "isSeeded"`;
    const rows = hasMigrations
      ? await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations`
      : [];
    return { applied: new Set(rows.map((row) => row.version)), isSeeded };
  } finally {
    await sql.end();
  }
}

interface MigrationOptions {
  /** True to also apply supabase/seed.sql, if it was never applied to this database. */
  seed: boolean;
  /** The folder of the Supabase project that has the migrations; by default this project. */
  supabaseProject?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Called with a line if the database was of an older version. */
  log?: ((line: string) => void) | undefined;
}

/**
 * Applies missing migrations to the database with `supabase db push`. Runs the CLI only if a migration or the seed is
 * missing. Refuses a database that is newer than supabase/migrations, and changes nothing in it.
 */
export async function applyMigrations(
  databaseUrl: string,
  { seed, supabaseProject = projectDir, signal, log }: MigrationOptions,
): Promise<void> {
  const { applied, isSeeded } = await readHistory(databaseUrl);
  const files = migrationFiles(supabaseProject);
  const known = new Set(files.map(versionOf));
  const unknown = [...applied].filter((version) => !known.has(version)).sort();
  if (unknown.some((version) => version < versionOf(files[0]!))) {
    throw new StackError(
      'The database was made before release 0.3.0, the first one that can be upgraded. ' +
        'Start it with the version that made it, or start a new database: npm start -- --reset',
    );
  }
  if (unknown.length > 0) {
    throw new StackError(
      `The database is newer than this code: it has migrations that supabase/migrations lacks (${
        unknown.join(', ')
      }). ` +
        'Nothing was changed. Use the version of the project that made them, or a newer one',
    );
  }
  const missing = files.filter((file) => !applied.has(versionOf(file)));
  const mustSeed = seed && !isSeeded;
  if (!mustSeed && missing.length === 0) return;
  const args = [
    'db',
    'push',
    `--remote=${forSupabaseCli(databaseUrl)}`,
    '--yes',
    `--workdir=${supabaseProject}`,
    ...mustSeed ? ['--include-seed'] : [],
  ];
  await runSupabase(args, {}, signal);
  if (applied.size > 0 && missing.length > 0) {
    log?.(`The database was of an older version. Applied: ${missing.join(', ')}`);
  }
}
