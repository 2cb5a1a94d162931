select plan(6);

create temporary view offenders as
  select c.oid::regclass::text as name from pg_class as c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity;
create temporary view without_policy as
  select c.oid::regclass::text as name from pg_class as c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and not exists (select from pg_policy as p where p.polrelid = c.oid);

select is_empty('select * from offenders', 'row level security is on for every table of public');
select is_empty('select * from without_policy', 'each table has a policy');
select cmp_ok(
  count(*), '>=', 6::bigint, 'the check finds tables'
)
from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r';

create table public.canary (id integer);
select set_eq('select * from offenders', array['canary'], 'a table without row level security is found');
alter table public.canary enable row level security;
select is_empty('select * from offenders', 'with row level security the table is accepted');
select set_eq('select * from without_policy', array['canary'], 'a table without a policy is found');

select * from finish();
