select plan(13);

-- With a quota of 40, a deployment may have 4 pending deliveries that were tried. At most 2 of these may be about runs
-- that others started.
select public.set_quota('pending_webhooks', 40);
select test.create_user(name) from unnest('{owner,stranger}'::text[]) as name;
select test.sign_in(test.user_id('owner'));
select test.keep('public', test.deploy_telling());
update public.flow_deployments set start_permission = 'Authenticated' where id = test.kept('public')::uuid;
select test.keep('private', test.deploy_telling());
select test.start_and_keep(name, test.kept('private')::uuid) from unnest('{alert,last}'::text[]) as name;
select test.start_and_keep('own', test.kept('public')::uuid);
select test.sign_in(test.user_id('stranger'));
select test.start_and_keep('foreign' || n, test.kept('public')::uuid) from generate_series(1, 50) as n;
select test.sign_out();
select private.end_flow_run(test.kept('foreign' || n)::uuid, 'stopped') from generate_series(1, 50) as n;
select private.end_flow_run(test.kept(name)::uuid, 'stopped') from unnest('{own,alert}'::text[]) as name;

create function pg_temp.claim() returns table (run text, id uuid, attempt integer) language sql volatile as $$
  select case d.flow_run_id::text
    when test.kept('alert') then 'alert' when test.kept('last') then 'last' when test.kept('own') then 'own' else 'foreign'
  end, c.id, c.attempt
  from public.claim_webhook_deliveries(100, 60) as c join public.webhook_deliveries as d on d.id = c.id
  order by 1, 2;
$$;
create function pg_temp.fail_all() returns void language sql volatile as $$
  select public.store_webhook_attempt(d.id, d.attempts, 503) from public.webhook_deliveries as d where d.is_held;
$$;
create function pg_temp.deployment_of(name text) returns bigint language sql stable as $$
  select count(*) from public.webhook_deliveries as d where d.deployment_id = test.kept(deployment_of.name)::uuid and d.status = 'pending';
$$;

select is(pg_temp.deployment_of('public'), 51::bigint, 'each end makes a message, however many wait');
select is((select count(*) from public.webhook_deliveries where is_started_by_owner), 2::bigint, 'two messages are about runs that the owner started');
select results_eq(
  'select run, attempt from pg_temp.claim()', $$ values ('alert', 1), ('foreign', 1), ('foreign', 1), ('own', 1) $$,
  'messages about runs of the owner and of another deployment are claimed at once, although fifty others came before'
);
select pg_temp.fail_all();
select is_empty('select * from pg_temp.claim()', 'strangers'' have half of the room of their deployment: the others wait for those that were tried');
select is((select max(last_error) from public.webhook_deliveries where attempts = 0), null, 'no waiting delivery has failed');

select private.end_flow_run(test.kept('last')::uuid, 'failed', errors => '{no}');
select results_eq('select run, attempt from pg_temp.claim()', $$ values ('last', 1) $$, 'a message about another deployment is neither lost nor late');
select pg_temp.fail_all();

update public.webhook_deliveries set next_attempt_at = now() where status = 'pending' and not is_started_by_owner and attempts = 1;
select results_eq('select run, attempt from pg_temp.claim()', $$ values ('foreign', 2), ('foreign', 2) $$, 'the tried deliveries are tried again');
select public.store_webhook_attempt(d.id, d.attempts, 200) from public.webhook_deliveries as d where d.is_held;
select results_eq('select run, attempt from pg_temp.claim()', $$ values ('foreign', 1), ('foreign', 1) $$, 'the waiting deliveries follow');
select public.store_webhook_attempt(d.id, d.attempts, 200) from public.webhook_deliveries as d where d.is_held;
do $$ begin
  for round in 1..40 loop
    perform from pg_temp.claim();
    perform public.store_webhook_attempt(d.id, d.attempts, 200) from public.webhook_deliveries as d where d.is_held;
  end loop;
end $$;
select is(
  (select count(*) from public.webhook_deliveries where status = 'delivered' and not is_started_by_owner), 50::bigint, 'in the end all messages are delivered'
);

-- The quota counts the deliveries of all deployments of the owner.
select public.set_quota('pending_webhooks', 2);
select is((select count(*) from public.webhook_deliveries where status = 'pending' and attempts = 1), 3::bigint, 'three deliveries wait for another attempt');
select test.queue_webhooks(test.user_id('owner'), 1);
select is_empty('select * from pg_temp.claim()', 'beyond the quota no delivery gets its first attempt');
select test.sign_in(test.user_id('owner'));
select is(
  test.error_code(format('select public.redeliver_webhook(%L)', (select d.id from public.webhook_deliveries as d where d.status = 'delivered' limit 1))),
  'quota_exceeded', 'the quota also applies to repeated deliveries'
);
select test.sign_out();
select public.set_quota('pending_webhooks', null);
select is((select count(*) from public.claim_webhook_deliveries(100, 60)), 1::bigint, 'queued deliveries are claimed when the quota has room');

select * from finish();
