select plan(5);

select test.create_user(name) from unnest('{owner,other}'::text[]) as name;
select test.sign_in(test.user_id(name)) from unnest('{other}'::text[]) as name;
select test.deploy_telling('{failed}');
select test.sign_in(test.user_id('owner'));
select test.deploy_telling('{failed}');
select test.deploy_telling('{failed}', 'https://example.com/other');
select test.sign_out();
select test.claimed_run(test.user_id(name)) from unnest('{owner,other}'::text[]) as name;
select test.queue_webhooks(test.user_id('owner'), 1);
create temporary table claimed on commit drop as select * from public.claim_webhook_deliveries(1, 60);
select test.queue_webhooks(test.user_id('owner'), 2);
select test.queue_webhooks(test.user_id('owner'), 1, 'https://example.com/other');
select test.queue_webhooks(test.user_id('other'), 1);
select public.store_webhook_attempt(id, 1, 410) from claimed;

select results_eq(
  $$ select d.status, d.last_error from public.webhook_deliveries as d join claimed as c using (id) $$,
  $$ values ('failed', 'The address answered with 410 Gone, so on_end was removed from the deployments that name this address.') $$, '410 ends the delivery'
);
select is(
  (select count(*) from public.webhook_deliveries as d
    where d.status = 'failed' and d.user_id = test.user_id('owner') and d.last_error = 'The address has answered another message with 410 Gone.'),
  2::bigint, 'other deliveries to the same address fail, too'
);
select is((select count(*) from public.webhook_deliveries as d where d.status = 'pending'), 2::bigint, 'deliveries to other addresses and of other owners do not change');
select results_eq(
  $$ select d.on_end ->> 'url' from public.flow_deployments as d where d.user_id = test.user_id('owner') order by 1 $$,
  $$ values ('https://example.com/other'), (null) $$, 'on_end of the owner''s deployments does not name the address any more'
);
select is((select d.on_end ->> 'url' from public.flow_deployments as d where d.user_id = test.user_id('other')), 'https://example.com/hook', 'deployments of other owners keep the address');

select * from finish();
