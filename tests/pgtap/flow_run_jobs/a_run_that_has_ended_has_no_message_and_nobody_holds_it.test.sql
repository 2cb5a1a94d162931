select plan(2);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{first,second}'::text[]) as name;
select test.sign_out();

select is(test.error('update private.flow_run_jobs set message_id = null where true'), null, 'runs that have ended may have no message');
select is(
  test.error('update private.flow_run_jobs set is_held = true where true') ->> 'constraint', 'flow_run_jobs_held_while_pending',
  'a run without a message can not be held'
);
select * from finish();
