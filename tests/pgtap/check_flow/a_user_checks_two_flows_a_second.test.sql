select plan(8);

select test.create_user('owner'), test.create_user('other');
create function pg_temp.check() returns jsonb language sql volatile as $$
  select test.error('select public.check_flow(''{"nodes": [], "edges": []}'')');
$$;
create function pg_temp.pass(passed interval) returns void language sql security definer as $$
  update private.flow_checks set last_at = last_at - passed, before_last_at = before_last_at - passed where true;
$$;

grant execute on function pg_temp.check(), pg_temp.pass(interval) to public;
select is(pg_temp.check() ->> 'code', 'unauthenticated', 'a caller who is not a user is refused');
select test.sign_in(test.user_id('owner'));
select is(pg_temp.check(), null, 'a first check is accepted');
select is(pg_temp.check(), null, 'a second check within the second is accepted');
select is(
  (pg_temp.check() ->> 'code') || (pg_temp.check() ->> 'status'), 'too_many_requests429', 'a third check within the second is refused'
);
select test.sign_in(test.user_id('other'));
select is(pg_temp.check(), null, 'the limit of one user does not affect other users');
select test.sign_in(test.user_id('owner'));
select pg_temp.pass('1 second');
select is(pg_temp.check(), null, 'a second later the user may make one more check');
select is(pg_temp.check(), null, 'a second check in the next second is accepted');
select is(pg_temp.check() ->> 'code', 'too_many_requests', 'a third check in the next second is refused');

select * from finish();
