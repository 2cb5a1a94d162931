select plan(5);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
create function pg_temp.frozen(members jsonb) returns jsonb language plpgsql as $$
declare
  v_hash bytea;
begin
  update public.flows as f set nodes = jsonb_build_array(jsonb_set(test.node('a', 'x'), '{data}', test.node('a', 'x') -> 'data' || members))
  where f.id = test.kept('flow')::integer;
  v_hash := test.take_snapshot(test.kept('flow')::integer);
  return (
    select jsonb_object_agg(m.key, m.value) from private.flow_snapshots as s cross join lateral jsonb_each(s.data #> '{entry,nodes,0,data}') as m
    where s.hash = v_hash and m.key in ('on_error', 'timeout_ms')
  );
end;
$$;

select is(pg_temp.frozen(members), expected, format('of the members %s, the snapshot keeps %s', members, coalesce(expected::text, 'nothing')))
from (values
  (jsonb '{}', null::jsonb), ('{"on_error": null, "timeout_ms": null}', null),
  ('{"on_error": "output"}', '{"on_error": "output"}'), ('{"on_error": "output", "timeout_ms": 5000.0}', '{"on_error": "output", "timeout_ms": 5000}')
) as given (members, expected);
select is_empty(
  $$ select s.hash from private.flow_snapshots as s where s.hash <> sha256(convert_to(s.data::text, 'UTF8')) $$,
  'the keys are the hashes of the stored data'
);

select * from finish();
