select plan(10);

select test.create_user('owner');
select test.create_user('other');
select test.create_connection(test.user_id('owner'), 'mail');
select test.create_connection(test.user_id('other'), 'search');
create function pg_temp.request(name text, connection jsonb) returns jsonb language sql as $$
  select test.node(name, 'http_request', '{body}', '{url}', jsonb_build_object('url', 'https://a.example', 'connection', connection));
$$;
select test.keep('called', test.create_flow(test.user_id('owner'), jsonb_build_array(
  pg_temp.request('a', '"mail"'), pg_temp.request('b', '"gone"')
)));
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(
  pg_temp.request('a', '"search"'), pg_temp.request('b', '"search"'), pg_temp.request('c', '""'), pg_temp.request('d', 'null'),
  test.node('e', 'print', '{}', '{}', '{"connection": "of no interest"}'),
  test.node('f', 'interflow', form_data => jsonb_build_object('id', test.kept('called')::integer))
)));
select test.keep('warnings', jsonb_build_array(
  jsonb_build_object('flow_id', test.kept('called')::integer, 'code', 'connection_missing',
    'path', 'nodes[1].data.targets_form.form_data.connection',
    'message', 'you have no connection "gone", so the run fails at the node'),
  jsonb_build_object('flow_id', test.kept('flow')::integer, 'code', 'connection_missing',
    'path', 'nodes[0].data.targets_form.form_data.connection',
    'message', 'you have no connection "search", so the run fails at the node')
));

select test.sign_in(test.user_id('owner'));
select is(public.deploy_flow(test.kept('flow')::integer) -> 'warnings', test.kept('warnings')::jsonb, 'a deploy names each missing connection once');
select is(public.start_flow(test.kept('flow')::integer) -> 'warnings', test.kept('warnings')::jsonb, 'a start reports missing connections, too');
select is(test.error_code(format('select public.deploy_flow(%s, strict => true)', test.kept('flow'))), 'flow_invalid', 'a strict deploy is refused because of missing connections');
select test.sign_out();
select is(c.name, 'mail', 'the deployment has the connections that exist') from private.flow_deployment_connections as c;
select test.create_connection(test.user_id('owner'), name) from unnest(array['search', 'gone']) as name;
select test.sign_in(test.user_id('owner'));
select is(public.deploy_flow(test.kept('flow')::integer) -> 'warnings', '[]', 'when the connections exist, there are no warnings');
select test.sign_out();
select is(count(*), 4::bigint, 'the new deployment has the connections') from private.flow_deployment_connections;
select is(count(*), 1::bigint, 'both deployments have the same snapshot') from (select distinct snapshot_hash from public.flow_deployments) as s;
select is(
  (select count(*) from private.flow_snapshots as s where s.data::text like '%' || c.id || '%'), 0::bigint, 'the snapshot contains no id of a connection'
)
from public.connections as c where c.name = 'mail' limit 1;

-- If two users deploy equal flows, each deployment uses the connections of its own user.
select test.keep('foreign', test.create_flow(test.user_id('other'), jsonb_build_array(pg_temp.request('a', '"search"'))));
select test.sign_in(test.user_id('other'));
select is(public.deploy_flow(test.kept('foreign')::integer) -> 'warnings', '[]', 'the connections of another user do not count');
select test.sign_out();
select is(k.user_id, test.user_id('other'), 'the other user''s deployment has that user''s connections')
from private.flow_deployment_connections as c
join public.flow_deployments as d on d.id = c.deployment_id and d.user_id = test.user_id('other')
join public.connections as k on k.id = c.connection_id;

select * from finish();
