select plan(2);

-- Other tests leave dead rows, for which Postgres may choose an index.
truncate public.flows cascade;
select test.create_user('owner');
select private.set_quota('flows', 100000);
select test.keep('flow', test.create_flow(test.user_id('owner')));
create function pg_temp.rows_scanned() returns bigint language sql as $$
  select seq_tup_read from pg_stat_xact_user_tables where relid = 'public.flows'::regclass;
$$;
-- The function uses dynamic SQL, so that Postgres caches the plans of the triggers, but not the plan of this update.
create function pg_temp.save() returns void language plpgsql as $$
begin
  execute 'update public.flows set name = ''saved'' where id = $1' using test.kept('flow')::integer;
end;
$$;

-- The first save caches plans of the triggers that are made for a table with one row.
analyze public.flows;
select pg_temp.save();
insert into public.flows (user_id) select test.user_id('owner') from generate_series(1, 2000);
select test.keep('scanned', pg_temp.rows_scanned());
select cmp_ok(test.kept('scanned')::bigint, '>', 0::bigint, 'a scan of the table is counted');
set local enable_seqscan = off;
select pg_temp.save();
select is(pg_temp.rows_scanned(), test.kept('scanned')::bigint, 'a save scans no flows');

select * from finish();
