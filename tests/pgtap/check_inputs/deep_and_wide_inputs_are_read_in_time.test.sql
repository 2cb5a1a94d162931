-- Within the statement timeout of callers with a public key, 3 s, of which a quiet machine needs a tenth and a busy one
-- several times as much: what is deep is not copied for each level.
select plan(4);

-- Leaves in an array, within 60 more of what is opened and closed.
create function pg_temp.refusal(leaves text, open text, close text) returns text language sql as $$
  select test.error(format(
    'select private.check_inputs(%L)', format('{"a": %s{"A": [%s]}%s}', repeat(open, 60), leaves, repeat(close, 60))
  )) ->> 'message';
$$;
select test.keep('leaves', string_agg('{"N": 0}', ', ')) from generate_series(1, 80000);

set local statement_timeout = '20s';
select is(pg_temp.refusal(test.kept('leaves'), '{"A": [', ']}'), null, '80,000 nulls in 60 arrays pass');
select is(pg_temp.refusal(test.kept('leaves'), '{"M": {"k": ', '}}'), null, 'as they do in 60 maps');
select is(
  pg_temp.refusal(test.kept('leaves') || ', {"N": 1}', '{"A": [', ']}'),
  'inputs.a' || repeat('.A[0]', 60) || '.A[80000].N: must be 0', 'a fault behind them is found'
);
select is(
  pg_temp.refusal(test.kept('leaves') || ', {"N": 1}', '{"M": {"k": ', '}}'),
  'inputs.a' || repeat('.M.k', 60) || '.A[80000].N: must be 0', 'in maps, too'
);

select * from finish();
