select plan(6);

select test.create_user('owner');
select test.create_flow(test.user_id('owner'));
select test.sign_in(test.user_id('owner'));

select is(test.error(format('update public.flows set instructions_bundling = %L', value)), null, value || ' is accepted')
from (values ('Automatic'), ('Off')) as good (value);

select is(
  test.error(format('update public.flows set instructions_bundling = %L', value)) ->> 'message',
  'instructions_bundling: must be Off or Automatic.', format('"%s" is refused', value)
)
from (values ('Manual'), ('off'), ('')) as bad (value);

select is(test.error_code('update public.flows set instructions_bundling = null'), '23502', 'null is refused');

select * from finish();
