import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { connect } from './postgres.ts';
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

const migrationVersions = (): string[] =>
  readdirSync(join(projectDir, 'supabase/migrations'))
    .map((file) => /^(\d+)_.*\.sql$/.exec(file)?.[1])
    .filter((version) => version !== undefined);

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

export interface MigrationOptions {
  /** True to also apply supabase/seed.sql, if it was never applied to this database. */
  seed: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Applies missing migrations to the database with `supabase db push`. Runs the CLI only if a migration or the seed is
 * missing.
 */
export async function applyMigrations(databaseUrl: string, { seed, signal }: MigrationOptions): Promise<void> {
  const { applied, isSeeded } = await readHistory(databaseUrl);
  const known = migrationVersions();
  const unknown = [...applied].filter((version) => !known.includes(version));
  if (unknown.length > 0) {
    throw new StackError(
      `The database has migrations that supabase/migrations lacks (${unknown.join(', ')}): ` +
        'bring them back, or start with an empty database: npm start -- --reset',
    );
  }
  const mustSeed = seed && !isSeeded;
  if (!mustSeed && known.every((version) => applied.has(version))) return;
  const args = [
    'db',
    'push',
    `--remote=${forSupabaseCli(databaseUrl)}`,
    '--yes',
    ...mustSeed ? ['--include-seed'] : [],
  ];
  await runSupabase(args, {}, signal);
}
