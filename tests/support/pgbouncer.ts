import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPart } from '../../dev/stack/parts/part.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { preparePostgres } from '../../dev/stack/postgres/postgres_home.ts';

/** The program, if the environment names one: npm has none. */
export const pgbouncerBinary = process.env.PGBOUNCER_BIN;

/** The most connections of the pool to the database, fewer than the tests' clients. */
const POOL_SIZE = 4;

/** A PgBouncer in transaction mode. */
export interface Pgbouncer {
  /** The address of the pool, marked as a pooler. */
  url: string;
  stop: () => Promise<void>;
}

/** Starts PgBouncer in front of a database. */
export async function startPgbouncer(databaseUrl: string): Promise<Pgbouncer> {
  const { hostname, port: databasePort, username, password } = new URL(databaseUrl);
  const port = await findFreePort(28_000);
  const dir = mkdtempSync(join(tmpdir(), 'flow-pgbouncer-'));
  const { uid, gid } = await preparePostgres();
  const files = {
    'users.txt': `"${username}" "${decodeURIComponent(password)}"\n`,
    'pgbouncer.ini': `[databases]
postgres = host=${hostname} port=${databasePort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(dir, 'users.txt')}
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text, { mode: 0o600 });
  // PgBouncer does not run as root.
  if (uid !== undefined && gid !== undefined) {
    for (const path of [dir, ...Object.keys(files).map((name) => join(dir, name))]) chownSync(path, uid, gid);
  }
  const part = startPart({
    name: 'PgBouncer',
    command: pgbouncerBinary!,
    args: [join(dir, 'pgbouncer.ini')],
    cwd: dir,
    uid,
    gid,
    stopSignal: 'SIGINT',
  });
  const url = Object.assign(new URL(databaseUrl), { port: String(port), search: '?pgbouncer=true' });
  const plain = String(url).replace('?pgbouncer=true', '');
  await part.waitUntil(async () => {
    const sql = connect(plain, { prepare: false, fetch_types: false });
    return await sql`select 1`.then(() => true, () => false).finally(() => sql.end());
  });
  return {
    url: String(url),
    async stop() {
      await part.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
