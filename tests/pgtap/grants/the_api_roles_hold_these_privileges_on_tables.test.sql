-- The view below lists all rights that the API roles have, also through the role public and through membership in other
-- roles. To grant a new right, first add it to the list in this test.
select plan(6);

create temporary view held as
  select c.relname::text as relation, r.role, string_agg(p.privilege, ', ' order by p.privilege) as privileges
  from pg_class as c
  cross join unnest('{anon,authenticated,service_role}'::text[]) as r (role)
  cross join unnest('{select,insert,update,delete,truncate,references,trigger,maintain}'::text[]) as p (privilege)
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and has_table_privilege(r.role, c.oid, p.privilege)
  group by c.relname, r.role;
-- No privilege may be granted on single columns, because an upsert of PostgREST sets every column of the payload.
create temporary view held_by_column as
  select c.relname::text as relation, a.attname::text as name
  from pg_attribute as a join pg_class as c on c.oid = a.attrelid
  where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and a.attacl is not null;
create temporary view held_sequences as
  select c.relname::text as relation, r.role
  from pg_class as c cross join unnest('{anon,authenticated,service_role}'::text[]) as r (role)
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'S' and has_sequence_privilege(r.role, c.oid, 'usage, select, update');

select set_eq(
  'select * from held',
  $$ values
    ('api_keys', 'authenticated', 'delete, select'),
    ('api_keys', 'service_role', 'delete, select'),
    ('flow_deployments', 'authenticated', 'delete, select, update'),
    ('flow_deployments', 'service_role', 'delete, select, update'),
    ('flow_deployments_tags', 'authenticated', 'delete, insert, select, update'),
    ('flow_pins', 'authenticated', 'delete, insert, select, update'),
    ('flow_deployments_tags', 'service_role', 'delete, insert, select, update'),
    ('flow_pins', 'service_role', 'delete, insert, select, update'),
    ('flow_versions', 'authenticated', 'delete, select, update'),
    ('flow_versions', 'service_role', 'delete, select, update'),
    ('flow_row_starts', 'authenticated', 'delete, select, update'),
    ('flow_row_starts', 'service_role', 'delete, select, update'),
    ('flow_run', 'anon', 'select'),
    ('flow_run', 'authenticated', 'select'),
    ('flow_run', 'service_role', 'select'),
    ('pending_inputs', 'anon', 'select'),
    ('pending_inputs', 'authenticated', 'select'),
    ('pending_inputs', 'service_role', 'select'),
    ('signature_requests', 'anon', 'select'),
    ('signature_requests', 'authenticated', 'select'),
    ('signature_requests', 'service_role', 'select'),
    ('flow_run_logs', 'authenticated', 'select'),
    ('flow_run_logs', 'service_role', 'select'),
    ('flow_webhooks', 'authenticated', 'delete, select, update'),
    ('flow_webhooks', 'service_role', 'delete, select, update'),
    ('flow_schedules', 'authenticated', 'delete, insert, select, update'),
    ('flow_schedules', 'service_role', 'delete, insert, select, update'),
    ('flows', 'authenticated', 'delete, insert, select, update'),
    ('flows', 'service_role', 'delete, insert, select, update'),
    ('kv_items', 'authenticated', 'select'),
    ('kv_items', 'service_role', 'select'),
    ('kv_stores', 'authenticated', 'select'),
    ('kv_stores', 'service_role', 'select'),
    ('node_run', 'authenticated', 'select'),
    ('node_run', 'service_role', 'select'),
    ('nodes', 'anon', 'select'),
    ('nodes', 'authenticated', 'delete, insert, select, update'),
    ('nodes', 'service_role', 'delete, insert, select, update'),
    ('public_flows', 'authenticated', 'select'),
    ('public_flows', 'service_role', 'select'),
    ('webhook_deliveries', 'authenticated', 'select'),
    ('webhook_deliveries', 'service_role', 'select'),
    ('connections', 'authenticated', 'delete, select'),
    ('connections', 'service_role', 'delete, select'),
    ('wallets', 'authenticated', 'delete, insert, select, update'),
    ('wallets', 'service_role', 'delete, insert, select, update')
  $$,
  'the API roles hold these privileges on the tables of public, and anon may write none of them'
);
select is_empty('select * from held_by_column', 'no column is granted');
select is_empty('select * from held_sequences', 'no sequence is granted');

grant insert on public.node_run to public;
select set_eq(
  $$ select role, privileges from held where relation = 'node_run' $$,
  $$ values ('anon', 'insert'), ('authenticated', 'insert, select'), ('service_role', 'insert, select') $$,
  'a grant to public is found'
);
grant update (name) on public.flows to anon;
select set_eq('select * from held_by_column', $$ values ('flows', 'name') $$, 'a granted column is found');
grant usage on sequence public.flows_id_seq to anon;
select set_eq('select * from held_sequences', $$ values ('flows_id_seq', 'anon') $$, 'a granted sequence is found');

select * from finish();
