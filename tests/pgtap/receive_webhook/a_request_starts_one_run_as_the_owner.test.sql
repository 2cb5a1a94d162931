select plan(26);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('push')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.keep('plain', right(public.create_webhook('push', test.kept('flow')::integer) ->> 'url', 46));
select test.keep('headers', right(public.create_webhook('push', deployment_id => test.kept('deployment')::uuid, headers => '{X-GitHub-Event,Other}') ->> 'url', 46));
-- Make two webhooks that become invalid later: one names an input that a new deployment lacks, and one names a tag that
-- is deleted.
select test.keep('other', test.create_flow(test.user_id('owner'), test.inputs('pull')));
select test.keep('former', test.deploy(test.kept('other')::integer));
insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id) values (auth.uid(), test.kept('other')::integer, 'missing', test.kept('former')::uuid);
select test.keep('wrong_input', right(public.create_webhook('pull', test.kept('other')::integer) ->> 'url', 46));
select test.keep('wrong_tag', right(public.create_webhook('pull', test.kept('other')::integer, 'missing') ->> 'url', 46));
update public.flows set nodes = test.inputs('push') where id = test.kept('other')::integer;
select test.deploy(test.kept('other')::integer);
delete from public.flow_deployments_tags where tag = 'missing';
select test.keep('stripe', right(public.create_webhook('push', test.kept('flow')::integer, verification => 'stripe', secret => 'a secret') ->> 'url', 46));
select test.sign_out();

create function pg_temp.receive(token text, body text default '{}', headers jsonb default '{}') returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_answer jsonb;
begin
  perform test.sign_in_as_role('anon');
  perform set_config('response.status', '', true), set_config('response.headers', '', true);
  v_answer := public.receive_webhook(receive.token, receive.body, receive.headers);
  perform test.sign_out();
  return v_answer;
end;
$$;
create function pg_temp.run(answer jsonb) returns uuid language sql immutable as $$ select (answer ->> 'flow_run_id')::uuid; $$;

select test.keep('run', pg_temp.run(pg_temp.receive(test.kept('plain'), '{"ref": "refs/heads/main", "commits": [1, 2.5]}')));
select results_eq(
  $$ select r.user_id, r.started_by, r.deployment_id, r.inputs, r.status, w.prefix from public.flow_run as r join public.flow_webhooks as w on w.id = r.webhook_id $$,
  $$ select test.user_id('owner'), test.user_id('owner'), test.kept('deployment')::uuid,
    '{"M": {"push": {"M": {"ref": {"S": "refs/heads/main"}, "commits": {"A": [{"U": "1"}, {"D": "2.5"}]}}}}}'::jsonb, 'queued', left(test.kept('plain'), 10) $$,
  'the run belongs to the owner and gets the body'
);
select ok(last_flow_run_id = test.kept('run')::uuid and last_start_at >= now() and last_error is null, 'the webhook stores the run and the time')
from public.flow_webhooks where prefix = left(test.kept('plain'), 10);
select test.keep('run', pg_temp.run(pg_temp.receive(test.kept('headers'), '7', '{"x-github-event": "push", "x-hub-signature": "1"}')));
select is(
  (select inputs from public.flow_run where id = test.kept('run')::uuid),
  '{"M": {"push": {"M": {"body": {"U": "7"}, "headers": {"M": {"x-github-event": {"S": "push"}}}}}}}',
  'the input has those of the named headers that the request sent'
);

-- Requests with the same id start one run.
select is(
  pg_temp.receive(test.kept('plain'), '{}', jsonb_build_object(header, 'an id')), pg_temp.receive(test.kept('plain'), '{"other": 1}', jsonb_build_object(header, 'an id')),
  'two requests with the same ' || header || ' start one run'
)
from unnest('{webhook-id,idempotency-key,x-github-delivery}'::text[]) as header;
select isnt(pg_temp.receive(test.kept('plain'), '{}', '{"webhook-id": "an id"}'), pg_temp.receive(test.kept('headers'), '{}', '{"webhook-id": "an id"}'),
  'ids of another webhook are different ids');
