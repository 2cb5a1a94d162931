select plan(9);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'), '[0]')), test.keep('other', test.create_flow(test.user_id('owner'), '["other"]'));
create function pg_temp.save(nodes text) returns void language sql as $$
  update public.flows set nodes = save.nodes::jsonb where id = test.kept('flow')::integer;
$$;
create function pg_temp.keep(name text default null) returns text language sql as $$
  select coalesce(test.error_code(format('select public.keep_flow_version(%s, %L)', test.kept('flow'), name)), 'kept');
$$;
create function pg_temp.numbers() returns integer[] language sql as $$
  select array_agg((v.nodes ->> 0)::integer order by v.id) from public.flow_versions as v where v.flow_id = test.kept('flow')::integer;
$$;

grant execute on function pg_temp.save(text), pg_temp.keep(text), pg_temp.numbers() to public;
select test.sign_in(test.user_id('owner'));
select public.keep_flow_version(test.kept('other')::integer);
select pg_temp.keep('named'), pg_temp.save('[1]');
do $$ begin for i in 1..99 loop perform pg_temp.keep(); perform pg_temp.save(format('[%s]', i + 1)); end loop; end $$;
select is(cardinality(pg_temp.numbers()), 100, 'a flow can have a hundred versions');
select is(pg_temp.keep(), 'kept', 'one more version can be made');
select is((pg_temp.numbers())[1:2] || (pg_temp.numbers())[100:], '{0,2,100}', 'the oldest version without a name is deleted');
update public.flow_versions set name = 'named' where true;
select pg_temp.save('[101]');
select is(
  test.error(format('select public.keep_flow_version(%s)', test.kept('flow'))) -> 'details', '{"of": "flow_versions", "limit": 100}',
  'if all versions have names, no further version is made'
);
select is(pg_temp.keep('named, too'), 'quota_exceeded', 'a version with a name is refused, too');
select test.sign_out();
alter table public.flow_versions disable trigger _100_refuse_read_only;
update public.flow_versions set created_at = created_at - interval '1 day' where true;
select test.sign_in(test.user_id('owner'));
select lives_ok($$ select pg_temp.save('[102]') $$, 'a save succeeds without keeping a version');
select is((pg_temp.numbers())[100:], '{100}', 'the save keeps no version');
select is(test.error_code(format('select test.deploy(%s)', test.kept('flow'))), 'flow_invalid', 'the deploy fails only because the contents of this test are not a graph');
select is(
  (select count(*) from public.flow_versions as v where v.flow_id = test.kept('other')::integer), 1::bigint, 'versions of other flows do not count'
);

select * from finish();
