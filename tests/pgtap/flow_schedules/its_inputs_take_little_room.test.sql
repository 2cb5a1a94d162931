select plan(7);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('a', 'b')));
select test.deploy(test.kept('flow')::integer);

-- Returns this number of random characters, which compression can't shorten much.
create function pg_temp.noise(length integer) returns text language sql volatile set search_path = '' as $$
  select left(string_agg(encode(sha256(random()::text::bytea), 'base64'), ''), noise.length) from generate_series(1, noise.length / 40 + 1);
$$;
create function pg_temp.refusal(a integer, b integer) returns jsonb language sql volatile set search_path = '' as $$
  select test.error(format(
    'insert into public.flow_schedules (flow, cron, inputs, "values") values (%s, ''* * * * *'', %L, %L)', test.kept('flow'),
    jsonb_build_object('a', jsonb_build_object('S', repeat('x', refusal.a))), jsonb_build_object('b', repeat('x', refusal.b))
  ));
$$;

select is(pg_temp.refusal(65536, 1) ->> 'message', 'inputs: inputs and values together must be at most 64 KiB of JSON.', 'long inputs are refused');
select is(pg_temp.refusal(1, 65536) ->> 'code', 'column_invalid', 'long values are refused');
select is(pg_temp.refusal(32768, 32768) ->> 'code', 'column_invalid', 'inputs and values that are together too long are refused');
select is(pg_temp.refusal(32768, 32700), null, 'inputs and values at the limit are accepted');
delete from public.flow_schedules where true;

select test.sign_out();
select private.set_quota('schedule_bytes', 100000);
select test.sign_in(test.user_id('owner'));
insert into public.flow_schedules (flow, cron, "values") select test.kept('flow')::integer, '* * * * *', jsonb_build_object('a', pg_temp.noise(60000));
select is(
  test.error($$ insert into public.flow_schedules (flow, cron, "values") select test.kept('flow')::integer, '* * * * *', jsonb_build_object('a', pg_temp.noise(60000)) $$) -> 'details',
  '{"limit": 100000, "of": "schedule_bytes"}', 'the quota of a user has room for this number of schedules'
);
insert into public.flow_schedules (flow, cron) select test.kept('flow')::integer, '0 0 1 1 *';
select is(
  test.error($$ update public.flow_schedules set "values" = jsonb_build_object('a', pg_temp.noise(60000)) where cron = '0 0 1 1 *' $$) -> 'details',
  '{"limit": 100000, "of": "schedule_bytes"}', 'a schedule that grows beyond the quota is refused'
);
select test.sign_out();
select private.set_quota('schedule_bytes', 100);
select test.sign_in(test.user_id('owner'));
select lives_ok($$ update public.flow_schedules set "values" = jsonb_build_object('a', pg_temp.noise(50000)) where cron <> '0 0 1 1 *' $$, 'a schedule that shrinks is saved');

select * from finish();
