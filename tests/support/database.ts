import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { LoginRole } from '../../dev/stack/postgres/cluster.ts';
import { connect, type Sql } from '../../dev/stack/postgres/postgres.ts';
import { TEMPLATE } from './template.ts';

/** A database for one test file. */
export interface TestDatabase {
  /** Returns its address for a role. */
  url: (role: LoginRole) => string;
  /** Connects as a role, until `close`. */
  connect: (role?: LoginRole) => Sql;
  close: () => Promise<void>;
}

/** Clones the migrated template. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const urls = inject('cluster');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const at = (role: LoginRole, database: string) => urls[role].replace(/\/[^/]*$/, `/${database}`);
  const admin = connect(at('supabase_admin', 'template1'));
  await admin`create database ${admin(name)} template ${admin(TEMPLATE)} owner postgres`;
  const clients: Sql[] = [];
  return {
    url: (role) => at(role, name),
    connect: (role = 'postgres') => {
      const client = connect(at(role, name), { max: 1 });
      clients.push(client);
      return client;
    },
    // The database is deleted with its server at the end of the run. If it were deleted now, ext4 without a journal
    // would need ten times as long to make the files of the next database.
    close: async () => {
      await Promise.all([...clients, admin].map((client) => client.end()));
    },
  };
}

/** Returns how a statement ended: `done`, the code of `private.fail`, or a SQLSTATE. */
export async function codeOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return code === 'PGRST' ? JSON.parse(message).code : code;
  }
}
