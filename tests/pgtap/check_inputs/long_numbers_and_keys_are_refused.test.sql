select plan(14);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('a', 'U'))));

create function pg_temp.code_of(tag text, characters integer) returns text language sql as $$
  select test.inputs_refusal(format('{"a": {"A": [{"M": {"b": {"%s": "%s"}}}]}}', tag, repeat('1', characters)))::jsonb ->> 'code';
$$;

select is(pg_temp.code_of(tag, 1001), 'inputs_invalid', tag || ' of 1001 characters is refused')
from unnest(array['U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6']) as tag;
select is(pg_temp.code_of('U', 1000), null, 'a number of 1000 characters is left to the runner');
select is(pg_temp.code_of(tag, 100000), null, tag || ' may be long') from unnest(array['S', 'BY']) as tag;
select is(
  test.inputs_refusal(jsonb_build_object('a', jsonb_build_object('S', '"U": "' || repeat('1', 2000)))::text),
  null, 'a text that looks like a long number is accepted as a text'
);
select is(
  test.inputs_refusal(jsonb_build_object('U', jsonb_build_object('S', repeat('1', 2000)))::text),
  null, 'a long text under the name of a tag is accepted'
);
select is(
  test.inputs_refusal(format('{"a": {"F": "%s"}}', repeat('1', 150000)))::jsonb ->> 'message',
  'inputs: the text of a number or a key must have at most 1000 characters', 'the error names the limit'
);

select * from finish();
