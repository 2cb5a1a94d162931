select plan(19);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.keep('insertion', $$
  insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
  values (test.kept('flow')::integer, %L, test.kept('deployment')::uuid)
$$::text);

select is(test.error(format(test.kept('insertion'), tag)), null, left(tag, 20) || ' is accepted')
from (values
  ('a'),
  ('0'),
  ('v1.2.3-rc_4'),
  ('Stable'),
  ('LATEST'),
  (repeat('x', 128))
) as good (tag);

select is(
  test.error(format(test.kept('insertion'), tag)) ->> 'message', 'tag: must be 1 to 128 letters, digits, dots, underscores and hyphens, and begin with a letter or digit.',
  format('%s is refused', to_jsonb(left(tag, 20)))
)
from (values
  (''),
  (repeat('x', 129)),
  ('.hidden'),
  ('-v1'),
  ('_v1'),
  ('two words'),
  (' v1'),
  ('v1 '),
  (E'v1\n'),
  ('v1/2'),
  ('v1:2'),
  ('vé')
) as bad (tag);

select is(
  test.error($$ update public.flow_deployments_tags set tag = 'two words' where tag = 'a' $$) ->> 'message',
  'tag: must be 1 to 128 letters, digits, dots, underscores and hyphens, and begin with a letter or digit.', 'a tag can not get an invalid name later'
);

select * from finish();
