select plan(2);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{lost,slept,held}'::text[]) as name;
select test.sign_out();
select public.claim_flow_runs(10, 3600);
select public.release_flow_run(test.kept('slept')::uuid, 1, '{}', 3600);
update private.flow_run_jobs set due_at = clock_timestamp() where flow_run_id in (test.kept('lost')::uuid, test.kept('slept')::uuid);

select is(public.sweep_runner() -> 'messages', '0', 'the answer has the members of the former release');
select results_eq(
  'select state::text, claimed.due_at is null from private.flow_run_jobs as claimed order by flow_run_id',
  $$ values ('lost', false), ('ready', true), ('held', false) $$, 'jobs whose time has come may be claimed, without any claim'
);

select * from finish();
