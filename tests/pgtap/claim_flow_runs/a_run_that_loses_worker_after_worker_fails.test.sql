select plan(11);

select test.create_user('owner');
select test.keep('called', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('inner', 'x'))));
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('a', 'x'), test.node('b', 'x'), test.node('caller', 'interflow', form_data => jsonb_build_object('id', test.kept('called')::integer))
)));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{poison,second_poison,healthy}'::text[]) as name;
select test.sign_out();
select test.keep('child', gen_random_uuid());

select public.claim_flow_runs(1, 60);
select public.checkpoint_flow_run(test.kept('poison')::uuid, 1, 60, test.progress(
  test.kept('poison')::uuid, jsonb_build_array(test.node_run('b', is_ended => false)),
  children => jsonb_build_array(test.child(test.kept('child')::uuid, test.kept('poison')::uuid, test.kept('called')::integer))
));
create function pg_temp.claimed(max_lost_claims integer) returns setof uuid language sql volatile as $$
  select test.lose_workers();
  select flow_run_id from public.claim_flow_runs(1, 60, max_lost_claims => claimed.max_lost_claims);
$$;
select results_eq('select pg_temp.claimed(2)', $$ values (test.kept('poison')::uuid) $$, 'a run that lost a worker is claimed again');
select results_eq('select pg_temp.claimed(2)', $$ values (test.kept('poison')::uuid) $$, 'the run is claimed as often as it may lose workers');
update private.flow_run_jobs set state = 'held', due_at = now(), lost_claim_count = 2 where flow_run_id = test.kept('second_poison')::uuid;

select results_eq(
  'select pg_temp.claimed(2)', $$ values (test.kept('healthy')::uuid) $$, 'one claim fails a second run of this kind, and claims the next run'
);
select results_eq(
  $$ select status, errors, output, not_run from public.flow_run where id = test.kept('poison')::uuid $$,
  $$ values (
    'failed', array['worker_lost: 3 workers in a row were lost while they executed this run'], jsonb '{"M": {}}',
    array[test.node_id('a'), test.node_id('caller')]
  ) $$,
  'the run has failed, and lists the nodes that it never began'
);
select results_eq(
  $$ select status, errors, not_run from public.flow_run where id = test.kept('child')::uuid $$,
  $$ values ('failed', array['the run that called this flow has ended'], array[test.node_id('inner')]) $$, 'the called run has failed, too'
);
select results_eq(
  $$ select status, start_time from public.flow_run where id = test.kept('second_poison')::uuid $$,
  $$ values ('failed', null::timestamptz) $$, 'the second run that lost its workers has failed'
);
select results_eq(
  $$ select flow_run_id from private.flow_run_jobs where state <> 'ended' $$, $$ values (test.kept('healthy')::uuid) $$, 'the failed runs leave the queue'
);
select is(
  test.error_code($$ select public.checkpoint_flow_run(test.kept('poison')::uuid, 3, 60, '{}') $$), 'claim_lost',
  'if the last worker comes back, its claim is lost'
);
select is_empty('select pg_temp.claimed(0)', 'if the limit is 0, the first loss ends a run');
select results_eq($$ select count(*) from public.flow_run where status = 'failed' $$, 'values (4::bigint)', 'all four runs that lost too many workers have failed');

select test.sign_in(test.user_id('owner'));
select test.start_and_keep('endless', test.kept('deployment')::uuid);
select test.sign_out();
update private.flow_run_jobs set state = 'held', due_at = now(), lost_claim_count = 1000 where flow_run_id = test.kept('endless')::uuid;
select results_eq('select pg_temp.claimed(null)', $$ values (test.kept('endless')::uuid) $$, 'if the limit is null, a run may lose any number of workers');

select * from finish();
