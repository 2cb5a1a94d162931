import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, createDatabase } from '../stack/postgres/cluster.ts';
import { applyMigrations, forSupabaseCli, runSupabase } from '../stack/migrations.ts';
import { projectDir } from '../stack/paths.ts';
import { connect } from '../stack/postgres/postgres.ts';
import { StackError } from '../stack/stack_error.ts';

const sqlDir = join(projectDir, 'sql');

/**
 * The migration that is written by hand. It adds tables to the platform's publication, which pg-delta compares but sql/
 * can't declare.
 */
const platformMigration = join(projectDir, 'supabase/migrations/20261128010000_configure_platform.sql');

/**
 * Lists the declarative files, relative to sql/, in the order in which they apply: the folders by name, and the files
 * of each by name.
 */
export const declaredFiles = (): string[] =>
  readdirSync(sqlDir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sql')).sort();

/** Makes a database from the declarative files in sql/. */
export async function createDeclaredDatabase(cluster: Cluster, name: string): Promise<void> {
  await createDatabase(cluster, name);
  const sql = connect(cluster.url('postgres', name));
  try {
    // A function may name a table of a later file, so Postgres must not check the bodies of functions. The migration
    // has the same setting.
    await sql`set check_function_bodies = off`;
    for (const file of declaredFiles()) {
      await sql.unsafe(readFileSync(join(sqlDir, file), 'utf8')).catch((error) => {
        throw new StackError(`sql/${file}: ${error.message}${error.where ? `\n${error.where}` : ''}`);
      });
    }
    if (existsSync(platformMigration)) await sql.unsafe(readFileSync(platformMigration, 'utf8'));
  } finally {
    await sql.end();
  }
}

/** Makes a database from supabase/migrations with `supabase db push`. */
export async function createMigratedDatabase(cluster: Cluster, name: string): Promise<void> {
  await createDatabase(cluster, name);
  await applyMigrations(cluster.url('postgres', name), { seed: false });
}

/**
 * Returns the statements that turn the database at address `from` into that at `to`; empty if both are equal. Source: the
 * Supabase CLI's pg-delta.
 */
export async function diffDatabases(from: string, to: string): Promise<string> {
  // The output goes to a file, because the CLI also prints remarks to stdout.
  const dir = mkdtempSync(join(tmpdir(), 'flow-diff-'));
  const file = join(dir, 'diff.sql');
  try {
    await runSupabase([
      'db',
      'diff',
      '--use-pg-delta',
      '--from',
      forSupabaseCli(from),
      '--to',
      forSupabaseCli(to),
      '--output',
      file,
    ]);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** The file with the generated types of the exposed schema. */
export const databaseTypesFile = join(projectDir, 'types/database.types.ts');

/** Returns the output of `supabase gen types` for a database. */
export const generateTypes = async (cluster: Cluster, database: string): Promise<string> => {
  const url = forSupabaseCli(cluster.url('postgres', database));
  return await runSupabase(['gen', 'types', `--remote=${url}`, '--schema', 'public']);
};

/** A finding of the database's advisors. */
interface Advice {
  name: string;
  level: string;
  detail: string;
}

/**
 * Returns the findings of `supabase db advisors`. Findings about unused indexes are left out, because a new database
 * has used no index yet. Findings about search paths are left out, because the advisor does not know that `begin
 * atomic` binds names at creation. The pgTAP test functions_look_up_no_name_by_search_path checks search paths.
 */
export async function readAdvice(cluster: Cluster, database: string): Promise<Advice[]> {
  const url = forSupabaseCli(cluster.url('postgres', database));
  const advice: Advice[] = JSON.parse(await runSupabase(['db', 'advisors', `--remote=${url}`, '--level', 'info']));
  return advice.filter(({ name }) => !['unused_index', 'function_search_path_mutable'].includes(name));
}
