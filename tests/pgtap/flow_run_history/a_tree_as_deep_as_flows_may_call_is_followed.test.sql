select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();
select public.claim_flow_runs(1, 60);
create function pg_temp.id(depth integer) returns uuid language sql immutable as $$
  select case depth when 0 then test.kept('run')::uuid else md5(depth::text)::uuid end;
$$;
select test.keep('children', jsonb_agg(test.child(pg_temp.id(depth), pg_temp.id(depth - 1), 1))) from generate_series(1, 1024) as depth;
select is(
  test.error(format(
    'select public.checkpoint_flow_run(%L, 1, 60, %L)', test.kept('run'), test.progress(test.kept('run')::uuid, children => test.kept('children')::jsonb)
  )), null, 'a chain of 1024 runs is stored at once'
);
select is(json_array_length(private.flow_run_history(test.kept('run')::uuid) -> 'children'), 1024, 'the history has all runs of the tree');
select is(private.root_run_id(pg_temp.id(1024)), test.kept('run')::uuid, 'the root of the deepest run is found');
select private.end_flow_run(test.kept('run')::uuid, 'stopped', null, null, null);
select is(count(*), 1025::bigint, 'all called runs end with their root') from public.flow_run where status = 'stopped';

select * from finish();
