select plan(6);

create temporary view powers as
  select n.nspname || ' ' || r.role || ' ' || p.privilege as power
  from pg_namespace as n
  cross join unnest('{anon,authenticated,service_role}'::text[]) as r (role) cross join unnest('{usage,create}'::text[]) as p (privilege)
  where n.nspname in ('public', 'private', 'hidden', 'supabase_migrations') and has_schema_privilege(r.role, n.oid, p.privilege);

select set_eq(
  'select * from powers',
  array[
    'public anon usage', 'public authenticated usage', 'public service_role usage',
    'private anon usage', 'private authenticated usage', 'private service_role usage'
  ],
  'the API roles may use public and private but create nothing, and may not use the queue'
);
select is_empty(
  $$ select rolname from pg_roles where rolname in ('anon', 'authenticated')
    and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolcanlogin) $$,
  'anon and authenticated have no special rights, and row level security applies to them'
);
select is_empty(
  $$ select m.roleid::regrole, m.member::regrole from pg_auth_members as m
    where m.member::regrole::text in ('anon', 'authenticated', 'service_role') $$, 'the API roles are members of no other role'
);
select is_empty(
  $$ select c.oid::regclass from pg_class as c
    where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
      and c.relowner::regrole::text in ('anon', 'authenticated', 'service_role') $$, 'the API roles own nothing'
);

create schema hidden;
grant usage on schema hidden to public;
select set_eq(
  $$ select * from powers where power like 'hidden%' $$, array['hidden anon usage', 'hidden authenticated usage', 'hidden service_role usage'],
  'a grant on a schema is found'
);
grant create on schema public to authenticated;
select is(count(*), 1::bigint, 'a role that may create is found') from powers where power = 'public authenticated create';

select * from finish();
