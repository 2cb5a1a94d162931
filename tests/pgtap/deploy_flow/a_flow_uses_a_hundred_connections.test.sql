select plan(4);

select test.create_user('owner');
select test.create_connection(test.user_id('owner'), format('c%s', 100 + n)) from generate_series(1, 102) as n;
create function pg_temp.request(connection text, name text default null) returns jsonb language sql as $$
  select test.node(coalesce(name, connection), 'http_request', '{body}', '{url}', jsonb_build_object('url', 'https://a.example', 'connection', connection));
$$;
select test.keep('flow', test.create_flow(test.user_id('owner'), (
  select jsonb_agg(pg_temp.request(format('c%s', 100 + n))) from generate_series(1, 102) as n
) || jsonb_build_array(pg_temp.request(repeat('x', 5000), 'long'))));

select test.sign_in(test.user_id('owner'));
select test.keep('warnings', public.deploy_flow(test.kept('flow')::integer) -> 'warnings');
select test.sign_out();
select is(
  array(select w ->> 'path' from jsonb_array_elements(test.kept('warnings')::jsonb) as w where w ->> 'code' = 'connection_missing'),
  array[
    'nodes[100].data.targets_form.form_data.connection', 'nodes[101].data.targets_form.form_data.connection',
    'nodes[102].data.targets_form.form_data.connection'
  ], 'connections beyond the first hundred, and a connection with too long a name, are reported as missing'
);
select is(count(*), 100::bigint, 'the deployment has the other connections') from private.flow_deployment_connections;
select is(max(c.name), 'c200', 'the first hundred names in their order are used') from private.flow_deployment_connections as c;
select cmp_ok(max(pg_column_size(w.connections)), '<', 30000, 'long names are cut in the warnings') from private.flow_snapshot_warnings as w;

select * from finish();
