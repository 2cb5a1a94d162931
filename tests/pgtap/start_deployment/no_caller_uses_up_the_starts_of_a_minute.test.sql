select plan(5);

select test.create_user('owner');
select test.create_user('greedy');
select test.create_user('modest');
select test.sign_in(test.user_id('owner'));
select test.deploy_limited(max_starts_per_minute => 20);

create function pg_temp.start() returns jsonb language sql as $$
  select e -> 'details' from test.error('select test.start_by_key()') as e;
$$;
grant execute on function pg_temp.start() to public;

select test.sign_in(test.user_id('greedy'));
select is(pg_temp.start(), null, 'a caller has a tenth of the starts') from generate_series(1, 2);
select is(pg_temp.start(), '{"limit": "max_starts_per_minute", "value": 2, "of": "caller"}', 'one start more is refused');
select test.sign_in(test.user_id('modest'));
select is(pg_temp.start(), null, 'another caller can still start');

select test.sign_out();
update private.deployment_usage set minute = minute - interval '1 minute' where true;
select test.sign_in(test.user_id('greedy'));
select is(pg_temp.start(), null, 'in the next minute the first caller can start again');

select * from finish();