select isnt(pg_temp.receive(test.kept('plain')), pg_temp.receive(test.kept('plain')), 'without an id each request starts a run');
create function pg_temp.verified(verification text) returns public.flow_webhooks language sql immutable as $$
  select jsonb_populate_record(null::public.flow_webhooks, jsonb_build_object('verification', verification));
$$;
select is(private.webhook_delivery_id(pg_temp.verified('stripe'), '{"id": "evt_1"}', '{"idempotency-key": "x"}'), 'evt_1', 'the id of a Stripe event is the signed id in the body');
select is(private.webhook_delivery_id(pg_temp.verified('github'), '{"id": "evt_1"}', '{"webhook-id": "", "x-github-delivery": "x"}'), 'x', 'a body of another sender has no id');
select test.sign_in(test.user_id('owner'));
select test.keep('start', public.start_deployment(test.kept('deployment')::uuid, idempotency_key => 'an id') ->> 'flow_run_id');
select test.sign_out();
select isnt(pg_temp.receive(test.kept('plain'), '{}', '{"webhook-id": "an id"}') ->> 'flow_run_id', test.kept('start'), 'an id is not an idempotency key of the owner''s own starts');
select test.keep('newest', pg_temp.receive(test.kept('plain')) ->> 'flow_run_id');
update public.flow_webhooks set last_error = 'x: y', last_start_at = 'epoch' where prefix = left(test.kept('plain'), 10);
select pg_temp.receive(test.kept('plain'), '{}', '{"webhook-id": "an id"}');
select results_eq(
  $$ select last_error, last_flow_run_id::text, last_start_at from public.flow_webhooks where prefix = left(test.kept('plain'), 10) $$,
  $$ select null::text, test.kept('newest'), timestamptz 'epoch' $$, 'a repeated request clears the stored error, and is no new start'
);

-- Refused requests.
select is(pg_temp.receive(test.kept('wrong_input')) ->> 'message', 'values.pull: the flow has no such input.', 'an input that the flow does not have is refused');
select is(current_setting('response.status'), '400', 'the refusal has the status of its code');
select is(last_error, 'inputs_invalid: values.pull: the flow has no such input.', 'last_error has the fault for the owner')
from public.flow_webhooks where prefix = left(test.kept('wrong_input'), 10);
select is(pg_temp.receive(test.kept('wrong_tag')) ->> 'code', 'deployment_not_found', 'a missing tag is refused');
select is(pg_temp.receive(test.kept('plain'), body) ->> 'code', 'request_invalid', 'a body that is ' || left(body, 30))
from unnest(array['', '{"a": 1, "a": 1}', '"\ud800"', '{"a":"\u0000"}', '1e999999']) as body;
select is(pg_temp.receive(test.kept('plain'), '"' || repeat('x', 1048576) || '"') ->> 'code', 'body_too_large', 'a body of more than a megabyte is refused');

-- For the limits of the deployment, all senders that use the same webhook URL count as one caller.
select test.sign_in(test.user_id('owner'));
select test.keep('flood', right(public.create_webhook('push', test.kept('flow')::integer) ->> 'url', 46));
select test.sign_out();
update public.flow_deployments set max_runs_in_flight = 100 where id = test.kept('deployment')::uuid;
select is(count(*), 10::bigint, 'a webhook has a tenth of each limit')
from (select pg_temp.receive(test.kept('flood')) ? 'flow_run_id' as has_started from generate_series(1, 12)) as r where r.has_started;
select is((pg_temp.receive(test.kept('flood')) ->> 'details')::jsonb, '{"limit": "max_runs_in_flight", "value": 10, "of": "caller"}', 'a further request is refused');
select is(current_setting('response.headers')::jsonb, '[{"Retry-After": "5"}]', 'the refusal has Retry-After');
select ok(pg_temp.receive(test.kept('plain')) ? 'flow_run_id', 'another webhook has a separate share');

select * from finish();
