select plan(3);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('n')));
select test.deploy(test.kept('flow')::integer);
insert into public.flow_schedules (flow, cron, "values") values (test.kept('flow')::integer, '0 6 * * *', '{"n": 7}');
-- A second flow has the input "other", which its schedule names. Before the schedule is due, a new deployment replaces
-- this input by "n".
select test.keep('changed', test.create_flow(test.user_id('owner'), test.inputs('other')));
select test.deploy(test.kept('changed')::integer);
insert into public.flow_schedules (flow, cron, "values") values (test.kept('changed')::integer, '0 6 * * *', '{"other": 7}');
update public.flows set nodes = test.inputs('n') where id = test.kept('changed')::integer;
select test.deploy(test.kept('changed')::integer);
select test.sign_out();
update public.flow_schedules set next_start_at = now() - interval '1 second' where true;

select is(private.start_due_schedules(), '{"started": 1, "skipped": 0, "refused": 1, "has_more": false}', 'the values of one schedule fit, and those of the other do not');
select results_eq('select inputs from public.flow_run', $$ values ('{"M": {"n": {"U": "7"}}}'::jsonb) $$, 'plain values are converted by the types of the inputs');
select is(last_error, 'inputs_invalid: values.other: the flow has no such input.', 'last_error has the fault for the owner') from public.flow_schedules
where "values" ? 'other';

select * from finish();
