import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keysFileOf } from '../../platform/local_stack/running_stacks.ts';
import { type Cluster, createDatabase, startCluster } from '../../dev/stack/postgres/cluster.ts';
import { loadKeys } from '../../dev/stack/keys.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { dataDirOf } from '../../dev/stack/stack_dir.ts';
import { VOLATILE } from './blank_stack.ts';

/** The database that test files clone. */
export const TEMPLATE = 'test_template';

/**
 * Starts the server of a migrated stack, and makes the template in it, with pgTAP and the helpers of
 * tests/pgtap/helpers.sql.
 */
export async function startTemplateCluster(dir: string, port: number): Promise<Cluster> {
  const { dbPassword } = await loadKeys(keysFileOf(dir));
  // After an automatic analyze, Postgres would plan statements again. Planning reads rows, which would disturb the
  // tests that count read rows.
  const settings = { ...VOLATILE, autovacuum: 'off' };
  const cluster = await startCluster({ dataDir: dataDirOf(dir), port, dbPassword, settings });
  try {
    await createDatabase(cluster, TEMPLATE);
    const sql = connect(cluster.url('supabase_admin', TEMPLATE));
    try {
      await sql.unsafe(await readFile(join(projectDir, 'tests/pgtap/helpers.sql'), 'utf8'));
    } finally {
      await sql.end();
    }
  } catch (error) {
    await cluster.part.stop();
    throw error;
  }
  return cluster;
}
