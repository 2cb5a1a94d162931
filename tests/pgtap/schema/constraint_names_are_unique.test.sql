-- Errors are distinguished by constraint name, so two rules must not have the same name.
select plan(5);

create temporary view offenders as
  select c.conname::text as name from pg_constraint as c
  where c.connamespace in ('public'::regnamespace, 'private'::regnamespace)
  group by c.conname having count(*) > 1;
create temporary view unnamed as
  select format('%s.%s', t.relname, c.conname) as name from pg_constraint as c join pg_class as t on t.oid = c.conrelid
  where c.connamespace in ('public'::regnamespace, 'private'::regnamespace) and c.conname !~ ('^' || t.relname || '_');

select is_empty('select * from offenders', 'no two constraints of public and private have the same name');
select is_empty('select * from unnamed', 'the name of each constraint begins with the name of its table');

create table public.canary (a integer constraint canary_a_positive check (a > 0));
select is_empty('select * from offenders', 'a new name passes');
create table private.canary (a integer constraint canary_a_positive check (a > 0), b integer constraint b_positive check (b > 0));
select set_eq('select * from offenders', array['canary_a_positive'], 'a name that occurs twice is found, even in two schemas');
select set_eq('select * from unnamed', array['canary.b_positive'], 'a name that does not begin with the name of the table is found');

select * from finish();
