select plan(6);

select test.create_user('owner');
select test.create_flow(test.user_id('owner'));
select test.sign_in(test.user_id('owner'));

select is(test.error(format('update public.flows set instructions_bundling = %L', value)), null, value || ' is taken')
from (values ('Automatic'), ('Off')) as good (value);

select is(
  test.error(format('update public.flows set instructions_bundling = %L', value)) ->> 'constraint',
  'flows_instructions_bundling_known', format('"%s" is refused', value)
)
from (values ('Manual'), ('off'), ('')) as bad (value);

select is(test.error_code('update public.flows set instructions_bundling = null'), '23502', 'null is refused');

select * from finish();
