select plan(8);

select test.create_user('owner');
select test.create_user('other');
select test.create_wallet(test.user_id('owner'), '11111111111111111111111111111111');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112', 'ADAPTER');
select test.create_wallet(test.user_id('other'), 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG');
select test.sign_in(test.user_id('owner'));
select test.deploy(test.create_flow(test.user_id('owner')));
select test.keep('update', 'update public.flow_deployments set action_identity = %L where true'::text);

select is(test.error(format(test.kept('update'), '11111111111111111111111111111111')), null, 'a HARDCODED wallet of the owner is accepted');
select is(
  test.error_code(format(test.kept('update'), public_key)), 'action_identity_without_wallet', title || ' is refused'
)
from (values
  ('an ADAPTER wallet', 'So11111111111111111111111111111111111111112'),
  ('another user''s wallet', 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG'),
  ('a key without a wallet', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
) as bad (title, public_key);

select test.sign_in_as_role('service_role');
select is(
  test.error_code(format(test.kept('update'), 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG')), 'action_identity_without_wallet',
  'the service role is refused the same wallets'
);

select test.sign_in(test.user_id('owner'));
select is(
  test.error_code('delete from public.wallets where true'), 'wallet_in_use', 'a wallet that a deployment names can''t be deleted'
);
select is(test.error(format(test.kept('update'), null)), null, 'a deployment need not name an action identity');
select is(test.row_count('delete from public.wallets where true'), 2::bigint, 'a wallet that no deployment names can be deleted');

select * from finish();
