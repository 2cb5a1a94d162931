select plan(10);

select test.create_user('owner');
select test.create_user('starter');
select test.keep(name, test.create_flow(test.user_id('owner'))) from (values ('flow'), ('another_flow')) as f (name);
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.keep('elsewhere', test.deploy(test.kept('another_flow')::integer));
update public.flow_deployments set start_permission = 'Anonymous';

create function pg_temp.show_token(name text) returns text language sql as $$
  select set_config('request.headers', json_build_object('x-flow-run-token', test.kept(show_token.name))::text, true);
$$;
create function pg_temp.refusal(deployment text default 'deployment', public_key text default null) returns text language sql as $$
  select test.error_code(format(
    'select public.tool_run(%L, %L)', test.kept(refusal.deployment), refusal.public_key
  ));
$$;
create function pg_temp.state() returns jsonb language sql as $$
  select public.tool_run(test.kept('deployment')::uuid) - 'flow_run_id';
$$;
grant execute on function pg_temp.show_token(text), pg_temp.refusal(text, text), pg_temp.state() to public;

select test.sign_in(test.user_id('starter'));
select test.keep('run', r ->> 'flow_run_id'), test.keep('token', r ->> 'token')
from public.start_deployment(id => test.kept('deployment')::uuid) as r;
select test.sign_in_as_role('anon');
select test.keep('guests_token', public.start_deployment(
  id => test.kept('deployment')::uuid, public_key => '11111111111111111111111111111111'
) ->> 'token');

select test.sign_in(test.user_id('starter'));
select is(pg_temp.refusal(), 'flow_run_not_found', 'without the token, no run is found');
select pg_temp.show_token('token');
select is(pg_temp.refusal(), null, 'the starter goes on with the run');
select is(pg_temp.refusal('elsewhere'), 'flow_run_not_found', 'the deployment of another_flow is refused');
select test.sign_in(test.user_id('owner'));
select pg_temp.show_token('token');
select is(pg_temp.refusal(), 'flow_run_not_found', 'a stolen token is useless to other users, also to the owner');
select test.sign_in_as_role('anon');
select pg_temp.show_token('token');
select is(pg_temp.refusal(public_key => '11111111111111111111111111111111'), 'flow_run_not_found', 'and to guests');
select pg_temp.show_token('guests_token');
select is(pg_temp.refusal(public_key => '11111111111111111111111111111111'), null, 'a guest goes on with the own run');
select is(
  pg_temp.refusal(public_key => '11111111111111111111111111111112'), 'flow_run_not_found', 'another guest does not'
);

select test.claim_all();
select test.ask_input(test.kept('run')::uuid, 'mine', question => '{"title": "Sure?", "choices": ["Yes"]}', answering => '{"answered_by": "starter"}');
select test.sign_in(test.user_id('starter'));
select pg_temp.show_token('token');
select is(
  pg_temp.state() #- '{questions,0,id}',
  '{
    "status": "running", "output": null, "errors": null, "asks_for_signature": false,
    "questions": [
      {"url": "https://example.com/flow/submit/mine", "title": "Sure?", "description": null, "json_schema": null, "choices": ["Yes"]}
    ]
  }',
  'a question that the caller may answer is told'
);
select test.sign_out();
delete from public.pending_inputs;
select test.ask_input(test.kept('run')::uuid, 'owners', question => '{"title": "Secret?"}', answering => '{"answered_by": "owner"}');
select test.sign_in(test.user_id('starter'));
select pg_temp.show_token('token');
select is((pg_temp.state() -> 'questions' -> 0) - 'id', '{}', 'of a question to somebody else, only the id is told');

select test.sign_out();
select test.end_run(test.kept('run')::uuid);
select test.sign_in(test.user_id('starter'));
select pg_temp.show_token('token');
select is(pg_temp.state() ->> 'status', 'succeeded', 'the end of the run is told');

select * from finish();
