select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid);
select test.sign_out();
select test.ask_input(test.kept('run')::uuid, 'a', question => '{"title": "May we pay?", "description": null, "json_schema": {"type": "null", "const": null}, "choices": null}',
  webhook => '{"url": "https://example.com/hook", "headers": {}, "extra": {}}');
select test.ask_input(test.kept('run')::uuid, 'b', question => '{"title": null, "description": "Which?", "json_schema": null, "choices": ["yes", "no"]}');
select test.ask_input(test.kept('run')::uuid, 'c');
select results_eq(
  'select title, description, json_schema, choices from public.pending_inputs order by id',
  $$ values ('May we pay?', null::text, '{"type": "null", "const": null}'::jsonb, null::jsonb),
    (null, 'Which?', null, '["yes", "no"]'), (null, null, null, null) $$,
  'the question is stored as the node asks it'
);
select is(
  (select (d.payload -> 'data' -> 'api_input') - '{id,url,expires_at,flow_run_id,node_id,times}'::text[] from public.webhook_deliveries as d),
  '{"extra": {}, "title": "May we pay?", "json_schema": {"type": "null", "const": null}}', 'the message to webhook_url has the question'
);

select is(public.submit_input('a', '{"N": 0}'), '{"json_schema": {"type": "null", "const": null}, "choices": null}', 'an answer must first be checked against the schema');
select is(public.submit_input('b', '{"S": "yes"}'), '{"json_schema": null, "choices": ["yes", "no"]}', 'an answer must first be checked against the choices');
select is((select count(*) from public.pending_inputs), 3::bigint, 'an unchecked answer is not stored');
select is(public.submit_input('b', '{"S": "yes"}', is_checked => true), null, 'a checked answer is stored');
select is(public.submit_input('c', '{"S": "yes"}'), null, 'an answer to a node that accepts any value needs no check');
select is(test.error_code($$ select public.submit_input('b', '{"S": "no"}') $$), 'pending_input_answered', 'an input can be answered only once');
select is((select count(*) from public.pending_inputs), 1::bigint, 'only one input is still open');

select * from finish();
