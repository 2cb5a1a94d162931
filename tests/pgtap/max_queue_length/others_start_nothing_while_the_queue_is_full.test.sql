select plan(12);

select test.create_user('owner');
select test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.deploy_limited();
create function pg_temp.start() returns text language sql as $$
  select test.error_code('select test.start_by_key()');
$$;
grant execute on function pg_temp.start() to public;

select test.sign_in_as_role('service_role');
select is(public.max_queue_length(), 100000, 'the limit has a default');
select public.set_max_queue_length(2);
select is(public.max_queue_length(), 2, 'the limit is the one that the operator has set');

select test.sign_in_as_role('anon');
select is(pg_temp.start(), null, 'starts of others fill the queue') from generate_series(1, 2);
select is(test.error('select test.start_by_key()'), '{
  "code": "queue_full", "status": 429, "message": "More runs wait to be executed than this project allows.",
  "details": {"limit": "max_queue_length", "value": 2}, "hint": "Try again after as many seconds as Retry-After says."
}', 'other callers start nothing while the queue is full');
select test.sign_in(test.user_id('other'));
select is(pg_temp.start(), 'queue_full', 'every other caller is refused');
select test.sign_in(test.user_id('owner'));
select is(pg_temp.start(), null, 'the owner can still start');
select is(test.error_code('select public.start_flow(f.id) from public.flows as f'), null, 'the owner can still start the flow');

select test.sign_in_as_role('service_role');
select public.claim_flow_runs(2, 60);
select test.sign_in_as_role('anon');
select is(pg_temp.start(), 'queue_full', 'runs of the owner count, too');
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 60);
select test.sign_in_as_role('anon');
select is(pg_temp.start(), null, 'claimed runs do not count any more');
select is(pg_temp.start(), 'queue_full', 'each claimed run makes room for one start');
select test.lose_workers();
select test.sign_in_as_role('service_role');
select public.set_max_queue_length(5);
select test.sign_in_as_role('anon');
select is(pg_temp.start(), 'queue_full', 'runs of lost workers count again');

select * from finish();
