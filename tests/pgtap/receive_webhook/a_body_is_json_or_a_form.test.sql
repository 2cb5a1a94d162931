select plan(25);

create function pg_temp.form(body text, type text default 'application/x-www-form-urlencoded') returns jsonb language sql volatile as $$
  select private.webhook_body(null, body, jsonb_build_object('content-type', type));
$$;
select is(pg_temp.form(body), form::jsonb, format('%L', body)) from (values
  ('a=1&b=two', '{"a": "1", "b": "two"}'),
  ('', '{}'),
  ('&a=1&&', '{"a": "1"}'),
  ('a', '{"a": ""}'),
  ('a=', '{"a": ""}'),
  ('=a', '{"": "a"}'),
  ('a=b=c', '{"a": "b=c"}'),
  ('a+b=c+d%2Be', '{"a b": "c d+e"}'),
  ('a%26=%3d%C3%A4', '{"a&": "=ä"}'),
  ('ä=ü%20', '{"ä": "ü "}'),
  ('a=%', '{"a": "%"}'),
  ('a=%zz%4', '{"a": "%zz%4"}'),
  ('a=%%41', '{"a": "%A"}'),
  ('payload=%7B%22ref%22%3A+%22main%22%7D', '{"payload": "{\"ref\": \"main\"}"}')
) as v (body, form);
select is(pg_temp.form('a=1', 'Application/X-WWW-Form-Urlencoded ; charset=UTF-8'), '{"a": "1"}', 'parameters of the content type do not matter');
select is(pg_temp.form('{"a": 1}', type), '{"a": 1}', 'JSON: ' || type) from unnest('{application/json,application/cloudevents+json}'::text[]) as type;
select is(private.webhook_body(null, '{"a": 1}', '{}'), '{"a": 1}', 'a body without a content type is JSON');

select is(test.error(format('select pg_temp.form(%L)', body)) ->> 'message', message, left(body, 20)) from (values
  ('a=1&a=2', 'The form has two fields with the same name.'),
  ('a=1&%61=2', 'The form has two fields with the same name.'),
  ('a=%ff', 'The form is not UTF-8.'),
  ('a=%00', 'The form holds NUL (%00), which can''t be stored.'),
  ((select string_agg('a' || n, '&') from generate_series(1, 1001) as n), 'The form has more than 1000 fields.')
) as v (body, message);
select is(length(pg_temp.form('a=' || repeat('%41', 349000)) ->> 'a'), 349000, 'a form may be as long as a body may be');
select is(
  (select count(*) from jsonb_object_keys(pg_temp.form((select string_agg('a' || n, '&') from generate_series(1, 1000) as n)))), 1000::bigint, 'a form with the largest number of fields is accepted'
);

select * from finish();
