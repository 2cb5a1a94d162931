-- While a long queue has room, only some starts count it. When it is full, the result of a count holds for a time.
select plan(7);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.deploy_limited();
create function pg_temp.start() returns text language sql as $$
  select test.error_code('select test.start_by_key()');
$$;
grant execute on function pg_temp.start() to public;
select test.sign_out();
select private.set_max_queue_length(1000);
-- A full queue refuses only starts for owners who have a tenth of the limit. This owner has 100 of 1,000.
select test.queue_runs(test.user_id('owner'), 100);
select test.queue_runs(gen_random_uuid(), 899);

-- Of these starts one in ten counts the queue, so that no start does has the probability 0.9 ^ 300 (2e-14).
select test.sign_in_as_role('anon');
select is(pg_temp.start(), null, 'the last start before the queue is full succeeds');
select is(array_agg(pg_temp.start()) && '{queue_full}', true, 'starts count the queue now and then')
from generate_series(1, 300);

select test.sign_out();
delete from private.flow_run_jobs where user_id <> test.user_id('owner');
select setval('private.queue_full_until', (extract(epoch from clock_timestamp()) * 1000)::bigint + 60000);
select test.sign_in_as_role('anon');
select is(pg_temp.start(), 'queue_full', 'the result of a count holds for a time');
select test.sign_out();
select setval('private.queue_full_until', 1);
select test.sign_in_as_role('anon');
select is(pg_temp.start(), null, 'after this time the queue is counted again');

select test.sign_out();
select test.queue_runs(gen_random_uuid(), 20);
select private.set_max_queue_length(20);
select test.sign_in_as_role('anon');
select is(pg_temp.start(), 'queue_full', 'a new limit applies to the next start');
select test.sign_in_as_role('service_role');
select public.set_max_queue_length(2147483647);
select test.sign_in_as_role('anon');
select is(pg_temp.start(), null, 'the greatest possible limit is accepted');
select test.sign_in_as_role('service_role');
select public.set_max_queue_length(0);
select test.sign_in_as_role('anon');
select is(pg_temp.start(), 'queue_full', 'if the limit is 0, only the owner can start');

select * from finish();
