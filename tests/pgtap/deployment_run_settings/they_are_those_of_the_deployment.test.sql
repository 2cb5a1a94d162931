select plan(6);

select test.create_user('owner');
select test.create_connection(test.user_id('owner'), 'api');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('a', 'http_request', form_data => '{"connection": "api"}')
))));
select test.sign_out();
create temporary view kept as
  select s.settings = private.run_settings(d) || '{"action_signer": null}' as is_right, s.settings
  from public.flow_deployments as d left join private.deployment_run_settings as s on s.deployment_id = d.id;
create function pg_temp.started() returns jsonb language plpgsql as $$
begin
  perform test.sign_in(test.user_id('owner'));
  perform test.start_and_keep('run', test.kept('deployment')::uuid);
  perform test.sign_out();
  return (select j.settings from private.flow_run_jobs as j where j.flow_run_id = test.kept('run')::uuid);
end;
$$;

select results_eq(
  $$ select is_right, settings -> 'connections' ? 'api' from kept $$, 'values (true, true)', 'a deploy keeps the settings, with the connections'
);
select is(pg_temp.started(), settings, 'a start copies them') from kept;

select test.sign_in(test.user_id('owner'));
update public.flow_deployments set output_instructions = true, chain_network = '{"url": "https://rpc.example.com/", "cluster": "devnet"}' where true;
select test.sign_out();
select results_eq('select is_right from kept', 'values (true)', 'a change of the deployment changes them');
select ok(pg_temp.started() @> '{"output_instructions": true, "chain_network": {"url": "https://rpc.example.com/"}}', 'the next start has the new settings');

delete from private.flow_deployment_connections where true;
select results_eq($$ select is_right, settings -> 'connections' from kept $$, $$ values (true, '{}'::jsonb) $$, 'a deleted connection leaves them');

delete from public.flow_deployments where true;
select is_empty('select from private.deployment_run_settings', 'they are deleted with the deployment');

select * from finish();
