select plan(13);

select test.create_user('owner');
select test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.deploy_limited(max_starts_per_minute => 2);
create function pg_temp.start() returns text language sql as $$
  select test.error_code('select test.start_by_key()');
$$;
grant execute on function pg_temp.start() to public;

select test.sign_in(test.user_id('owner'));
select is(pg_temp.start(), null, 'the owner can start the deployment') from generate_series(1, 3);

select test.sign_in(test.user_id('other'));
select is(pg_temp.start(), null, 'after the owner''s starts, another user can still start');
select test.sign_in_as_role('anon');
select is(pg_temp.start(), null, 'a caller with a public key can still start');

-- All callers except the owner share this limit.
select is(pg_temp.start(), 'start_limit_reached', 'the next start with a public key is refused');
select test.sign_in(test.user_id('other'));
select is(pg_temp.start(), 'start_limit_reached', 'another user is refused');
select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(pg_temp.start(), 'start_limit_reached', 'an anonymous sign-in is refused');
select test.sign_in(test.user_id('owner'));
select is(pg_temp.start(), null, 'the owner can still start the deployment');
select is(
  test.error_code($$ select public.start_flow(d.entrypoint) from public.flow_deployments as d $$), null, 'the owner can still start the flow'
);

update public.flow_deployments set max_starts_per_minute = 20 where true;
select test.sign_in_as_role('anon');
select is(pg_temp.start(), null, 'a raised limit applies to the next start');
select is(pg_temp.start(), 'start_limit_reached', 'earlier starts count towards the raised limit');
select test.sign_out();
update private.deployment_usage set minute = minute - interval '1 minute' where true;
select test.sign_in_as_role('anon');
select is(pg_temp.start(), null, 'in the next minute other callers can start again');

select * from finish();
