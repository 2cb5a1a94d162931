select plan(7);

create temporary view offenders as
  select p.oid::regprocedure::text as name from pg_proc as p
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
    -- The names in a `begin atomic` body are resolved when the function is created.
    and p.prosqlbody is null and 'search_path=""' <> all (coalesce(p.proconfig, '{}'));

select is_empty('select * from offenders', 'every function of public and private has an empty search_path, or a body that needs none');
select cmp_ok(count(*), '>=', 40::bigint, 'there are functions to look at')
from pg_proc where pronamespace in ('public'::regnamespace, 'private'::regnamespace);

create function private.canary() returns integer language sql as 'select 1';
select set_eq('select * from offenders', array['private.canary()'], 'a function that says nothing of it is found');
alter function private.canary() set search_path = public;
select set_eq('select * from offenders', array['private.canary()'], 'one that names a schema is found');
alter function private.canary() set search_path = pg_catalog, '';
select set_eq('select * from offenders', array['private.canary()'], 'one that names several is found');
alter function private.canary() set search_path = '';
select is_empty('select * from offenders', 'one with an empty search_path passes');
create function private.bound_canary() returns integer language sql begin atomic select 1; end;
select is_empty('select * from offenders', 'so does one whose names are bound');

select * from finish();
