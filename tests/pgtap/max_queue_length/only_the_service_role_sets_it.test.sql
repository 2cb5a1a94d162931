select plan(12);

select test.create_user('owner');
create temporary view attempts as
  select * from (values
    ('public.set_max_queue_length(1)'), ('private.set_max_queue_length(1)'), ('public.max_queue_length()'), ('private.max_queue_length()')
  ) as attempt (call);
grant select on attempts to public;

select test.sign_in(test.user_id('owner'));
select is(test.error_code('select ' || call), '42501', 'a user may not call ' || call) from attempts;
select test.sign_in_as_role('anon');
select is(test.error_code('select ' || call), '42501', 'anon may not call these functions') from attempts;

select test.sign_in_as_role('service_role');
select is(test.error_code('select public.set_max_queue_length(1)'), null, 'the service role can set the limit');
select is(public.max_queue_length(), 1, 'the service role can read the limit');
select is(
  test.error(format('select public.set_max_queue_length(%s)', bad)),
  '{"code": "request_invalid", "status": 400, "message": "max_length must be an integer from 0 to 2^31-1.", "details": null, "hint": null}',
  bad || ' is refused'
)
from (values ('-1'), ('null')) as wrong (bad);

select * from finish();
