import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { applyMigrations } from '../../supabase/local/migrations.ts';
import { projectDir } from '../../supabase/local/paths.ts';
import { connect, type Sql } from '../../supabase/local/postgres.ts';

/** A database that an older version of the project has made. */
export interface OldDatabase {
  sql: Sql;
  /** Brings it to the newest version, as the Supabase CLI does. */
  upgrade: () => Promise<void>;
  drop: () => Promise<void>;
}

/** Makes a database with the migrations up to a version, noted as the Supabase CLI notes them. */
export async function makeOldDatabase(version: string): Promise<OldDatabase> {
  const name = `upgrade_${randomUUID().replaceAll('-', '')}`;
  const url = inject('cluster').postgres.replace(/\/[^/]*$/, `/${name}`);
  const admin = connect(inject('cluster').supabase_admin.replace(/\/[^/]*$/, '/template1'));
  await admin`create database ${admin(name)} template postgres owner postgres`;
  const sql = connect(url, { max: 1 });
  await sql`create schema supabase_migrations`;
  await sql`create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text)`;
  const dir = join(projectDir, 'supabase/migrations');
  for (const file of readdirSync(dir).filter((file) => file.slice(0, version.length) <= version).sort()) {
    await sql.unsafe(readFileSync(join(dir, file), 'utf8'));
    await sql`insert into supabase_migrations.schema_migrations ${sql({ version: file.slice(0, version.length) })}`;
  }
  return {
    sql,
    upgrade: () => applyMigrations(url, { seed: false }),
    drop: async () => {
      await sql.end();
      await admin`drop database ${admin(name)} with (force)`;
      await admin.end();
    },
  };
}
