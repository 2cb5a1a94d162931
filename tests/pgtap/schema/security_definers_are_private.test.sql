select plan(7);

create temporary view offenders as
  select p.oid::regprocedure::text as name from pg_proc as p where p.pronamespace = 'public'::regnamespace and p.prosecdef
  union all
  select c.oid::regclass::text from pg_class as c
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' and not coalesce(c.reloptions @> '{security_invoker=true}', false);
-- A definer function runs with the rights of the owner of the tables. So its comment must say why it needs these
-- rights.
create temporary view unexplained as
  select p.oid::regprocedure::text as name from pg_proc as p
  where p.pronamespace = 'private'::regnamespace and p.prosecdef
    and coalesce(obj_description(p.oid, 'pg_proc'), '') !~ '\mDefiner\M';

select is_empty('select * from offenders', 'no function or view of public runs with the rights of its owner');
select is_empty('select * from unexplained', 'the comment of each definer function in private gives the reason');
select cmp_ok(
  count(*), '>=', 10::bigint, 'schema private has definer functions'
)
from pg_proc where pronamespace = 'private'::regnamespace and prosecdef;

create function public.canary() returns integer language sql security definer as 'select 1';
select set_eq('select * from offenders', array['canary()'], 'a definer in public is found');
alter function public.canary() security invoker;
create view public.canary_view as select 1 as one;
select set_eq('select * from offenders', array['canary_view'], 'a view in public with its owner''s rights is found');
alter view public.canary_view set (security_invoker = true);
select is_empty('select * from offenders', 'with the rights of the caller, both are accepted');

create function private.canary() returns integer language sql security definer as 'select 1';
select set_eq('select * from unexplained', array['private.canary()'], 'a definer that doesn''t say why is found');

select * from finish();
