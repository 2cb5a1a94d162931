select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('a', 'b'))));

-- Makes a value with this number of levels: arrays (or maps) around a string.
create function pg_temp.nested(levels integer, open text default '{"A":[', close text default ']}') returns text language sql as $$
  select format('{"a": %s{"S": ""}%s}', repeat(open, levels - 1), repeat(close, levels - 1));
$$;
create function pg_temp.refusal(inputs text) returns text language sql as $$
  select test.inputs_refusal(inputs) ->> 'message';
$$;

select is(pg_temp.refusal(pg_temp.nested(1)), null, 'one level is accepted');
select is(pg_temp.refusal(pg_temp.nested(64)), null, '64 levels of arrays pass');
select is(
  pg_temp.refusal(pg_temp.nested(65)), 'inputs.a' || repeat('.A[0]', 64) || ': is nested deeper than 64 levels', 'the 65th level of arrays is refused'
);
select is(pg_temp.refusal(pg_temp.nested(64, '{"M": {"k": ', '}}')), null, '64 levels of maps pass');
select is(
  pg_temp.refusal(pg_temp.nested(65, '{"M": {"k": ', '}}')), 'inputs.a' || repeat('.M.k', 64) || ': is nested deeper than 64 levels',
  'the 65th level of maps is refused'
);
select alike(pg_temp.refusal(pg_temp.nested(1000)), '%is nested deeper than 64 levels', 'a thousand levels are refused at once');

select * from finish();
