select plan(6);

-- Lists the privileges that roles other than the owner have on tables, sequences and single columns.
create temporary view offenders as
  select distinct c.relname::text as name, coalesce(r.rolname, 'public')::text as grantee
  from pg_class as c
  cross join lateral (
    select (aclexplode(coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner)))).grantee
    union all
    select (aclexplode(a.attacl)).grantee from pg_attribute as a where a.attrelid = c.oid
  ) as acl
  left join pg_roles as r on r.oid = acl.grantee
  where c.relnamespace = 'private'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and acl.grantee <> c.relowner
    -- This view may be granted, because public.public_flows reads it with the rights of the caller.
    and not (c.relname = 'shared_flows' and c.relkind = 'v' and c.reloptions @> '{security_barrier=true}');

select is_empty('select * from offenders', 'no role has a privilege on a table of private, except by this list');
select cmp_ok(
  count(*), '>=', 3::bigint, 'the check finds tables'
)
from pg_class where relnamespace = 'private'::regnamespace and relkind = 'r';

create table private.canary (id integer, name text);
select is_empty('select * from offenders', 'no role has a privilege on a new table');
grant select on private.canary to service_role;
select set_eq('select name || '' '' || grantee from offenders', array['canary service_role'], 'a granted table is found');
revoke select on private.canary from service_role;
grant update (name) on private.canary to authenticated;
select set_eq('select name || '' '' || grantee from offenders', array['canary authenticated'], 'a granted column is found');
grant insert on private.canary to public;
select set_eq(
  'select name || '' '' || grantee from offenders', array['canary authenticated', 'canary public'], 'a table granted to everybody is found'
);

select * from finish();
