select plan(13);

select test.create_user('owner'), test.create_user('stranger');
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('a', 'note'))));
create function pg_temp.pin(node text, outputs jsonb, person text default 'owner') returns text language sql volatile as $$
  select coalesce(test.error_code(format(
    'insert into public.flow_pins (flow_id, node_id, outputs, user_id) values (%s, %L, %L, %L) '
    'on conflict (flow_id, node_id) do update set outputs = excluded.outputs',
    test.kept('flow'), test.node_id(node), outputs, test.user_id(person)
  )), 'stored');
$$;
grant execute on function pg_temp.pin(text, jsonb, text) to public;

select test.sign_in(test.user_id('owner'));
select is(pg_temp.pin('a', '{"x": {"S": "by hand"}}'), 'stored', 'the owner can pin outputs of a node');
select is(pg_temp.pin('a', '{"x": {"S": "anew"}}'), 'stored', 'the owner can change pinned outputs');
select is(pg_temp.pin('a', outputs), 'inputs_invalid', format('outputs that are not tagged values are refused: %s', outputs))
from unnest(array['7', '[]', '{"x": 7}', '{"x": {"Z": "7"}}']::jsonb[]) as outputs;
select is(pg_temp.pin('b', jsonb_build_object('x', jsonb_build_object('S', repeat('x', 262144)))), 'column_invalid', 'the pins of a flow may have at most 256 KiB');
insert into public.flow_pins (flow_id, node_id, outputs)
select test.kept('flow')::integer, test.node_id(i::text), '{}' from generate_series(1, 99) as i;
select is(pg_temp.pin('b', '{}'), 'column_invalid', 'a flow may have at most 100 pins');
select is(pg_temp.pin('a', '{"x": {"S": "again"}}'), 'stored', 'the hundredth pin can still be changed');

select test.sign_in(test.user_id('stranger'));
select is((select count(*) from public.flow_pins), 0::bigint, 'other users see no pins');
select is(pg_temp.pin('c', '{}', 'stranger'), '42501', 'another user can not pin outputs in their own name');
select is(pg_temp.pin('c', '{}'), '42501', 'another user can not pin outputs in the name of the owner, and does not learn the limit');
select test.sign_out();
delete from public.flows where id = test.kept('flow')::integer;
select is((select count(*) from public.flow_pins), 0::bigint, 'pins are deleted with their flow');

select * from finish();
