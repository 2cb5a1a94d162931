select plan(7);

select test.create_user('owner');
select test.sign_in_as_role('service_role');
select public.set_quota(name, 1) from unnest('{wallets,nodes,deployments}'::text[]) as name;
select public.set_quota('tags', 0);

select test.keep('key', 'So11111111111111111111111111111111111111112'::text);
select test.sign_out();
select test.create_wallet(test.user_id('owner'), test.kept('key'), 'ADAPTER');
select is(
  test.error_code($$ select test.create_wallet(test.user_id('owner'), test.kept('key')) $$), null, 'storing the key pair of an existing wallet is accepted at the quota'
);
select is(
  test.error_code($$ select test.create_wallet(test.user_id('owner'), '11111111111111111111111111111111', 'ADAPTER') $$),
  'quota_exceeded', 'another wallet exceeds the quota'
);

select test.sign_in(test.user_id('owner'));
create function pg_temp.post(node_id text) returns text language sql as $$
  select test.error_code(format(
    'insert into public.nodes (type, data, sources, targets) values (%L, %L, %L, %L)
      on conflict (owner_key, node_id, version) do update set data = excluded.data',
    'native', jsonb_build_object('node_id', post.node_id, 'version', '1', 'display_name', 'A'), '[]', '[]'
  ));
$$;
select is(pg_temp.post('mine'), null, 'a definition is accepted');
select is(pg_temp.post('mine'), null, 'replacing an existing definition is accepted at the quota');
select is(pg_temp.post('other'), 'quota_exceeded', 'another definition exceeds the quota');

select is(
  test.error_code($$ select test.deploy(test.create_flow(auth.uid())) $$), null, 'latest counts for no quota of tags'
);
select test.sign_in_as_role('service_role');
select is(
  test.error_code($$ insert into public.nodes (type, data, sources, targets)
    select 'native', jsonb_build_object('node_id', 'p' || n, 'version', '1', 'display_name', 'A'), '[]', '[]' from generate_series(1, 3) as n $$),
  null, 'public definitions of the service role count for no quota'
);

select * from finish();
