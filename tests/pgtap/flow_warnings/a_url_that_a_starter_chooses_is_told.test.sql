select plan(9);

create function pg_temp.places(nodes jsonb, edges jsonb) returns text[] language sql as $$
  select coalesce(array_agg(w.warning ->> 'path'), '{}')
  from jsonb_array_elements(private.flow_warnings(nodes, edges, '{}')) as w (warning)
  where w.warning ->> 'code' = 'connection_url_open';
$$;
select test.keep('input', test.node('i', 'flow_input', '{in}', form_data => '{"label": "address"}'));
select test.keep('fixed', test.node('c', 'const', '{out}'));
select test.keep('step', test.node('t', 'to_string', '{out}', '{in}'));
select test.keep('named', test.node('h', 'http_request', '{body}', '{url,body}', '{"connection": "mail"}'));
select test.keep('nameless', test.node('h', 'http_request', '{body}', '{url,body}', '{"connection": ""}'));

create function pg_temp.graph(variadic names text[]) returns jsonb language sql as $$
  select jsonb_agg(test.kept(n.name)::jsonb order by n.position) from unnest(names) with ordinality as n (name, position);
$$;
create function pg_temp.edges(variadic edges jsonb[]) returns jsonb language sql as 'select to_jsonb(edges)';

select is(
  pg_temp.places(pg_temp.graph('input', 'named'), pg_temp.edges(test.edge('i', 'in', 'h', 'url'))),
  '{nodes[1].data.targets_form.form_data.connection}'::text[], 'a flow input that is the URL gets a warning'
);
select is(
  pg_temp.places(
    pg_temp.graph('named', 'step', 'input'), pg_temp.edges(test.edge('t', 'out', 'h', 'url'), test.edge('i', 'in', 't', 'in'))
  ),
  '{nodes[0].data.targets_form.form_data.connection}'::text[], 'a flow input that reaches the URL through other nodes gets a warning'
);
select is(pg_temp.places(pg_temp.graph('input', 'nameless'), pg_temp.edges(test.edge('i', 'in', 'h', 'url'))), '{}', 'a URL input without a connection gets no warning');
select is(pg_temp.places(pg_temp.graph('input', 'named'), pg_temp.edges(test.edge('i', 'in', 'h', 'body'))), '{}', 'a flow input that is only the body gets no warning');
select is(
  pg_temp.places(
    pg_temp.graph('input', 'fixed', 'named'), pg_temp.edges(test.edge('c', 'out', 'h', 'url'), test.edge('i', 'in', 'h', 'body'))
  ), '{}', 'a URL of the author is fine'
);
select is(pg_temp.places(pg_temp.graph('input', 'named'), '[]'), '{}', 'a URL in form data gets no warning');
select is(
  (private.flow_warnings(pg_temp.graph('input', 'named'), pg_temp.edges(test.edge('i', 'in', 'h', 'url')), '{}') -> 0 ->> 'message'),
  'url depends on a flow input, so whoever starts the flow chooses the URL that gets the secret of connection "mail", within its hosts',
  'the message gives the reason'
);

-- Make the longest chain that a flow may have: 10,000 nodes.
select test.keep('chain', (
  select jsonb_agg(test.node('n' || n, case n when 1 then 'flow_input' else 'to_string' end, '{o}', '{i}')) from generate_series(1, 9999) as n
) || jsonb_build_array(test.kept('named')::jsonb));
select test.keep('chained', (
  select jsonb_agg(test.edge('n' || n, 'o', 'n' || (n + 1), 'i')) from generate_series(1, 9998) as n
) || jsonb_build_array(test.edge('n9999', 'o', 'h', 'url')));
select test.keep('begin', clock_timestamp());
select is(
  (select array_agg(u.node_index) from private.open_connection_urls(test.kept('chain')::jsonb, test.kept('chained')::jsonb) as u),
  '{9999}'::integer[], 'a chain of 10,000 nodes is followed'
);
select cmp_ok(clock_timestamp() - test.kept('begin')::timestamptz, '<', interval '10 seconds', 'the search takes linear time');

select * from finish();
