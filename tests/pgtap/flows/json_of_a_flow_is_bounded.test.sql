select plan(15);

select test.create_user('owner');
select test.create_flow(test.user_id('owner'));
select test.sign_in(test.user_id('owner'));

select is(test.error(format('update public.flows set %s', assignment)), null, what || ' is accepted')
from (values
  ('a long number', $$nodes = '[1e399]'$$),
  ('form data of 64 levels of values', format('nodes = %L', jsonb_build_array(jsonb_build_object('data', jsonb_build_object(
    'targets_form', jsonb_build_object('form_data', jsonb_build_object('value', (repeat('{"A": [', 63) || '{"N": 0}' || repeat(']}', 63))::jsonb))
  ))))),
  ('8 MiB of text', 'nodes = jsonb_build_array(repeat(''a'', 8388000))')
) as good (what, assignment);

select is(
  test.error(format('update public.flows set %s', assignment)) - '{code,hint,status}'::text[],
  jsonb_build_object(
    'message', path || ': ' || message || '.', 'details', jsonb_build_array(jsonb_build_object('path', path, 'message', message))
  ),
  what || ' is refused'
)
from (values
  ('a number of few characters in form data', $$nodes = '[{}, {"data": {"targets_form": {"form_data": {"a": 1e100000}}}}]'$$,
    'nodes[1].data.targets_form.form_data.a', 'a number must have at most 400 digits'),
  ('many of them', 'nodes = (select jsonb_agg(''1e100000''::jsonb) from generate_series(1, 2000))',
    'nodes[0]', 'a number must have at most 400 digits'),
  ('a number of many places', $$edges = '[{"a": 1e-16383}]'$$, 'edges[0].a', 'a number must have at most 400 digits'),
  ('such a number as environment', $$environment = '{"A": 1e100000}'$$, 'environment.A', 'a number must have at most 400 digits'),
  ('such a number in the network', $$chain_network = chain_network || '{"more": [1e100000]}'$$,
    'chain_network.more[0]', 'a number must have at most 400 digits'),
  ('form data of 5,000 levels', format('nodes = %L', repeat('[', 5000) || repeat(']', 5000)), 'nodes', 'must be nested at most 136 levels deep'),
  ('8 MiB and a little', 'nodes = jsonb_build_array(repeat(''a'', 8388608))', 'nodes', 'must be at most 8 MiB of JSON text'),
  ('30,000 numbers of 400 digits', 'nodes = (select jsonb_agg(1e399) from generate_series(1, 30000))', 'nodes', 'must be at most 8 MiB of JSON text'),
  ('1.5 million numbers', 'edges = (''['' || repeat(''1,'', 1500000) || ''1]'')::jsonb', 'edges',
    'must take at most 16 MiB as jsonb: it has too many numbers'),
  ('what is too large together', 'nodes = jsonb_build_array(repeat(''a'', 5000000)), edges = jsonb_build_array(repeat(''a'', 4000000))',
    'nodes', 'must be at most 8 MiB of JSON text, together with the other columns of the flow')
) as bad (what, assignment, path, message);

select is(
  test.error_code($$insert into public.flows (name, nodes) values ('new', '[1e100000]')$$), 'column_invalid',
  'a new flow has the same bounds'
);

select test.sign_out();
select is(
  test.error_code($$insert into public.flows (user_id, nodes) values (test.user_id('owner'), '[1e100000]')$$), 'column_invalid',
  'the bounds hold for every role'
);

select * from finish();
