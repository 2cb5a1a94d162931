select plan(22);

select test.create_user('owner'), test.create_user('other'), test.create_user('starter');
create function pg_temp.nodes(text text, posted text default 'https://example.com') returns jsonb language sql stable as $$
  select test.inputs('item') || jsonb_build_array(
    test.node('post', 'http_request', '{body}', '{}', jsonb_build_object('method', 'POST', 'url', posted)),
    test.node('last', 'print', '{}', '{print}', jsonb_build_object('print', text))
  );
$$;
grant execute on function pg_temp.nodes(text, text) to public;
select test.keep('flow', test.create_flow(test.user_id('owner'), pg_temp.nodes('wrong')));
select test.keep('strange_flow', test.create_flow(test.user_id('owner')));
create function pg_temp.redeploy(nodes jsonb) returns uuid language plpgsql volatile as $$
begin
  update public.flows as f set nodes = redeploy.nodes where f.id = test.kept('flow')::integer;
  return test.deploy(test.kept('flow')::integer);
end;
$$;
grant execute on function pg_temp.redeploy(jsonb) to public;
create function pg_temp.redrive(deployment text, key text default null) returns jsonb language sql volatile as $$
  select public.redrive_flow_run(test.kept('failed')::uuid, idempotency_key => key, deployment => test.kept(deployment)::uuid);
$$;
grant execute on function pg_temp.redrive(text, text) to public;

