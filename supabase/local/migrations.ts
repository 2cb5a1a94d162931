import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from './postgres.ts';
import { projectDir } from './paths.ts';
import { StackError } from './stack_error.ts';

/** Runs the project's Supabase CLI and returns what it printed to stdout. */
export async function runSupabase(args: string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(join(projectDir, 'node_modules/.bin/supabase'), args, {
    cwd: projectDir,
    env: { ...process.env, SUPABASE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => stdout += chunk);
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => stderr += chunk);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new StackError(`supabase ${args.slice(0, 2).join(' ')} failed:\n${(stderr + stdout).trim()}`);
  return stdout;
}

/** The address form in which the Supabase CLI takes the local server: without TLS. */
export const forSupabaseCli = (url: string): string => `${url}?sslmode=disable`;

const migrationVersions = (): string[] =>
  readdirSync(join(projectDir, 'supabase/migrations'))
    .map((file) => /^(\d+)_.*\.sql$/.exec(file)?.[1])
    .filter((version) => version !== undefined);

async function appliedVersions(databaseUrl: string): Promise<Set<string>> {
  const sql = connect(databaseUrl);
  try {
    const [{ exists }] = await sql<[{ exists: boolean }]>`
      select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
    if (!exists) return new Set();
    const rows = await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations`;
    return new Set(rows.map((row) => row.version));
  } finally {
    await sql.end();
  }
}

/** Applies the migrations that the database lacks with `supabase db push`; asks the CLI only when there are any. */
export async function applyMigrations(databaseUrl: string, options: { seed: boolean }): Promise<void> {
  const applied = await appliedVersions(databaseUrl);
  const versions = migrationVersions();
  if (versions.length === applied.size && versions.every((version) => applied.has(version))) return;
  const seed = options.seed ? ['--include-seed'] : [];
  await runSupabase(['db', 'push', `--remote=${forSupabaseCli(databaseUrl)}`, '--yes', ...seed]);
}
