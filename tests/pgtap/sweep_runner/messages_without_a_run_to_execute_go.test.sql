select plan(3);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{queued,held,ended,deleted}'::text[]) as name;
select test.sign_out();
-- Nobody reads hidden messages, as those of runs that wait.
select pgmq.set_vt('flow_runs', msg_id, 3600) from pgmq.q_flow_runs where message ->> 'flow_run_id' <> test.kept('queued');
update public.flow_run set status = 'running', start_time = now() where id = test.kept('held')::uuid;
select test.end_run(test.kept('ended')::uuid, 'stopped');
delete from public.flow_run where id = test.kept('deleted')::uuid;

select is(public.sweep_runner() -> 'messages', '2', 'two messages are deleted');
select set_eq(
  $$ select message ->> 'flow_run_id' from pgmq.q_flow_runs $$, array[test.kept('queued'), test.kept('held')],
  'those of runs that are queued or held stay'
);
select is(public.sweep_runner() -> 'messages', '0', 'a second sweep finds nothing more');

select * from finish();
