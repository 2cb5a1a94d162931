select plan(15);

select test.create_user('owner'), test.create_user('stranger');
insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', d.node_id, 'version', '1', 'display_name', ''), d.sources, d.targets
from (values
  ('interflow', jsonb '[]', jsonb '[]'),
  ('http_request', '[]', '[{"name": "url", "type_bounds": ["string"], "required": true}]')
) as d (node_id, sources, targets);

create function pg_temp.flow(nodes jsonb, edges jsonb default '[]', environment jsonb default '{}') returns jsonb
language sql stable return jsonb_build_object('nodes', nodes, 'edges', edges, 'environment', environment);
-- Returns each problem as the text `<severity> <code> <path> <port> <flow>`.
create function pg_temp.problems(flow jsonb) returns text[] language sql volatile as $$
  with checked as materialized (select public.check_flow(flow) as result)
  select coalesce(array_agg(concat_ws(' ', p.problem ->> 'severity', p.problem ->> 'code', p.problem ->> 'path',
    p.problem ->> 'port', case when p.problem ? 'flow_id' then 'called' end) order by p.position), '{}')
  from checked cross join jsonb_array_elements(checked.result -> 'problems') with ordinality as p (problem, position);
$$;
-- Forgets all calls of check_flow, so that the limit does not refuse the next call.
create function pg_temp.forget() returns void language sql security definer as 'delete from private.flow_checks where true';

select test.keep('called', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('b', 'unknown'))));
select test.keep('foreign', test.create_flow(test.user_id('stranger')));
select test.keep('large', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('c', 'unknown', form_data => to_jsonb(repeat('c', 1100000)))
)));
create function pg_temp.call(flow text) returns jsonb language sql stable as $$
  select test.node('call ' || flow, 'interflow', form_data => jsonb_build_object('id', test.kept(flow)::integer));
$$;

grant execute on function pg_temp.flow(jsonb, jsonb, jsonb), pg_temp.problems(jsonb), pg_temp.forget(), pg_temp.call(text) to public;
select test.sign_in(test.user_id('owner'));
select is(
  public.check_flow(pg_temp.flow(jsonb_build_array(test.node('h', 'http_request', '{}', '{url}')))),
  jsonb_build_object('is_complete', true, 'problems', jsonb_build_array(jsonb_build_object(
    'code', 'input_missing', 'path', 'nodes[0]', 'port', 'url', 'severity', 'fails_run',
    'message', 'the input "url" is required, and has neither an edge nor a value, so the run fails at the node'
  ))), 'a warning names its node and its input, and that the run fails'
);
select pg_temp.forget();
select is(
  pg_temp.problems(pg_temp.flow(
    jsonb_build_array(test.node('x', 'x'), '{"id": 7}'::jsonb), '[]', '{"WAIT_COMMITMENT_LEVEL": "soon"}'
  )), '{prevents_deploy node_malformed nodes[1],prevents_deploy environment_value_invalid environment.WAIT_COMMITMENT_LEVEL}',
  'the answer has findings of nodes and of the environment'
);
select pg_temp.forget();
select is(
  pg_temp.problems(pg_temp.flow(jsonb_build_array(pg_temp.call('foreign')))),
  '{prevents_deploy interflow_flow_unknown nodes[0].data.targets_form.form_data.id}', 'a called flow of another user is unknown'
);
select pg_temp.forget();
select is(
  pg_temp.problems(pg_temp.flow(jsonb_build_array(pg_temp.call('called'), test.node(
    'h', 'http_request', '{}', '{url}', '{"url": "https://example.com", "connection": "mine"}'
  )))),
  '{fails_run connection_missing nodes[1].data.targets_form.form_data.connection,fails_run node_not_implemented nodes[0].data.node_id called}',
  'the answer has missing connections, and warnings of called flows'
);
select pg_temp.forget();
select is(
  public.check_flow(pg_temp.flow(jsonb_build_array(pg_temp.call('large')))), '{"problems": [], "is_complete": false}',
  'called flows of more than 1 MiB are left out, and the answer says so'
);
select pg_temp.forget();
select is(pg_temp.problems('{"nodes": [], "edges": []}'), '{warning flow_empty nodes}', 'the environment may be missing');
select is(test.error_code(format('select public.check_flow(%L)', flow)), 'request_invalid', format('a value that is no flow is refused: %s', flow))
from unnest(array['7', '{"nodes": []}', '{"nodes": [], "edges": [], "environment": {"A": 1}}']) as flow;
select is(
  test.error_code(format('select public.check_flow(%L)', pg_temp.flow(to_jsonb(array[repeat('x', 1048576)])))), 'body_too_large',
  'a flow that is not saved may have at most 1 MiB'
);
select is(
  jsonb_path_query_array(public.check_flow(flow_id => test.kept('large')::integer), '$.problems[*].code'), '["node_not_implemented"]',
  'a saved flow of any size can be checked'
);
select is(test.error_code(format('select public.check_flow(flow_id => %s)', test.kept('foreign'))), 'flow_not_found', 'a flow of another user is not found');
select is(test.error_code(format('select public.check_flow(%s)', arguments)), 'request_invalid', 'a call names either a flow that is not saved or a saved one')
from unnest(array['', 'flow => ''{"nodes": [], "edges": []}'', flow_id => 1']) as arguments;
select test.sign_out();
select is((select count(*) from private.flow_snapshots), 0::bigint, 'nothing is stored');

select * from finish();
