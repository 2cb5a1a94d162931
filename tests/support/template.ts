import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '../../supabase/local/cluster.ts';
import { projectDir } from '../../supabase/local/paths.ts';
import { connect } from '../../supabase/local/postgres.ts';
import { createMigratedDatabase } from '../../supabase/tools/schema.ts';

/** The database that test files clone. */
export const TEMPLATE = 'test_template';

/** Makes the template: migrated, with pgTAP and the helpers of tests/pgtap/helpers.sql. */
export async function createTemplate(cluster: Cluster): Promise<void> {
  await createMigratedDatabase(cluster, TEMPLATE);
  const sql = connect(cluster.url('supabase_admin', TEMPLATE));
  try {
    await sql.unsafe(await readFile(join(projectDir, 'tests/pgtap/helpers.sql'), 'utf8'));
  } finally {
    await sql.end();
  }
}
