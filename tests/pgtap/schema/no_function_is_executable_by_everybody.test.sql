select plan(7);

create temporary view offenders as
  select p.oid::regprocedure::text as name from pg_proc as p
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
    and exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a where a.grantee = 0);
-- Even in schema private, which PostgREST does not expose, no function may be granted to everybody. Trigger functions
-- may be granted to nobody.
create temporary view triggers as
  select p.oid::regprocedure::text as name from pg_proc as p
  cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
    and p.prorettype = 'trigger'::regtype and a.grantee <> p.proowner;

select is_empty('select * from offenders', 'no function of public or private is executable by everybody');
select is_empty('select * from triggers', 'no role may execute a trigger function, because triggers need no privilege');

create function public.canary() returns integer language sql as 'select 1';
create function private.canary() returns integer language sql as 'select 1';
select is_empty('select * from offenders', 'a new function is closed by default');
select is(
  has_function_privilege(role, 'public.canary()', 'execute'), false, format('%s may not execute a new function', role)
)
from unnest('{anon,service_role}'::text[]) as role;
grant execute on function public.canary() to public;
select set_eq('select * from offenders', array['canary()'], 'a function that everybody may execute is found');
grant execute on function private.canary() to public;
select set_eq('select * from offenders', array['canary()', 'private.canary()'], 'a function of private that everybody may execute is found');

select * from finish();
