select plan(6);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
create function pg_temp.frozen(retry jsonb) returns jsonb language plpgsql as $$
declare
  v_hash bytea;
begin
  update public.flows as f set nodes = jsonb_build_array(test.node('a', 'x') #- '{data,retry}') where f.id = test.kept('flow')::integer;
  if frozen.retry is not null then
    update public.flows as f set nodes = jsonb_set(f.nodes, '{0,data,retry}', frozen.retry) where f.id = test.kept('flow')::integer;
  end if;
  v_hash := test.take_snapshot(test.kept('flow')::integer);
  return (select s.data #> '{entry,nodes,0,data,retry}' from private.flow_snapshots as s where s.hash = v_hash);
end;
$$;

select is(pg_temp.frozen(retry), expected, format('%s is frozen', coalesce(retry::text, 'nothing')))
from (values
  (null::jsonb, null::jsonb), ('null', null),
  ('{"max_attempts": 3}', '{"max_attempts": 3, "delay_ms": 1000, "backoff": 2, "max_delay_ms": 60000}'),
  ('{"max_attempts": 3, "delay_ms": 300000}', '{"max_attempts": 3, "delay_ms": 300000, "backoff": 2, "max_delay_ms": 300000}'),
  ('{"max_attempts": 2, "backoff": 1.5, "max_delay_ms": 5}', '{"max_attempts": 2, "delay_ms": 1000, "backoff": 1.5, "max_delay_ms": 5}')
) as given (retry, expected);
select is_empty(
  $$ select s.hash from private.flow_snapshots as s where s.hash <> sha256(convert_to(s.data::text, 'UTF8')) $$,
  'the keys are the hashes of the stored data'
);

select * from finish();
