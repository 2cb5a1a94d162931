select plan(7);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid);
create function pg_temp.refusal(claim_number integer) returns text language sql as $$
  select test.error_code(format(
    'select public.suspend_flow_run(%L, %s, %L)', test.kept('run'), claim_number, test.progress(
      test.kept('run')::uuid, jsonb_build_array(test.node_run('a'))
    )
  ));
$$;
grant execute on function pg_temp.refusal(integer) to public;

select is(pg_temp.refusal(1), '42501', 'the owner may not suspend a run');
select test.sign_in_as_role('anon');
select is(pg_temp.refusal(1), '42501', 'anon may not suspend a run');
select test.sign_out();
select test.lose_workers();
select test.claim_all();
select test.sign_in_as_role('service_role');
select is(pg_temp.refusal(1), 'claim_lost', 'a lost claim may not suspend the run');
select test.sign_out();
select is_empty('select from public.node_run', 'a refused suspension stores nothing');
select results_eq('select status from public.flow_run', $$ values ('running') $$, 'the run keeps running');
select test.sign_in_as_role('service_role');
select is(pg_temp.refusal(2), null, 'the newest claim suspends the run');
select test.sign_out();
select results_eq('select status from public.flow_run', $$ values ('waiting') $$, 'after the suspension the run waits');

select * from finish();
