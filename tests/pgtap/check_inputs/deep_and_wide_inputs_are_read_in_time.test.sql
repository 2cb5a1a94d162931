-- The check must end within 3 s, the statement timeout of callers with a public key. A quiet machine needs a tenth of
-- this time, so a busy machine still has enough. The check must not copy deep values once for each level.
select plan(2);

-- Returns the message for an array that has these leaves and is nested in 60 more levels, alternately arrays and maps.
create function pg_temp.refusal(leaves text) returns text language sql as $$
  select test.error(format(
    'select private.check_inputs(%L)',
    format('{"a": %s{"A": [%s]}%s}', repeat('{"A": [{"M": {"k": ', 30), refusal.leaves, repeat('}}]}', 30))
  )) ->> 'message';
$$;
select test.keep('leaves', string_agg('{"N": 0}', ', ')) from generate_series(1, 40000);

set local statement_timeout = '20s';
select is(pg_temp.refusal(test.kept('leaves')), null, '40,000 nulls in 60 levels pass');
select is(
  pg_temp.refusal(test.kept('leaves') || ', {"N": 1}'),
  'inputs.a' || repeat('.A[0].M.k', 30) || '.A[40000].N: must be 0', 'a fault after these values is found'
);

select * from finish();
