-- For the API roles, the platform loads safeupdate: an update or delete without a where fails at run time. For other
-- roles, such a statement succeeds. So this test searches the source of all functions.
select plan(12);

-- Returns the updates and deletes in a source text. Comments and literals are removed first. A statement begins at its
-- keyword, and ends at a semicolon or at the next statement. An update counts only with a qualified table name, so `on
-- conflict do update set` and `for no key update` do not count.
create function pg_temp.statements(source text) returns setof text language sql as $$
  select m[1]
  from regexp_matches(
    regexp_replace(regexp_replace(lower(source), '--[^\n]*', '', 'g'), '''[^'']*''', '''''', 'g'),
    '(\m(?:update\s+(?:only\s+)?\w+\.\w+|delete\s+from)\M(?:(?!\m(?:update\s+(?:only\s+)?\w+\.\w+|delete\s+from)\M)[^;])*)', 'g'
  ) as m;
$$;
create temporary view offenders as
  select p.oid::regprocedure::text as name from pg_proc as p
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
    and exists (select from pg_temp.statements(p.prosrc) as s where s !~ '\mwhere\M');

select is_empty('select * from offenders', 'every update and delete in a function has a where');
select cmp_ok(count(*), '>=', 4::bigint, 'the check finds updates and deletes')
from pg_proc as p cross join lateral pg_temp.statements(p.prosrc)
where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace);

create function pg_temp.canary(source text) returns text[] language plpgsql as $$
begin
  execute format('create or replace function private.canary() returns void language plpgsql as %L', format(E'begin %s\nend', source));
  return array(select name from offenders);
end;
$$;
select is(pg_temp.canary(source), '{}', source || ' passes')
from (values
  ($$update public.flows set name = '' where true;$$),
  ($$delete from public.flows as f where f.id = 0;$$),
  ($$insert into public.flows (name) values ('') on conflict (id) do update set name = '';$$),
  ($$perform from public.flows for no key update;$$),
  ($$raise notice 'update public.flows set name'; -- delete from public.flows$$)
) as good (source);
select is(pg_temp.canary(source), '{private.canary()}', source || ' is found')
from (values
  ($$update public.flows set name = '';$$),
  ($$DELETE FROM public.flows;$$),
  ($$update public.flows as f set name = 'where';$$),
  ($$delete from public.flows; update public.flows set name = '' where true;$$),
  ($$with gone as (delete from public.flows returning id) update public.flows set name = '' where true;$$)
) as bad (source);

select * from finish();
