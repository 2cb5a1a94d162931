select plan(8);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.deploy(test.create_flow(test.user_id('owner')));

select is(test.error(format('update public.flow_deployments set start_permission = %L where true', value)), null, value || ' is accepted')
from (values ('Anonymous'), ('Authenticated'), ('Owner')) as good (value);

select is(
  test.error(format('update public.flow_deployments set start_permission = %L where true', value)) ->> 'code', 'start_permission_invalid',
  format('"%s" is refused', value)
)
from (values ('owner'), ('Everybody'), ('')) as bad (value);

select is(
  test.error_code('update public.flow_deployments set start_permission = null where true'), 'start_permission_invalid',
  'null is refused'
);
select results_eq('select start_permission from public.flow_deployments', $$ values ('Owner') $$, 'the last valid permission is stored');

select * from finish();
