select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('told', test.deploy_telling('{signature_request}'));
select test.start_and_keep('other', test.deploy_telling('{succeeded}'));
select test.start_and_keep('none', test.deploy(test.create_flow(auth.uid())));
select test.sign_out();
select test.claim_all();
select test.ask(test.kept(name)::uuid, jsonb_build_array(test.request(), test.request('So11111111111111111111111111111111111111112')))
from unnest('{told,other,none}'::text[]) as name;

select results_eq($$ select flow_run_id, event from public.webhook_deliveries $$, $$ values (test.kept('told')::uuid, 'signature_request') $$, 'one message lists all signatures of a transaction');
select is(
  (select d.payload #> '{data,signature_requests}' from public.webhook_deliveries as d),
  (select jsonb_agg(jsonb_build_object(
      'id', s.id, 'kind', 'transaction_message', 'pubkey', s.pubkey, 'expires_at', s.expires_at
    ) order by s.created_at)
    from public.signature_requests as s where s.flow_run_id = test.kept('told')::uuid),
  'the message lists the requests in the order in which they were made'
);
select test.ask(test.kept('told')::uuid, jsonb_build_array(test.request()));
select is((select count(*) from public.webhook_deliveries), 1::bigint, 'requests that were reported before are not reported again');
select test.ask(test.kept('told')::uuid, test.request(), 'b');
select is((select count(*) from public.webhook_deliveries), 2::bigint, 'requests of another transaction are reported');

select * from finish();
