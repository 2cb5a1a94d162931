select plan(3);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{queued,held}'::text[]) as name;
select test.sign_out();
select public.claim_flow_runs(1, 3600);
-- Send three messages that no claim takes. The first names a run that does not exist, the second is a second message of
-- a run, the third names no run.
select pgmq.send('flow_runs', message) from (
  values (jsonb_build_object('flow_run_id', gen_random_uuid())), (jsonb_build_object('flow_run_id', test.kept('queued'))), ('{}')
) as stray (message);

select is(public.sweep_runner() -> 'messages', '3', 'messages without a job are deleted');
select set_eq(
  $$ select message ->> 'flow_run_id' from pgmq.q_flow_runs $$, array[test.kept('queued'), test.kept('held')],
  'messages of queued and held runs stay'
);
select is(public.sweep_runner() -> 'messages', '0', 'a second sweep deletes nothing more');

select * from finish();
