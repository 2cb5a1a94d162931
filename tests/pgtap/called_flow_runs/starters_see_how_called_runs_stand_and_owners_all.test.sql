select plan(19);

select test.create_user(name) from unnest('{owner,starter,other}'::text[]) as name;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
update public.flow_deployments set start_permission = 'Anonymous' where true;
select test.sign_in(test.user_id('starter'));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_out();
select test.claim_all();
select test.keep(name, private.uuid_v7()) from unnest('{child,grandchild}'::text[]) as name;
select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, children => jsonb_build_array(
  test.child(test.kept('child')::uuid, test.kept('run')::uuid, 1, 'failed'),
  test.child(test.kept('grandchild')::uuid, test.kept('child')::uuid, 2)
)));
select test.keep('token', private.run_token(test.kept('run')::uuid));

create function pg_temp.called(run text, after text default null) returns setof jsonb language sql as $$
  select to_jsonb(c) from public.called_flow_runs(test.kept(called.run)::uuid, test.kept(called.after)::uuid) as c;
$$;
create function pg_temp.result_code(run text) returns text language sql as $$
  select test.error_code(format('select public.flow_run_result(%L)', test.kept(result_code.run)));
$$;
grant execute on function pg_temp.called(text, text), pg_temp.result_code(text) to public;

-- The owner of the flow.
select test.sign_in(test.user_id('owner'));
select results_eq(
  $$ select inputs, output, errors from public.flow_run where id = test.kept('child')::uuid $$,
  $$ values (jsonb '{"M": {"i": {"U": "1"}}}', jsonb '{"M": {"o": {"U": "2"}}}', array['a failed']) $$, 'the owner reads inputs, outputs and errors of called runs'
);
select is(pg_temp.result_code('child'), null, 'the owner reads the results of called runs');
select results_eq($$ select pg_temp.called('run') ->> 'id' $$, array[test.kept('child')], 'the owner reads the states of called runs');

-- The starter of the root run.
select test.sign_in(test.user_id('starter'));
select results_eq('select id from public.flow_run', array[test.kept('run')::uuid], 'a starter reads no row of a called run');
select is(pg_temp.result_code('run'), null, 'the starter reads the result of the started run');
select is(pg_temp.result_code('child'), 'flow_run_not_found', 'the starter can not read the result of a called run');
select is(
  test.error_code(format('select public.await_flow_run_result(%L)', test.kept('child'))), 'flow_run_not_found', 'waiting for the result of a called run is refused, too'
);
select is(c - 'created_at', jsonb_build_object(
  'id', test.kept('child'), 'status', 'failed', 'start_time', '2026-01-01T00:00:01+00:00', 'end_time', '2026-01-01T00:00:02+00:00',
  'parent_flow_run_id', test.kept('run'), 'parent_node_id', test.node_id('caller'), 'parent_times', 0
), 'a starter sees id, status, times and the place of a called run') from pg_temp.called('run') as c;
select results_eq($$ select pg_temp.called('child') ->> 'id' $$, array[test.kept('grandchild')], 'the starter also sees the states of runs that a called run called');
select is_empty($$ select pg_temp.called('run', 'child') $$, 'the next page begins after the last id');
select is(
  public.pending_signature_request(test.kept('grandchild')::uuid) -> 'request', 'null', 'the requests of the tree can be asked for by the id of each of its runs'
);

-- The holder of the run's token.
select test.sign_in_as_role('anon');
select set_config('request.headers', json_build_object('x-flow-run-token', test.kept('token'))::text, true);
select results_eq('select id from public.flow_run', array[test.kept('run')::uuid], 'the holder of the token reads only the started run');
select is(pg_temp.result_code('child'), 'flow_run_not_found', 'the holder of the token can not read the result of a called run');
select results_eq($$ select pg_temp.called('run') ->> 'id' $$, array[test.kept('child')], 'the holder of the token reads the states of called runs');

-- Others.
select set_config('request.headers', '{}', true);
select is(test.error_code($$ select pg_temp.called('run') $$), 'unauthenticated', 'a caller without a credential is refused');
select test.sign_in(test.user_id('other'));
select is(test.error_code($$ select pg_temp.called('run') $$), 'flow_run_not_found', 'for other users the run does not exist');
select is(test.error_code($$ select pg_temp.called('child') $$), 'flow_run_not_found', 'for other users called runs do not exist, either');
select test.keep('nothing', gen_random_uuid());
select is(test.error_code($$ select pg_temp.called('nothing') $$), 'flow_run_not_found', 'a run that does not exist gets the same error');

select test.sign_in(test.user_id('starter'));
select public.stop_flow_run(test.kept('grandchild')::uuid);
select test.sign_out();
select isnt(j.stop_requested_at, null, 'a starter stops the tree by each of its ids') from private.flow_run_jobs as j;

select * from finish();
