select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
create temporary view signers with (security_invoker = true) as select action_signer from public.flow_run order by id desc;

select test.keep('start', 'select public.start_deployment(id => test.kept(''deployment'')::uuid, action_signer => %L)'::text);
select is(test.error(format(test.kept('start'), 'So11111111111111111111111111111111111111112')), null, 'a public key is accepted');
select results_eq('select * from signers', $$ values ('So11111111111111111111111111111111111111112') $$, 'the public key is stored on the run');
select is(test.error(format(test.kept('start'), null)), null, 'a start without a signer succeeds');

select is(
  test.error(format(test.kept('start'), value)) - 'message',
  '{"code": "action_signer_invalid", "status": 400, "details": null, "hint": null}', format('"%s" is refused', value)
)
from (values
  (''), ('no key'), ('1111111111111111111111111111111'), ('111111111111111111111111111111111'),
  ('So1111111111111111111111111111111111111111O')
) as bad (value);

select results_eq(
  'select * from signers', $$ values (null), ('So11111111111111111111111111111111111111112') $$, 'a bad signer starts no run'
);

select * from finish();
