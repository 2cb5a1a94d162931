-- Short inputs are checked by a pattern that matches their text. The pattern must not mistake a part of a name, tag or
-- value for JSON syntax. If the inputs have one more long, valid member, each member is checked by itself. Both checks
-- must give the same result.
select plan(3);

-- Does the same as test.error, but parses no statement. Parsing one for each of the seven thousand inputs would take
-- too long.
create function pg_temp.refusal(inputs jsonb) returns text language plpgsql as $$
begin
  perform private.check_inputs(refusal.inputs);
  return null;
exception when sqlstate 'PGRST' then
  return sqlerrm;
end;
$$;
create temporary table inputs as
  select pg_temp.refusal(short.inputs) as refusal,
    pg_temp.refusal(short.inputs || jsonb_build_object('last, by its length', jsonb_build_object('S', repeat('x', 1024)))) as whole_refusal
  from (values
    (text ''), ('with space'), ('ünïcödé'), ('{}'), ('"'), ('\'), ('\"'), ('\\"'), (E'\n'), ('": {"S": "x"}, "b'), ('a": {"S": "x"}}'), ('a\": {"S')
  ) as named (name)
  cross join (values
    ('S'), ('U'), ('U1'), ('U11'), ('I1'), ('D'), ('D1'), ('F'), ('B'), ('B3'), ('B36'), ('B6'), ('BY'), ('A'), ('M'), ('N'), ('s'), (''), (' S'),
    ('S": "x", "S'), (E'S\n'), ('[SFD]')
  ) as tagged (tag)
  cross join (values
    (jsonb '"x"'), ('""'), ('"\""'), ('"\\"'), ('"\\\\\""'), ('"\n"'), ('"\"}, \"b\": {\"N\": \"0"'), ('"🜁"'), ('0'), ('null'), ('[]'), ('["x"]'), ('{}')
  ) as valued (value)
  cross join (values (jsonb '{}'), ('{"b": {"S": "x"}}'), ('{"b": 0}')) as others (more)
  cross join lateral (select jsonb_build_object(name, jsonb_build_object(tag, value)) || more as inputs offset 0) as short
  -- The test takes a third of the combinations. Each name, tag and value occurs in many of these.
  where hashtext(short.inputs::text) % 3 = 0;

select is(count(*), 0::bigint, 'short and long inputs get the same refusals') from inputs where refusal is distinct from whole_refusal;
select cmp_ok(count(*), '>', 300::bigint, 'many of these inputs are accepted') from inputs where refusal is null;
select cmp_ok(count(*), '>', 2000::bigint, 'most of these inputs are refused') from inputs where refusal is not null;

select * from finish();
