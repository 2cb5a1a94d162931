-- If public.flow_deployments gets a new column, this test fails until the list below says whether a deploy with
-- settings_from takes the column over. If it does, also give it a value in the update below, other than the value of a
-- deploy without settings_from.
select plan(10);

create temporary table decisions (setting text, decision text);
grant select on decisions to authenticated;
insert into decisions values
  ('id', 'of each deployment'),
  ('created_at', 'of each deployment'),
  ('user_id', 'of each deployment'),
  ('entrypoint', 'of each deployment'),
  ('snapshot_hash', 'of each deployment'),
  ('input_names', 'of each deployment'),
  ('typed_inputs', 'of each deployment'),
  ('name', 'taken over'),
  ('description', 'taken over'),
  ('icon_url', 'taken over'),
  ('start_permission', 'taken over'),
  ('output_instructions', 'taken over'),
  ('action_identity', 'taken over'),
  ('fees', 'taken over'),
  ('chain_network', 'taken over'),
  ('max_starts_per_minute', 'taken over'),
  ('max_runs_in_flight', 'taken over'),
  ('on_end', 'taken over'),
  ('queue_key', 'taken over'),
  ('queue_key_shared', 'taken over'),
  ('max_running_per_key', 'taken over'),
  ('max_starts_per_key', 'taken over'),
  ('key_period_seconds', 'taken over'),
  ('debounce_seconds', 'taken over'),
  ('debounce_max_seconds', 'taken over'),
  ('model_limits', 'taken over');
select bag_eq(
  $$ select a.attname::text from pg_attribute as a
    where a.attrelid = 'public.flow_deployments'::regclass and a.attnum > 0 and not a.attisdropped $$,
  'select d.setting from decisions as d',
  'each column of a deployment has a decision here'
);

select test.create_user('owner');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('former', test.deploy(test.kept('flow')::integer));
update public.flow_deployments
set name = 'Shop', description = 'Sells books.', icon_url = 'https://example.com/icon.png',
  start_permission = 'Authenticated', output_instructions = true,
  action_identity = 'So11111111111111111111111111111111111111112',
  fees = '[["11111111111111111111111111111111", 18446744073709551615]]',
  chain_network = '{"url": "https://rpc.example.com", "cluster": "mainnet-beta"}',
  max_starts_per_minute = 5, max_runs_in_flight = 6,
  on_end = '{"url": "https://example.com/told", "events": ["failed"]}',
  queue_key = 'caller', queue_key_shared = true, max_running_per_key = 1, max_starts_per_key = 2, key_period_seconds = 3,
  model_limits = '{"run_tokens": 7}'
where true;
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
values (test.kept('flow')::integer, 'stable', test.kept('former')::uuid);

create function pg_temp.settings(deployment text) returns jsonb language sql volatile as $$
  select to_jsonb(d) - array(select s.setting from decisions as s where s.decision = 'of each deployment')
  from public.flow_deployments as d where d.id = deployment::uuid;
$$;
create function pg_temp.deploy_from(settings_from text) returns jsonb language sql volatile as $$
  select pg_temp.settings(
    public.deploy_flow(test.kept('flow')::integer, settings_from => deploy_from.settings_from) ->> 'deployment_id'
  );
$$;

select test.keep('kept', pg_temp.settings(test.kept('former')));
select test.keep('compared', public.compare_deploy_settings(test.kept('flow')::integer, 'stable'));
select test.keep('given', pg_temp.settings(test.deploy(test.kept('flow')::integer)::text));
select is_empty(
  $$ select k.key from jsonb_each(test.kept('kept')::jsonb) as k join jsonb_each(test.kept('given')::jsonb) as g using (key)
    where k.value = g.value and k.key not like 'debounce%' $$,
  'each setting here differs from that of a deploy without settings_from'
);
select is(pg_temp.deploy_from(test.kept('former')), test.kept('kept')::jsonb, 'an id names the deployment');
select is(pg_temp.deploy_from('stable'), test.kept('kept')::jsonb, 'a tag names the deployment');
select is(
  pg_temp.deploy_from('latest'), test.kept('kept')::jsonb, 'latest names the deployment that was the newest before the deploy'
);
select is(
  test.kept('compared')::jsonb,
  (
    select jsonb_agg(jsonb_build_object('setting', k.key, 'kept', k.value, 'otherwise', g.value) order by k.key)
    from jsonb_each(test.kept('kept')::jsonb) as k join jsonb_each(test.kept('given')::jsonb) as g using (key)
    where k.value <> g.value
  ),
  'compare_deploy_settings lists the same settings beforehand'
);

update public.flows set name = 'Another name', environment = '{"A": "b"}' where id = test.kept('flow')::integer;
select is(
  pg_temp.deploy_from('latest'), test.kept('kept')::jsonb, 'the settings are kept if the flow has changed'
);
select is(
  (
    select count(distinct d.snapshot_hash) from public.flow_deployments as d
  ), 2::bigint, 'the graph is that of the flow'
);
update public.flows set name = 'My flow' where id = test.kept('flow')::integer;
update public.flow_deployments set name = 'My flow'
where id = (public.deploy_flow(test.kept('flow')::integer) ->> 'deployment_id')::uuid;
select is(
  public.compare_deploy_settings(test.kept('flow')::integer, 'latest'), '[]', 'equal settings are not listed'
);

-- These settings exclude others of the update above.
update public.flow_deployments
set queue_key_shared = false, max_starts_per_key = null, key_period_seconds = null, debounce_seconds = 4, debounce_max_seconds = 5
where id = test.kept('former')::uuid;
select is(
  pg_temp.deploy_from('stable'), pg_temp.settings(test.kept('former')), 'the settings of debouncing are taken over'
);
select * from finish();
