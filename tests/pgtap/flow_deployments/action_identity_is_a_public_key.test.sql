select plan(12);

select test.create_user('owner');
select test.create_wallet(test.user_id('owner'), public_key)
from (values
  ('11111111111111111111111111111111'), ('So11111111111111111111111111111111111111112'), ('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG')
) as wallet (public_key);
select test.sign_in(test.user_id('owner'));
select test.deploy(test.create_flow(test.user_id('owner')));

select is(
  test.error(format('update public.flow_deployments set action_identity = %L where true', value)), null,
  coalesce(value, 'null') || ' is accepted'
)
from (values
  ('11111111111111111111111111111111'),
  ('So11111111111111111111111111111111111111112'),
  ('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG'),
  (null)
) as good (value);

select is(
  test.error(format('update public.flow_deployments set action_identity = %L where true', value)) ->> 'code',
  'action_identity_invalid', format('"%s" is refused', left(value, 50))
)
from (values
  (''),
  -- Base58 texts of 31 bytes, of 33 bytes, and of a number greater than 2^256-1.
  ('1111111111111111111111111111111'),
  ('111111111111111111111111111111111'),
  ('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'),
  -- Characters that base58 does not use, and characters around a copied key.
  ('So1111111111111111111111111111111111111111O'),
  ('SoI1111111111111111111111111111111111111112'),
  (' So11111111111111111111111111111111111111112'),
  (repeat('1', 100000))
) as bad (value);

select * from finish();
