import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, startScratchCluster } from '../../dev/stack/postgres/cluster.ts';
import { applyMigrations } from '../../dev/stack/migrations.ts';
import { connect, type Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

/** A server whose first database is in the state in which the platform (Supabase) provides it. */
let cluster: Awaited<ReturnType<typeof startScratchCluster>>;
/** The migrated database of the stack, on the complete platform: with Supabase's default privileges and publication. */
let database: TestDatabase;
let withDefaults: Sql;
let bare: Sql;

beforeAll(async () => {
  cluster = await startScratchCluster(`test-privileges-${process.pid}`);
  bare = await migrateBare();
  database = await cloneDatabase();
  withDefaults = database.connect();
});
afterAll(async () => {
  await bare?.end();
  await database?.close();
  await cluster?.remove();
});

/**
 * Migrates a database that lacks Supabase's publication and, like newer projects, Supabase's default privileges.
 */
async function migrateBare(): Promise<Sql> {
  const name = 'bare';
  await createDatabase(cluster, name);
  const superuser = connect(cluster.url('supabase_admin', name));
  expect((await superuser`select from pg_default_acl where defaclacl::text like '%anon=%'`).length).toBeGreaterThan(0);
  for (const kind of ['tables', 'functions', 'sequences']) {
    await superuser.unsafe(
      `alter default privileges for role postgres in schema public revoke all on ${kind} from anon, authenticated, service_role`,
    );
  }
  await superuser`drop publication supabase_realtime`;
  await superuser.end();
  await applyMigrations(cluster.url('postgres', name), { seed: false });
  return connect(cluster.url('postgres', name));
}

/** Lists everything that the API roles can read, write or call, one line each. */
async function listPrivileges(sql: Sql): Promise<string> {
  const rows = await sql<{ line: string }[]>`
    with role (name) as (values ('anon'), ('authenticated'), ('service_role')),
    schema as (select oid, nspname from pg_namespace where nspname in ('public', 'private'))
    select format('%s: %s %s.%s', role.name, privilege, schema.nspname, c.relname) as line
    from role cross join schema
    join pg_class as c on c.relnamespace = schema.oid and c.relkind in ('r', 'p', 'v', 'm', 'f')
    cross join unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) as privilege
    where has_schema_privilege(role.name, schema.oid, 'USAGE') and has_table_privilege(role.name, c.oid, privilege)
    union all
    select format('%s: %s %s.%s', role.name, privilege, schema.nspname, c.relname)
    from role cross join schema
    join pg_class as c on c.relnamespace = schema.oid and c.relkind = 'S'
    cross join unnest('{USAGE,SELECT,UPDATE}'::text[]) as privilege
    where has_schema_privilege(role.name, schema.oid, 'USAGE') and has_sequence_privilege(role.name, c.oid, privilege)
    union all
    -- All functions of limits return constants, so they share one line.
    select distinct format('%s: EXECUTE %s', role.name,
      case when schema.nspname = 'private' and p.proname like 'limit\\_%' and p.pronargs = 0 then 'private.limit_*()'
        else p.oid::regprocedure::text end)
    from role cross join schema
    join pg_proc as p on p.pronamespace = schema.oid
    where has_schema_privilege(role.name, schema.oid, 'USAGE') and has_function_privilege(role.name, p.oid, 'EXECUTE')
      and p.prorettype <> 'trigger'::regtype
    union all
    select format('%s: %s schema %s', role.name, privilege, schema.nspname)
    from role cross join schema cross join unnest('{USAGE,CREATE}'::text[]) as privilege
    where has_schema_privilege(role.name, schema.oid, privilege)
    order by line`;
  return `${rows.map((row) => row.line).join('\n')}\n`;
}

it("anon, authenticated and service_role have exactly the privileges in tests/security/privileges.txt, with Supabase's default privileges and without", async () => {
  const list = await listPrivileges(withDefaults);
  expect(await listPrivileges(bare)).toBe(list);
  await expect(list).toMatchFileSnapshot('privileges.txt');

  // This further grant must add a line, which shows that the list contains grants.
  await withDefaults`begin`;
  await withDefaults`grant insert on public.flow_run to anon`;
  const longer = await listPrivileges(withDefaults);
  await withDefaults`rollback`;
  expect(longer.split('\n')).toContain('anon: INSERT public.flow_run');
});

it("API roles have no privilege on private tables but on one view, and anon can't write anywhere", async () => {
  const lines = (await listPrivileges(withDefaults)).split('\n');
  expect(
    lines.filter((line) => / (SELECT|INSERT|UPDATE|DELETE|TRUNCATE|REFERENCES|TRIGGER) private\./.test(line)),
    // The view public.public_flows reads this view with the rights of its caller.
  ).toEqual(['authenticated: SELECT private.shared_flows', 'service_role: SELECT private.shared_flows']);
  expect(lines.filter((line) => /^anon: (INSERT|UPDATE|DELETE|TRUNCATE|REFERENCES|TRIGGER|CREATE)/.test(line))).toEqual(
    [],
  );
});

it('Realtime publishes the tables of runs if the platform has its publication, and the migrations pass without it', async () => {
  const published =
    await withDefaults`select tablename from pg_publication_tables where pubname = 'supabase_realtime' order by tablename`;
  expect(published.map((row) => row.tablename)).toEqual([
    'flow_run',
    'flow_run_logs',
    'node_run',
    'pending_inputs',
    'signature_requests',
  ]);
  expect(await bare`select from pg_publication where pubname = 'supabase_realtime'`).toHaveLength(0);
  expect(await bare`select from public.flow_run`).toHaveLength(0);
});
