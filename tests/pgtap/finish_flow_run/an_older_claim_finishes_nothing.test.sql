select plan(10);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('run', public.start_deployment(id => test.deploy(test.create_flow(test.user_id('owner')))) ->> 'flow_run_id');
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 0);
select public.claim_flow_runs(1, 60);

create function pg_temp.refusal(claim_number integer, status text default 'succeeded') returns jsonb language sql as $$
  select test.error(format(
    'select public.finish_flow_run(%L, %s, %L, %L, null, null, %L)', test.kept('run'), claim_number, status, '{"M": {}}',
    test.progress(test.kept('run')::uuid, jsonb_build_array(test.node_run('a', claim_number)))
  ));
$$;
grant execute on function pg_temp.refusal(integer, text) to public;
select test.sign_in_as_role('service_role');

select is(
  pg_temp.refusal(1) - 'message', '{"code": "claim_lost", "status": 409, "details": null, "hint": null}',
  'the first claim may not finish the run'
);
select is(pg_temp.refusal(3) ->> 'code', 'claim_lost', 'a claim number that was never used may not finish the run');
select results_eq('select status from public.flow_run', $$ values ('running') $$, 'the run has not ended');
select is_empty('select * from public.node_run', 'a refused call stores no node runs');
select test.sign_out();
select is(state, 'held', 'the newest claim still holds the run') from private.flow_run_jobs;

select test.sign_in_as_role('service_role');
select is(pg_temp.refusal(2), null, 'the newest claim finishes the run');
select test.keep('finished', to_jsonb(r)) from public.flow_run as r;
select is(pg_temp.refusal(2, 'stopped') ->> 'code', 'claim_lost', 'a claim can''t finish its run twice');
select is(
  test.error_code(format('select public.checkpoint_flow_run(%L, 2, 60, ''{}'')', test.kept('run'))), 'claim_lost',
  'after the end a claim stores nothing'
);
select is(to_jsonb(r), test.kept('finished')::jsonb, 'the refused calls do not change the ended run') from public.flow_run as r;
select is(
  test.error_code('select public.finish_flow_run(gen_random_uuid(), 1, ''succeeded'', ''{"M": {}}'', null, null, ''{}'')'), 'claim_lost',
  'a deleted run has no claim'
);

select * from finish();
