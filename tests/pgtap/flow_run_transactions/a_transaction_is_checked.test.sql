select plan(14);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));

create function pg_temp.constraint_of(change jsonb) returns text language plpgsql as $$
begin
  insert into private.flow_run_transactions
  select t.* from jsonb_populate_record(null::private.flow_run_transactions, test.transaction(test.kept('run')::uuid)
    || jsonb_build_object('root_flow_run_id', test.kept('run'), 'created_at', now()) || change) as t;
  delete from private.flow_run_transactions where true;
  return null;
exception when others then
  declare
    v_constraint text;
  begin
    get stacked diagnostics v_constraint = constraint_name;
    return v_constraint;
  end;
end;
$$;

select is(pg_temp.constraint_of('{}'), null, 'a transaction that was not sent is accepted');
select is(
  pg_temp.constraint_of(jsonb_build_object('wire', 'AQ==', 'memo', 'x', 'outcome', 'confirmed', 'signature', repeat('1', 64))), null,
  'a transaction that was sent and confirmed is accepted'
);
select is(pg_temp.constraint_of('{"outcome": "failed"}'), null, 'a transaction that failed before it was sent is accepted');
select is(pg_temp.constraint_of(change::jsonb), 'flow_run_transactions_' || rule, rule || ': ' || left(change, 30))
from (values
  (jsonb_build_object('times', -1, 'members', jsonb_build_array(
    jsonb_build_object('flow_run_id', test.kept('run'), 'node_id', test.node_id('a'), 'times', -1)
  ))::text, 'times_natural'),
  ('{"times": 1}', 'key_is_first_member'),
  ('{"members": []}', 'key_is_first_member'),
  ('{"message": "AQI"}', 'message_base64'),
  ('{"message": ""}', 'message_base64'),
  ('{"wire": "fr_-"}', 'wire_base64'),
  ('{"slot": -1}', 'heights_natural'),
  ('{"outcome": "maybe"}', 'outcome_known'),
  ('{"outcome": "confirmed"}', 'signature_matches_outcome'),
  ('{"outcome": "failed", "signature": "1111"}', 'signature_valid'),
  ('{"signature": "1111111111111111111111111111111111111111111111111111111111111111"}', 'signature_matches_outcome')
) as c (change, rule);

select * from finish();
