create function public.primary_key_columns(table_name text, schema_name text)
returns text[]
language sql stable security invoker
set search_path = ''
as $$
  select coalesce(array_agg(a.attname::text order by k.position), '{}')
  from pg_catalog.pg_index as i
  join pg_catalog.pg_class as c on c.oid = i.indrelid
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  cross join unnest(i.indkey::smallint[]) with ordinality as k (number, position)
  join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum = k.number
  where n.nspname = primary_key_columns.schema_name and c.relname = primary_key_columns.table_name
    and i.indisprimary and k.position <= i.indnkeyatts;
$$;
comment on function public.primary_key_columns(text, text) is
  'For the runner: the columns of a table''s primary key, in the key''s order. Empty for a view and for a table without a primary key. The node postgrest_execute_query reads the pages of a large result in this order.';
grant execute on function public.primary_key_columns(text, text) to service_role;
