select plan(8);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid, name) from unnest('{run,other}'::text[]) as name;
select test.sign_out();
select test.ask_input(test.kept('run')::uuid, 'a', timeout_ms => 90000);
select test.ask_input(test.kept('run')::uuid, 'late', timeout_ms => -1);
select test.ask_input(test.kept('other')::uuid, 'b');

select is(test.take_input(test.kept('run')::uuid), '{"value": null, "outcome": null}', 'an open input has no outcome');
select is(
  (private.take_api_inputs(test.kept('run')::uuid, 1, jsonb_build_array(
    jsonb_build_object('flow_run_id', test.kept('run'), 'node_id', test.node_id('a'), 'times', 0)
  ))::jsonb #>> '{0,left_ms}')::integer between 80000 and 90000, true, 'an open input has the time that is left'
);
select is(count(*), 3::bigint, 'taking one input does not end another') from public.pending_inputs;
select is(test.take_input(test.kept('run')::uuid, 'late'), '{"value": null, "outcome": "expired"}', 'an input whose time is over expires');
select is(array_agg(split_part(url, '/', 6) order by id), '{a,b}', 'an expired input is not pending any more') from public.pending_inputs;
select is(
  private.take_api_inputs(test.kept('run')::uuid, 1, jsonb_build_array(
    jsonb_build_object('flow_run_id', test.kept('other'), 'node_id', test.node_id('b'), 'times', 0)
  ))::text, '[]', 'inputs of other runs are not given'
);
select is(
  test.error_code(format('select public.take_api_inputs(%L, 0, %L)', test.kept('run'), '[]')), 'claim_lost', 'an older claim takes nothing'
);
select private.submit_input('a', '{"U": "1"}', null, null, true, null);
select test.take_input(test.kept('run')::uuid);
select is_empty($$
  select from public.heartbeat_flow_runs(jsonb_build_array(jsonb_build_object('flow_run_id', test.kept('run'), 'claim_number', 1)), 60)
$$, 'the outcome of an input that was taken is not reported again');

select * from finish();
