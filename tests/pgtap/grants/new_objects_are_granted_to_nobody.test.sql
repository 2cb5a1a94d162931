-- The platform's default privileges grant everything in schema public. The first file of the schema revokes them.
select plan(13);

create table public.canary (id integer generated always as identity, name text);
create view public.canary_view as select 1 as one;
create sequence public.canary_seq;
create function public.canary() returns integer language sql as 'select 1';
create table private.canary (id integer);
create function private.canary() returns integer language sql as 'select 1';

select is(
  (select count(*) from unnest('{public.canary,public.canary_view,private.canary}'::regclass[]) as t
    where has_table_privilege(role, t, 'select, insert, update, delete, truncate, references, trigger')), 0::bigint,
  role || ' has no privilege on new tables and views'
)
from unnest('{anon,authenticated,service_role}'::text[]) as role;
select is(
  (select count(*) from unnest('{public.canary_seq,public.canary_id_seq}'::regclass[]) as s
    where has_sequence_privilege(role, s, 'usage, select, update')), 0::bigint, role || ' has no privilege on new sequences'
)
from unnest('{anon,authenticated,service_role}'::text[]) as role;
select is(
  (select count(*) from unnest('{public.canary(),private.canary()}'::regprocedure[]) as f where has_function_privilege(role, f, 'execute')),
  0::bigint, role || ' executes no new function'
)
from unnest('{anon,authenticated,service_role}'::text[]) as role;

select is(has_table_privilege('anon', 'public.canary', 'select'), false, 'anon may not read the new table');
grant select on public.canary to anon;
select is(has_table_privilege('anon', 'public.canary', 'select'), true, 'after a grant anon has the privilege');
select test.sign_in_as_role('anon');
select is(test.error_code('select from public.canary'), null, 'after a grant anon can read the table');
select is(test.error_code('select public.canary()'), '42501', 'the service role may not execute a new function');

select * from finish();
