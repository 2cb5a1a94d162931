import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withScratchCluster } from '../stack/postgres/cluster.ts';
import { projectDir } from '../stack/paths.ts';
import { StackError } from '../stack/stack_error.ts';
import { generatedSql } from './generated_sql.ts';
import { createDeclaredDatabase, createMigratedDatabase, diffDatabases } from './schema.ts';

/** Returns the present time as the version of a migration: YYYYMMDDHHMMSS, UTC. */
const timestamp = (): string => new Date().toISOString().replace(/\D/g, '').slice(0, 14);

/**
 * Writes the generated files of sql/, and the migration that brings a database from the state of supabase/migrations to
 * that of sql/.
 */
async function writeMigration(name: string): Promise<void> {
  for (const { file, text } of generatedSql()) writeFileSync(join(projectDir, file), text);
  const statements = await withScratchCluster(async (cluster) => {
    await createMigratedDatabase(cluster, 'migrated');
    await createDeclaredDatabase(cluster, 'declared');
    return await diffDatabases(cluster.url('postgres', 'migrated'), cluster.url('postgres', 'declared'));
  });
  if (statements === '') {
    console.log('supabase/migrations and sql/ are equal, so there is nothing to write.');
    return;
  }
  const file = `supabase/migrations/${timestamp()}_${name}.sql`;
  writeFileSync(join(projectDir, file), `${statements}\n`);
  console.log(`Wrote ${file}. Read it before you commit it.`);
}

const [name] = process.argv.slice(2);
try {
  if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new StackError(
      'npm run db:diff -- <name>: name the change in snake_case, a verb first, such as add_flow_run_status',
    );
  }
  await writeMigration(name);
} catch (error) {
  console.error(error instanceof StackError ? error.message : error);
  process.exitCode = 1;
}
