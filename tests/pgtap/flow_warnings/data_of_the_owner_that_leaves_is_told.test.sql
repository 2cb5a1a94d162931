select plan(18);

create function pg_temp.places(nodes jsonb, edges jsonb, flows jsonb default '{}') returns text[] language sql as $$
  select coalesce(array_agg(w.warning ->> 'path'), '{}')
  from jsonb_array_elements(private.flow_warnings(nodes, edges, flows)) as w (warning)
  where w.warning ->> 'code' = 'acts_on_owner_data';
$$;
select test.keep('rows', test.node('r', 'postgrest_execute_query', '{result}', '{query}'));
select test.keep('file', test.node('r', 'storage_download', '{result}', '{path}'));
select test.keep('item', test.node('r', 'kv_read_item', '{result}', '{key}'));
select test.keep('fixed', test.node('r', 'const', '{result}'));
select test.keep('step', test.node('t', 'to_string', '{out}', '{in}'));
select test.keep('request', test.node('h', 'http_request', '{body}', '{url,body}'));
select test.keep('asking', test.node('h', 'api_input', '{value}', '{body,webhook_url}'));
select test.keep('posting', test.node('h', 'api_input', '{value}', '{body}', '{"webhook_url": "https://a.example"}'));
select test.keep('own', test.node('q', 'postgrest_new_query', '{query}', '{table}', '{"table": "notes"}'));
select test.keep('foreign', test.node('q', 'postgrest_new_query', '{query}', '{table}', '{"table": "notes", "url": "https://a.example"}'));
select test.keep('second', test.node('h', 'postgrest_execute_query', '{result}', '{body}'));
select test.keep('call', test.node('r', 'interflow', '{result}', '{body}', '{"id": 7}'));
select test.keep('sending_call', test.node('h', 'interflow', '{result}', '{body}', '{"id": 8}'));

create function pg_temp.graph(variadic names text[]) returns jsonb language sql as $$
  select jsonb_agg(test.kept(n.name)::jsonb order by n.position) from unnest(names) with ordinality as n (name, position);
$$;
create function pg_temp.direct() returns jsonb language sql as $$ select jsonb_build_array(test.edge('r', 'result', 'h', 'body')) $$;

select is(pg_temp.places(pg_temp.graph('rows', 'request'), pg_temp.direct()), '{nodes[1]}'::text[], 'rows that become the body of a request get a warning');
select is(pg_temp.places(pg_temp.graph('request', 'file'), pg_temp.direct()), '{nodes[0]}'::text[], 'files too');
select is(pg_temp.places(pg_temp.graph('item', 'request'), pg_temp.direct()), '{nodes[1]}'::text[], 'items of key-value stores too');
select is(
  pg_temp.places(
    pg_temp.graph('request', 'step', 'rows'), jsonb_build_array(test.edge('r', 'result', 't', 'in'), test.edge('t', 'out', 'h', 'url'))
  ), '{nodes[0]}'::text[], 'rows that reach the request through other nodes get a warning'
);
select is(pg_temp.places(pg_temp.graph('rows', 'request'), '[]'), '{}', 'rows and a request that no edges connect get no warning');
select is(pg_temp.places(pg_temp.graph('fixed', 'request'), pg_temp.direct()), '{}', 'a constant that is sent gets no warning');
select is(
  pg_temp.places(pg_temp.graph('rows', 'request'), jsonb_build_array(test.edge('h', 'body', 'r', 'query'))), '{}', 'what comes from outside gets no warning'
);
select is(pg_temp.places(pg_temp.graph('rows', 'asking'), pg_temp.direct()), '{}', 'a question to a person gets no warning');
select is(pg_temp.places(pg_temp.graph('rows', 'posting'), pg_temp.direct()), '{nodes[1]}'::text[], 'a question that is posted to a webhook does');
select is(
  pg_temp.places(pg_temp.graph('own', 'rows', 'second'), pg_temp.direct()), '{}', 'a second query of the own project gets no warning'
);
select is(
  pg_temp.places(pg_temp.graph('foreign', 'rows', 'second'), pg_temp.direct()), '{nodes[2]}'::text[], 'a query of another server does'
);
select is(
  pg_temp.places(pg_temp.graph('call', 'request'), pg_temp.direct(), '{"reads": [7]}'), '{nodes[1]}'::text[], 'a called flow that reads counts as reading'
);
select is(
  pg_temp.places(pg_temp.graph('rows', 'sending_call'), pg_temp.direct(), '{"sends": [8]}'), '{nodes[1]}'::text[], 'a called flow that sends counts as sending'
);
select is(
  private.data_flows(jsonb_build_object('flows', jsonb_build_object(
    '7', jsonb_build_object('nodes', pg_temp.graph('rows'), 'edges', '[]'::jsonb),
    '8', jsonb_build_object('nodes', pg_temp.graph('call'), 'edges', '[]'::jsonb),
    '9', jsonb_build_object('nodes', pg_temp.graph('request'), 'edges', '[]'::jsonb)
  ))), '{"reads": [7, 8], "sends": [9]}', 'a flow reads and sends what the flows that it calls do'
);
select is(
  (select w.warning ->> 'message' from jsonb_array_elements(private.flow_warnings(pg_temp.graph('rows', 'request'), pg_temp.direct(), '{}')) as w (warning)
    where w.warning ->> 'code' = 'acts_on_owner_data'),
  'the node may send to another server what nodes before it read from your rows, files or key-value stores', 'the message gives the reason'
);


select test.keep('chat', test.node('h', 'ai_chat', '{text}', '{body}'));
select test.keep('agent', test.node('r', 'ai_agent', '{text}', '{input}', '{"tools": [{"flow": 9}, {"flow": 7}]}'));
select is(pg_temp.places(pg_temp.graph('rows', 'chat'), pg_temp.direct()), '{nodes[1]}'::text[], 'rows that a model gets get a warning');
select is(pg_temp.places(pg_temp.graph('agent'), '[]', '{"reads": [7]}'), '{nodes[0]}'::text[], 'an agent sends its model what its tools read');
select is(pg_temp.places(pg_temp.graph('agent'), '[]', '{"reads": [8]}'), '{}', 'an agent whose tools read nothing gets no warning');

select * from finish();
