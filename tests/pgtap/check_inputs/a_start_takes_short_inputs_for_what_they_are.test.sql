select plan(2);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs(
  '', 'a', 'with space', 'ünïcödé', '{', '}', '"', '\', '\"', '\\"', E'\n', '": {"S": "x"}, "b', 'b', 'a": {"S": "x"}}', 'a\": {"S'
))));

-- A start looks at the text of short inputs: no name, tag or value may be taken for what stands around it. test.inputs_refusal raises
-- where a start and the check differ.
create temporary table inputs as
  select test.inputs_refusal((jsonb_build_object(name, jsonb_build_object(tag, value)) || more)::text) as refusal
  from (values
    (text ''), ('a'), ('with space'), ('ünïcödé'), ('{'), ('}'), ('"'), ('\'), ('\"'), ('\\"'), (E'\n'), ('": {"S": "x"}, "b'), ('a": {"S": "x"}}'), ('a\": {"S')
  ) as named (name)
  cross join (values
    ('S'), ('U'), ('U1'), ('U11'), ('I1'), ('D'), ('D1'), ('F'), ('B'), ('B3'), ('B36'), ('B6'), ('BY'), ('A'), ('M'), ('N'), ('s'), (''), (' S'),
    ('S": "x", "S'), (E'S\n'), ('[SFD]')
  ) as tagged (tag)
  cross join (values
    (jsonb '"x"'), ('""'), ('"\""'), ('"\\"'), ('"\\\\\""'), ('"\n"'), ('"\"}, \"b\": {\"N\": \"0"'), ('"🜁"'), ('0'), ('true'), ('null'), ('[]'), ('["x"]'), ('{}')
  ) as valued (value)
  cross join (values (jsonb '{}'), ('{"b": {"S": "x"}}'), ('{"b": 0}')) as others (more);

select cmp_ok(count(*), '>', 1500::bigint, 'many are good') from inputs where refusal is null;
select cmp_ok(count(*), '>', 10000::bigint, 'most are not') from inputs where refusal is not null;

select * from finish();
