select plan(6);

create temporary view keyless as
  select c.oid::regclass::text as name from pg_class as c
  where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'r'
    and not exists (select from pg_constraint as k where k.conrelid = c.oid and k.contype = 'p');
-- The deletion of a row searches the rows that refer to it. Without an index that begins with the key columns, the
-- search reads the whole table.
create temporary view unindexed as
  select k.conname::text as name from pg_constraint as k
  where k.connamespace in ('public'::regnamespace, 'private'::regnamespace) and k.contype = 'f'
    and not exists (
      select from pg_index as i
      where i.indrelid = k.conrelid and (i.indkey::smallint[])[0:cardinality(k.conkey) - 1] @> k.conkey
    );

select is_empty('select * from keyless', 'every table has a primary key');
select is_empty('select * from unindexed', 'every foreign key has an index');
select cmp_ok(count(*), '>=', 10::bigint, 'the check finds foreign keys')
from pg_constraint where connamespace in ('public'::regnamespace, 'private'::regnamespace) and contype = 'f';

create table private.canary (id integer, flow_id integer constraint canary_flow_id_fkey references public.flows (id));
select set_eq('select * from keyless', array['private.canary'], 'a table without a key is found');
create index canary_idx on private.canary (id, flow_id);
select set_eq('select * from unindexed', array['canary_flow_id_fkey'], 'a foreign key whose index begins with another column is found');
create index canary_flow_id_idx on private.canary (flow_id, id);
select is_empty('select * from unindexed', 'an index that begins with the key column is accepted');

select * from finish();
