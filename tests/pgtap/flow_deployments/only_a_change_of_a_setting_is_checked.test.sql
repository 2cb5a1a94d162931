select plan(4);

select test.create_user('owner');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.sign_in(test.user_id('owner'));
select test.deploy(test.create_flow(test.user_id('owner')));
update public.flow_deployments set action_identity = 'So11111111111111111111111111111111111111112' where true;

-- Store settings that the present rules refuse, as if they were stored under older rules.
select test.sign_out();
alter table public.wallets disable trigger _100_refuse_in_use;
delete from public.wallets where true;
alter table public.flow_deployments disable trigger _200_check_settings;
update public.flow_deployments set chain_network = chain_network || '{"label": "mine"}' where true;
alter table public.flow_deployments enable trigger _200_check_settings;

select test.sign_in(test.user_id('owner'));
select is(
  test.error($$ update public.flow_deployments
    set action_identity = action_identity, chain_network = chain_network, fees = fees, start_permission = start_permission,
    output_instructions = true
    where true $$), null, 'a write that names settings and leaves them as they are passes'
);
select is(test.error('update public.flow_deployments set action_identity = null where true'), null, 'the action identity can be removed');
select is(
  test.error_code($$ update public.flow_deployments set action_identity = 'So11111111111111111111111111111111111111112' where true $$),
  'action_identity_without_wallet', 'the old action identity can not be set again'
);
select is(
  test.error_code($$ update public.flow_deployments set chain_network = chain_network || '{"cluster": "testnet"}' where true $$),
  'chain_network_invalid',
  'the network can be changed only to a valid network'
);

select * from finish();
