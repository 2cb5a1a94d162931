select plan(13);

select test.create_user('owner');
select test.create_user('starter');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(auth.uid()));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set start_permission = 'Authenticated' where id = test.kept('deployment')::uuid;
select test.sign_in(test.user_id('starter'));
select test.queued_claim(test.kept('deployment')::uuid);
select test.sign_out();

select test.ask_input(test.kept('run')::uuid, 'silent');
select is((select count(*) from public.webhook_deliveries), 0::bigint, 'an input without a webhook is not posted');

select test.keep('webhook', '{"url": "https://example.com/hook", "headers": {"authorization": "Bearer x", "webhook-id": "1"}, "extra": {"a": 1}}'::text);
select test.ask_input(test.kept('run')::uuid, 'a', webhook => test.kept('webhook')::jsonb);
select test.ask_input(test.kept('run')::uuid, 'a', webhook => test.kept('webhook')::jsonb);
select is(
  (select jsonb_agg(to_jsonb(d) - '{id,created_at,payload,next_attempt_at}'::text[]) from public.webhook_deliveries as d),
  jsonb_build_array(jsonb_build_object(
    'user_id', test.user_id('owner'), 'flow_run_id', test.kept('run'), 'deployment_id', test.kept('deployment'),
    'turn_id', test.kept('deployment'), 'is_started_by_owner', false, 'event', 'api_input',
    'url', 'https://example.com/hook', 'headers', test.kept('webhook')::jsonb -> 'headers', 'status', 'pending',
    'attempts', 0, 'max_attempts', 8, 'is_held', false, 'last_attempt_at', null, 'last_http_status', null,
    'last_response', null, 'last_error', null
  )),
  'an input with a webhook is posted once, however often the runner reports it'
);
select is(
  (select d.payload - 'timestamp' #- '{data,created_at}' #- '{data,start_time}' from public.webhook_deliveries as d),
  (
    select jsonb_build_object('type', 'flow_run.api_input', 'data', jsonb_build_object(
      'flow_run_id', p.flow_run_id, 'deployment_id', test.kept('deployment'), 'flow_id', test.kept('flow')::integer,
      'schedule_id', null, 'status', 'running', 'end_time', null, 'api_input', jsonb_build_object(
        'id', p.id, 'flow_run_id', p.flow_run_id, 'node_id', p.node_id, 'times', 0, 'url', p.url,
        'expires_at', p.expires_at, 'extra', '{"a": 1}'::jsonb
      )
    ))
    from public.pending_inputs as p where p.node_id = test.node_id('a')
  ),
  'the message has the URL for the answer'
);
create temp table claimed as select * from private.claim_webhook_deliveries(10, 60);
select is(headers ->> 'authorization', 'Bearer x', 'the headers of the flow are sent') from claimed;
select is(headers ->> 'webhook-id', id::text, 'headers of the flow do not replace those of Standard Webhooks') from claimed;
select matches(headers ->> 'webhook-signature', '^v1,', 'the message is signed, though the deployment has no on_end') from claimed;

update public.flow_deployments set on_end = '{"url": "https://example.com/hook", "events": ["failed"]}' where id = test.kept('deployment')::uuid;
select private.store_webhook_attempt(id, attempt, 410, 'gone', null, null) from claimed;
select results_eq(
  'select status, last_error from public.webhook_deliveries',
  $$ values ('failed', 'The address answered with the status 410, but a status from 200 to 299 is needed.') $$,
  'an answer of 410 ends the delivery'
);
select isnt(
  (select d.on_end from public.flow_deployments as d where d.id = test.kept('deployment')::uuid), null::jsonb,
  'an answer of 410 keeps on_end, because a starter may have chosen the address'
);

update public.flow_deployments set on_end = '{"url": "https://example.com/other", "events": ["failed"]}' where id = test.kept('deployment')::uuid;
select test.sign_in(test.user_id('owner'));
select public.redeliver_webhook(d.id) from public.webhook_deliveries as d;
select is(
  (select d.url from public.webhook_deliveries as d), 'https://example.com/hook',
  'a repeated post goes to the same address, not to that of on_end'
);
select test.sign_out();

-- Runs of flows.
delete from public.webhook_deliveries;
select test.sign_in(test.user_id('owner'));
select test.keep('first', public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id');
select test.keep('second', public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id');
select test.sign_out();
select test.claim_all();
select test.ask_input(test.kept(name)::uuid, name, webhook => test.kept('webhook')::jsonb) from unnest('{first,second}'::text[]) as name;
select results_eq(
  'select deployment_id, is_started_by_owner, count(distinct turn_id) from public.webhook_deliveries group by 1, 2',
  $$ values (null::uuid, true, 1::bigint) $$,
  'all runs of flows share one turn'
);
select is((select count(*) from private.claim_webhook_deliveries(10, 60)), 2::bigint, 'messages of runs without a deployment are claimed');
select private.claim_webhook_deliveries(10, 60);
select is(
  (select count(*) from public.webhook_deliveries where is_held), 2::bigint, 'a second claim does not claim them again'
);
select test.sign_in(test.user_id('starter'));
select is((select count(*) from public.webhook_deliveries), 0::bigint, 'the starter sees no message');

select * from finish();
