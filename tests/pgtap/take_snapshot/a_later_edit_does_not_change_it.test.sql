select plan(5);

select test.create_user('owner');
select test.keep('child', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('c', 'x'))));
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('call', 'interflow', form_data => jsonb_build_object('id', test.kept('child')::integer))
)));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select public.start_deployment(id => test.kept('deployment')::uuid);

select test.sign_out();
select test.keep('snapshots', jsonb_agg(to_jsonb(s))) from private.flow_snapshots as s;
select test.keep('deployed', snapshot_hash) from public.flow_deployments;
select is(jsonb_array_length(test.kept('snapshots')::jsonb), 1, 'a deployment has frozen the flow and the flow that it calls');

select test.sign_in(test.user_id('owner'));
update public.flows set environment = '{"edited": "yes"}', nodes = nodes || test.node('new', 'x') where true;
delete from public.flows where id = test.kept('child')::integer;

select test.sign_out();
select is(jsonb_agg(to_jsonb(s)), test.kept('snapshots')::jsonb, 'edits and deletes of the flows leave the snapshot as it is')
from private.flow_snapshots as s;
select results_eq(
  'select d.snapshot_hash, j.snapshot_hash from public.flow_deployments as d cross join private.flow_run_jobs as j',
  $$ select test.kept('deployed')::bytea, test.kept('deployed')::bytea $$, 'deployment and run still refer to the snapshot'
);
select is(
  test.error_code('delete from private.flow_snapshots where true'), '23503', 'the snapshot can not be deleted while they refer to it'
);

update public.flows set nodes = '[]' where true;
select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept('flow')::integer);
select results_eq(
  'select snapshot_hash = test.kept(''deployed'')::bytea from public.flow_deployments order by id', 'values (true), (false)',
  'a new deployment has the edited flow'
);

select * from finish();
