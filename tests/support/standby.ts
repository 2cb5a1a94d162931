import { chownSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../dev/stack/command.ts';
import type { Part } from '../../dev/stack/parts/part.ts';
import { connect, databaseUrl, type Sql, startPostgres } from '../../dev/stack/postgres/postgres.ts';
import { preparePostgres } from '../../dev/stack/postgres/postgres_home.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import { dataDirOf } from '../../dev/stack/stack_dir.ts';
import { waitFor } from './wait.ts';

/** The role that replicates, and that promotes. */
const ADMIN = 'supabase_admin';

/** A standby of a stack's database. */
export interface Standby {
  /** Ends the primary without a shutdown, and makes the standby the new primary. */
  failOver: () => Promise<void>;
  /** Stops the standby and deletes its data. Call it after the stack has ended. */
  remove: () => Promise<void>;
}

/** Copies the files of a running server. The WAL of the copy comes from the primary. */
async function copyData(sql: Sql, from: string, to: string): Promise<void> {
  await sql`select pg_backup_start('standby', fast => true)`;
  await rm(to, { recursive: true, force: true });
  await runCommand('cp', ['-a', from, to], { name: 'cp', cwd: '/' });
  const [backup] = await sql`select labelfile from pg_backup_stop(wait_for_archive => false)`;
  writeFileSync(join(to, 'backup_label'), backup!.labelfile);
  writeFileSync(join(to, 'standby.signal'), '');
  for (const file of ['postmaster.pid', 'postmaster.opts']) rmSync(join(to, file));
  for (const file of readdirSync(join(to, 'pg_wal'))) {
    if (/^[0-9A-F]{24}$/.test(file)) rmSync(join(to, 'pg_wal', file));
  }
}

/**
 * Starts a standby of the stack, whose option `standbyPort` is this port. From then on each commit waits until the
 * standby has it.
 */
export async function startStandby(stack: Stack, dir: string, primary: number, port: number): Promise<Standby> {
  const password = stack.keys.dbPassword;
  const home = await preparePostgres();
  const primaryDir = home.dataDir(dataDirOf(dir));
  const dataDir = `${primaryDir}-standby`;
  const sql = connect(databaseUrl(ADMIN, password, { primary }));
  let part: Part | undefined;
  const remove = async () => {
    await part?.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    // The standby needs the WAL since the beginning of the copy.
    await sql`alter system set wal_keep_size = '512MB'`;
    await sql`select pg_reload_conf()`;
    await copyData(sql, primaryDir, dataDir);
    for (const file of ['backup_label', 'standby.signal']) {
      if (home.uid !== undefined && home.gid !== undefined) chownSync(join(dataDir, file), home.uid, home.gid);
    }
    part = await startPostgres({
      home,
      dataDir,
      port,
      password,
      settings: {
        fsync: 'off',
        primary_conninfo: `host=127.0.0.1 port=${primary} user=${ADMIN} password=${password} application_name=standby`,
        // After the end of its primary, a standby looks for more WAL for this long before it is promoted.
        wal_retrieve_retry_interval: '200ms',
      },
    });
    // Set only now, so that the copy does not have this setting: the promoted server waits for no standby.
    await sql`alter system set synchronous_standby_names = 'standby'`;
    await sql`select pg_reload_conf()`;
    await waitFor(async () => {
      const [row] = await sql`select from pg_stat_replication where sync_state = 'sync'`;
      return row !== undefined || undefined;
    });
  } catch (error) {
    await remove();
    throw error;
  } finally {
    await sql.end();
  }
  return {
    async failOver() {
      await stack.end('Postgres', 'SIGKILL');
      await runCommand(home.bin('pg_ctl'), ['promote', '-D', dataDir], {
        name: 'pg_ctl promote',
        cwd: dataDir,
        uid: home.uid,
        gid: home.gid,
      });
    },
    remove,
  };
}