select test.sign_in(test.user_id('owner'));
select test.keep('old', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set start_permission = 'Authenticated' where id = test.kept('old')::uuid;
select test.keep('strange', test.deploy(test.kept('strange_flow')::integer));
select test.sign_in(test.user_id('starter'));
select test.keep('failed', public.start_deployment(id => test.kept('old')::uuid, inputs => '{"item": {"S": "tea"}}') ->> 'flow_run_id');
select test.claim_all();
select test.sign_out();
select private.end_flow_run(test.kept('failed')::uuid, 'failed', errors => '{x}');
-- The node with effects has succeeded, and the last node has failed.
insert into public.node_run (flow_run_id, user_id, node_id, times, start_time, end_time, input, output, errors)
values
  (test.kept('failed')::uuid, test.user_id('owner'), test.node_id('post'), 0, now(), now(), '{"M": {}}', '{"M": {}}', null),
  (test.kept('failed')::uuid, test.user_id('owner'), test.node_id('last'), 0, now(), now(), '{"M": {}}', null, '{x}');

select test.sign_in(test.user_id('owner'));
select test.keep('changed_post', pg_temp.redeploy(pg_temp.nodes('right', 'https://example.org')));
select test.keep('other_inputs', pg_temp.redeploy(pg_temp.nodes('right') - 0));
select test.keep('new', pg_temp.redeploy(pg_temp.nodes('right')));
update public.flow_deployments set chain_network = '{"url": "https://example.com/new", "cluster": "testnet"}', on_end = '{"url": "https://example.com/told", "events": ["failed"]}'
where id = test.kept('new')::uuid;

select is(test.error_code($$ select pg_temp.redrive('strange') $$), 'deployment_not_found', 'a deployment of another flow is not found');
select is(test.error_code($$ select public.redrive_flow_run(test.kept('failed')::uuid, deployment => gen_random_uuid()) $$), 'deployment_not_found', 'an unknown deployment is not found');
select is(test.error_code($$ select pg_temp.redrive('other_inputs') $$), 'inputs_invalid', 'a deployment without the inputs of the run is refused');
select is(
  test.error($$ select pg_temp.redrive('changed_post') $$) - '{message,hint}'::text[],
  jsonb_build_object('code', 'redrive_graph_changed', 'status', 409, 'details', jsonb_build_array(
    jsonb_build_object('flow_run_id', test.kept('failed'), 'node_id', test.node_id('post'), 'change', 'data')
  )),
  'a node that has had effects must not differ'
);
select test.sign_in(test.user_id('other'));
select is(test.error_code($$ select pg_temp.redrive('new') $$), 'flow_run_not_found', 'for other users the run does not exist');
select test.sign_in(test.user_id('starter'));
select is(test.error_code($$ select pg_temp.redrive('new') $$), 'flow_run_not_found', 'for the starter, who does not own the flow, the run does not exist');

select test.sign_in(test.user_id('owner'));
select test.keep('redriven', pg_temp.redrive('new', 'key') ->> 'flow_run_id');
select is(pg_temp.redrive('new', 'key') ->> 'flow_run_id', test.kept('redriven'), 'the same request returns the same run');
select is(test.error_code($$ select pg_temp.redrive('old', 'key') $$), 'idempotency_key_reused', 'a request that names another deployment is another request');
select is(test.error_code($$ select pg_temp.redrive('new') $$), 'run_redriven', 'a run can be redriven only once');
select test.sign_out();

create temporary view pair as
  select r as run, j as job, d as deployment
  from public.flow_run as r, private.flow_run_jobs as j, public.flow_deployments as d
  where r.id = test.kept('redriven')::uuid and j.flow_run_id = r.id and d.id = test.kept('new')::uuid;
select is((run).deployment_id, (deployment).id, 'the new run belongs to the new deployment') from pair;
select is((run).redriven_from, test.kept('failed')::uuid, 'the new run continues the failed run') from pair;
select is((run).started_by, test.user_id('starter'), 'the redrive has the starter of the run') from pair;
select is((run).inputs, '{"M": {"item": {"S": "tea"}}}', 'the redrive has the inputs of the run') from pair;
select is((run).chain_network ->> 'cluster', 'testnet', 'the settings are those of the new deployment') from pair;
select is((job).settings, private.run_settings(deployment) || '{"action_signer": null}', 'the settings are those of the deployment') from pair;
select is((job).snapshot_hash, (deployment).snapshot_hash, 'the graph is that of the deployment') from pair;
select is(
  (job).redrive_changes, jsonb_build_object(test.kept('failed'), jsonb_build_object('entry', jsonb_build_object(
    'nodes', jsonb_build_object(test.node_id('last'), 'data'), 'calls', '[]'::jsonb
  ))),
  'the changed node is the one that had failed'
) from pair;
select is(
  public.earlier_flow_runs(test.kept('redriven')::uuid)::jsonb #> '{node_runs,0,input}', '{"M": {}}', 'the runner reads the inputs of the earlier executions'
);
select is(public.earlier_flow_runs(test.kept('redriven')::uuid)::jsonb -> 'changes', (job).redrive_changes, 'earlier_flow_runs returns the changes') from pair;

-- A second redrive has the snapshot of the first redrive, but it also reads the failed run, which has another snapshot.
select private.end_flow_run(test.kept('redriven')::uuid, 'stopped');
select test.sign_in(test.user_id('owner'));
select test.keep('second', public.redrive_flow_run(test.kept('redriven')::uuid) ->> 'flow_run_id');
select test.sign_out();
select is(
  array(select jsonb_object_keys(j.redrive_changes)), array[test.kept('failed')], 'redrive_changes has only the run with another snapshot'
) from private.flow_run_jobs as j where j.flow_run_id = test.kept('second')::uuid;

-- The runs below can't be redriven with another deployment.
select test.sign_in(test.user_id('owner'));
insert into public.flow_pins (flow_id, node_id, outputs) values (test.kept('flow')::integer, test.node_id('post'), '{"body": {"S": "x"}}');
select test.keep('failed', public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id');
select test.sign_out();
select private.end_flow_run(test.kept('failed')::uuid, 'failed', errors => '{x}');
select test.sign_in(test.user_id('owner'));
select is(
  test.error($$ select pg_temp.redrive('new') $$) - '{message,hint}'::text[], '{"code": "run_not_redrivable", "status": 409, "details": {"reason": "partial"}}',
  'a run with pinned outputs can not be redriven on a deployment'
);
delete from public.flow_pins where true;
select test.keep('failed', public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id');
select test.sign_out();
select private.end_flow_run(test.kept('failed')::uuid, 'failed', errors => '{x}');
select test.sign_in(test.user_id('owner'));
select is(
  (select array_agg(r.error) from public.redrive_flow_runs(flow => test.kept('flow')::integer, on_deployment => test.kept('new')::uuid) as r
    where r.flow_run_id = test.kept('failed')::uuid),
  array[null]::jsonb[], 'redrive_flow_runs can continue runs on a deployment, also runs that were started without one'
);

select * from finish();
