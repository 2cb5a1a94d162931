select plan(7);

create temporary view offenders as
  select p.oid::regprocedure::text as name from pg_proc as p
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
    -- The names in a `begin atomic` body are resolved when the function is created.
    and p.prosqlbody is null and 'search_path=""' <> all (coalesce(p.proconfig, '{}'));

select is_empty('select * from offenders', 'every function of public and private has an empty search_path, or a body that needs none');
select cmp_ok(count(*), '>=', 40::bigint, 'the check finds functions')
from pg_proc where pronamespace in ('public'::regnamespace, 'private'::regnamespace);

create function private.canary() returns integer language sql as 'select 1';
select set_eq('select * from offenders', array['private.canary()'], 'a function without a search_path is found');
alter function private.canary() set search_path = public;
select set_eq('select * from offenders', array['private.canary()'], 'a function whose search_path names a schema is found');
alter function private.canary() set search_path = pg_catalog, '';
select set_eq('select * from offenders', array['private.canary()'], 'a function whose search_path names several schemas is found');
alter function private.canary() set search_path = '';
select is_empty('select * from offenders', 'a function with an empty search_path is accepted');
create function private.bound_canary() returns integer language sql begin atomic select 1; end;
select is_empty('select * from offenders', 'a function whose names are resolved at its creation is accepted');

select * from finish();
