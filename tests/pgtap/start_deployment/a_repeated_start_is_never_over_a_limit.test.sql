select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.deploy_limited(max_starts_per_minute => 1, max_runs_in_flight => 1);
select test.sign_in_as_role('anon');

select test.keep('run', test.start_by_key('a key of more than 22 characters'));
select is(test.error_code($$ select test.start_by_key('another key of 22 or more') $$), 'start_limit_reached', 'a second start is refused');
select is(
  test.start_by_key('a key of more than 22 characters'), test.kept('run')::uuid, 'a repeated start returns its run at the limit'
);
select is(test.in_flight(), 1::bigint, 'a repeated start counts once');
select is(
  test.error_code($$ select test.start_by_key('another key of 22 or more') $$), 'start_limit_reached', 'a refused start does not use up its key'
);

select test.sign_in_as_role('service_role');
select public.set_max_queue_length(0);
select test.sign_in_as_role('anon');
select is(test.start_by_key('a key of more than 22 characters'), test.kept('run')::uuid, 'a repeated start succeeds when the queue is full');
select is(test.error_code($$ select test.start_by_key('another key of 22 or more') $$), 'queue_full', 'a new start is refused when the queue is full');

select * from finish();
