import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../tests/support/database.ts';
import { readPostgresAddress } from './address.ts';
import { makeConnection } from './connection.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.close());

/** Connects to two servers, of which the first does not listen. */
async function ask(target: string): Promise<unknown> {
  const url = database.url('postgres').replace('@', '@127.0.0.1:1,');
  const connection = makeConnection(readPostgresAddress(`${url}?target_session_attrs=${target}`));
  try {
    return await connection.execute('select current_database() as result', []);
  } finally {
    connection.destroy();
  }
}

it('with target_session_attrs=read-write a connection is made only to a server that writes', async () => {
  const admin = database.connect('supabase_admin');
  const name = await ask('read-write');
  // A standby reports the same setting.
  await admin.unsafe(`alter database ${name} set default_transaction_read_only = on`);
  expect(await ask('any')).toBe(name);
  await expect(ask('read-write')).rejects.toThrow('The server is a standby, which does not write.');
  await admin.unsafe(`alter database ${name} reset default_transaction_read_only`);
  expect(await ask('read-write')).toBe(name);
});
