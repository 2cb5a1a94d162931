select plan(15);

select test.create_user(name) from unnest('{owner,greedy,modest}'::text[]) as name;

-- Starts the kept deployment with a public key that this number selects.
create function pg_temp.start(key_number integer default null) returns jsonb language sql as $$
  select e - 'hint' - 'message' from test.error(format(
    'select public.start_deployment(id => test.kept(%L)::uuid, public_key => %L)', 'deployment',
    -- The first 30 of these texts are valid keys.
    '1111111111111111111111111111111' || substr('123456789ABCDEFGHJKLMNPQRSTUVW', start.key_number, 1)
  )) as e;
$$;
grant execute on function pg_temp.start(integer) to public;
create function pg_temp.refusal(limit_name text, value integer, share text) returns jsonb language sql as $$
  select jsonb_build_object(
    'code', 'start_limit_reached', 'status', 429,
    'details', jsonb_build_object('limit', refusal.limit_name, 'value', refusal.value, 'of', refusal.share)
  );
$$;
grant execute on function pg_temp.refusal(text, integer, text) to public;

select test.sign_in(test.user_id('owner'));
select test.deploy_limited(max_runs_in_flight => 21);

select test.sign_in(test.user_id('greedy'));
select is(pg_temp.start(), null, 'a caller has a tenth of the runs in flight, rounded up') from generate_series(1, 3);
select is(pg_temp.start(), pg_temp.refusal('max_runs_in_flight', 3, 'caller'), 'one start more is refused');
select test.sign_in(test.user_id('greedy'), is_anonymous => true);
select is(pg_temp.start(), pg_temp.refusal('max_runs_in_flight', 3, 'caller'), 'a user is one caller, whatever the sign-in');
select test.sign_in(test.user_id('modest'));
select is(pg_temp.start(), null, 'another user can still start');

-- Anybody can make up public keys, so all starts with public keys share half of the limit.
select test.sign_in_as_role('anon');
select is(
  (select array_agg(pg_temp.start(n) #>> '{details,of}') from generate_series(1, 13) as n),
  array[null, null, null, null, null, null, null, null, null, null, null, 'guests', 'guests'],
  'public keys together have half of the limit, rounded up'
);
select is(pg_temp.start(1), pg_temp.refusal('max_runs_in_flight', 11, 'guests'), 'each caller with a public key gets the error of the share of guests');
select test.sign_in(test.user_id('modest'), is_anonymous => true);
select is(pg_temp.start(), pg_temp.refusal('max_runs_in_flight', 11, 'guests'), 'anonymous sign-ins count as guests, because they are made up as easily');
select test.sign_in(test.user_id('modest'));
select is(pg_temp.start(), null, 'a user who has signed up can still start');
select is(test.in_flight('user:' || test.user_id('greedy')), 3::bigint, 'refused starts do not count');

-- All runs have ended, so the guests together are below their limit. The limit of each key still applies.
select test.sign_out();
select private.end_flow_run(r.id, 'stopped', null, null, null) from public.flow_run as r;
select is(test.in_flight('guests'), 0::bigint, 'ended runs count in no share');
select test.sign_in_as_role('anon');
select is(pg_temp.start(7), null, 'a key starts as many as a user') from generate_series(1, 2);
select pg_temp.start(7);
select is(pg_temp.start(7), pg_temp.refusal('max_runs_in_flight', 3, 'caller'), 'further starts are refused');

select * from finish();
