select plan(8);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
create function pg_temp.refusal(node jsonb) returns jsonb language plpgsql as $$
begin
  update public.flows set nodes = jsonb_build_array(test.node('a', 'x'), node) where id = test.kept('flow')::integer;
  return test.error('select test.take_snapshot(test.kept(''flow'')::integer)') -> 'details';
end;
$$;

select is(pg_temp.refusal(test.node('b', 'x')), null, 'a valid node is accepted');
select is(
  (pg_temp.refusal(node) -> 0) - 'message'::text,
  jsonb_build_object('flow_id', test.kept('flow')::integer, 'code', 'node_malformed', 'path', 'nodes[1]'),
  format('%s is refused', left(node::text, 40))
)
from (values
  (jsonb 'null'), ('"text"'), ('[]'), ('{}'), (test.node('b', 'x') - 'data'),
  (jsonb_set(test.node('b', 'x'), '{data,sources}', '[[]]')),
  (jsonb_set(
    test.node('b', 'x'), '{data,targets}',
    '[[{"id": "a", "name": "a", "type_bounds": [], "required": true, "passthrough": false}]]'
  ))
) as bad (node);

select * from finish();
