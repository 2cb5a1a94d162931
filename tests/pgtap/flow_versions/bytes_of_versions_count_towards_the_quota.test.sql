select plan(8);

select test.create_user('owner');
create function pg_temp.noise(bytes integer) returns jsonb language sql volatile as $$
  select jsonb_build_array(string_agg(encode(extensions.gen_random_bytes(1000), 'base64'), '')) from generate_series(1, noise.bytes / 1350);
$$;
grant execute on function pg_temp.noise(integer) to public;
select private.set_quota('flow_bytes', 100000);
select test.keep('flow', test.create_flow(test.user_id('owner'), pg_temp.noise(60000)));

select test.sign_in(test.user_id('owner'));
select is(
  test.error(format('select public.keep_flow_version(%s)', test.kept('flow'))) -> 'details', '{"of": "flow_bytes", "limit": 100000}',
  'a flow of 60 KB and its version of 60 KB exceed a quota of 100 KB'
);
update public.flows set nodes = '[]' where true;
select is((select count(*) from public.flow_versions), 1::bigint, 'when the flow has become small, its former contents fit into the quota');
select is(
  (select v.bytes from public.flow_versions as v),
  (select pg_column_size(v.nodes) + pg_column_size(v.edges) + pg_column_size(v.environment) from public.flow_versions as v),
  'bytes is the size as stored'
);
select test.sign_out();
select cmp_ok(private.quota_use('flow_bytes', test.user_id('owner')), '>', 50000::bigint, 'the bytes of the version count');
alter table public.flow_versions disable trigger _100_refuse_read_only;
update public.flow_versions set created_at = created_at - interval '1 day' where true;
select test.sign_in(test.user_id('owner'));
select is(
  test.error_code($$ insert into public.flows (nodes) select v.nodes from public.flow_versions as v $$), 'quota_exceeded', 'a second flow exceeds the quota'
);
select lives_ok($$ update public.flows set nodes = '["small"]' where true $$, 'a save near the quota succeeds');
select test.sign_out();
select private.set_quota('flow_bytes', 1000);
update public.flow_versions set created_at = created_at - interval '1 day' where true;
select test.sign_in(test.user_id('owner'));
select lives_ok($$ update public.flows set nodes = '[]' where true $$, 'a flow beyond the quota can still be made smaller');
select is((select count(*) from public.flow_versions), 2::bigint, 'this save keeps no version');

select * from finish();
