select plan(9);

create temporary view offenders as
  select c.oid::regclass::text as name from pg_class as c
  where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and coalesce(obj_description(c.oid, 'pg_class'), '') = ''
  union all
  select p.oid::regprocedure::text from pg_proc as p
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and coalesce(obj_description(p.oid, 'pg_proc'), '') = ''
  union all
  select t.oid::regtype::text from pg_type as t
  where t.typnamespace in ('public'::regnamespace, 'private'::regnamespace)
    and (t.typtype in ('e', 'd', 'r') or exists (select from pg_class as c where c.oid = t.typrelid and c.relkind = 'c'))
    and coalesce(obj_description(t.oid, 'pg_type'), '') = ''
  union all
  select n.nspname from pg_namespace as n
  where n.nspname in ('public', 'private') and coalesce(obj_description(n.oid, 'pg_namespace'), '') = '';

select is_empty('select * from offenders', 'every table, view, type and function of public and private has a comment');

create table public.canary (id integer);
select set_eq('select * from offenders', array['canary'], 'a table without a comment is found');
comment on table public.canary is 'A table.';
select is_empty('select * from offenders', 'with a comment the table is accepted');
create view private.canary as select 1 as one;
select set_eq('select * from offenders', array['private.canary'], 'a view without a comment is found');
comment on view private.canary is '';
select set_eq('select * from offenders', array['private.canary'], 'an empty comment does not count');
comment on view private.canary is 'A view.';
create function private.canary() returns integer language sql as 'select 1';
select set_eq('select * from offenders', array['private.canary()'], 'a function without a comment is found');
comment on function private.canary() is 'A function.';
create type public.canary_kind as enum ('a');
select set_eq('select * from offenders', array['canary_kind'], 'a type without a comment is found');
drop type public.canary_kind;
create type private.canary_row as (id integer);
select set_eq('select * from offenders', array['private.canary_row'], 'a row type without a comment is found');
drop type private.canary_row;
select is_empty('select * from offenders', 'nothing else is found');

select * from finish();
