select plan(7);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.queued_claim(test.deploy(test.create_flow(test.user_id('owner'))), 'failed');
select test.sign_out();
select test.keep('inner', gen_random_uuid());
select public.checkpoint_flow_run(test.kept('failed')::uuid, 1, 60, test.progress(
  test.kept('failed')::uuid,
  jsonb_build_array(
    test.node_run('handled', output => null) || '{"errors": ["outcome_unknown: gone"], "error_handled": true}',
    test.node_run('call', output => null) || '{"errors": ["it failed"], "error_handled": true}',
    test.node_run('open', output => null) || '{"errors": ["it failed"]}',
    test.node_run('fine')
  ),
  '[]',
  jsonb_build_array(test.child(test.kept('inner')::uuid, test.kept('failed')::uuid, 7, 'failed', 'call'))
));
select results_eq(
  $$ select n.node_id, n.error_handled, n.errors from public.node_run as n where n.flow_run_id = test.kept('failed')::uuid order by n.errors $$,
  $$ values (test.node_id('call'), true, '{it failed}'::text[]), (test.node_id('open'), false, '{it failed}'),
    (test.node_id('handled'), true, '{outcome_unknown: gone}'), (test.node_id('fine'), false, null) $$,
  'a handled error is marked'
);
select is(
  test.error($$ update public.node_run set error_handled = true where errors is null $$) ->> 'constraint', 'node_run_handled_has_errors',
  'only an error can be handled'
);
select private.end_flow_run(test.kept('failed')::uuid, 'failed', errors => '{x}');
select test.sign_in(test.user_id('owner'));
select test.keep('redriven', public.redrive_flow_run(test.kept('failed')::uuid) ->> 'flow_run_id');
select test.sign_out();
select isnt(test.kept('redriven'), null, 'a handled error of unknown outcome needs no consent, because the redrive does not repeat the node');
select test.sign_in_as_role('service_role');
select is(
  public.earlier_flow_runs(test.kept('redriven')::uuid)::jsonb -> 'children', '[]',
  'if the error of a call was handled, the called run is left out, because the call is taken over'
);
select is(
  (select array_agg(n -> 'error_handled' order by n ->> 'node_id') from jsonb_array_elements(public.earlier_flow_runs(test.kept('redriven')::uuid)::jsonb -> 'node_runs') as n
    where n ->> 'node_id' = test.node_id('handled')::text),
  array[jsonb 'true'], 'the redrive learns that the error was handled'
);
select public.claim_flow_runs(1, 60);
select public.checkpoint_flow_run(test.kept('redriven')::uuid, 1, 60, test.progress(test.kept('redriven')::uuid, '[]') || jsonb_build_object(
  'taken_over', jsonb_build_array(jsonb_build_object(
    'flow_run_id', test.kept('redriven'), 'node_id', test.node_id('handled'), 'times', 0, 'from_flow_run_id', test.kept('failed'), 'from_times', 0,
    'start_position', 1, 'end_position', 2
  ))
));
select test.sign_out();
select results_eq(
  $$ select n.errors, n.error_handled, n.is_taken_over from public.node_run as n where n.flow_run_id = test.kept('redriven')::uuid $$,
  $$ values ('{outcome_unknown: gone}'::text[], true, true) $$, 'the redrive takes the node run over, with its error'
);
select test.sign_in(test.user_id('owner'));
select is(
  (select e -> 'data' -> 'error_handled' from jsonb_array_elements(public.flow_run_events(test.kept('redriven')::uuid)::jsonb -> 'events') as e
    where e ->> 'event' = 'node_error'),
  'true', 'the event of the node run says that its error was handled'
);

select * from finish();
