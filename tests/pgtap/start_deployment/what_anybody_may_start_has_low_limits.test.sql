select plan(14);

select test.create_user('owner');
create function pg_temp.limits() returns text language sql volatile security definer as $$
  select format('%s %s', l.max_starts_per_minute, l.max_runs_in_flight)
  from public.flow_deployments as d cross join private.start_limits(d) as l where d.id = test.kept('deployment')::uuid;
$$;
create function pg_temp.set(assignments text) returns text language plpgsql volatile as $$
begin
  execute format('update public.flow_deployments set %s where id = %L', assignments, test.kept('deployment'));
  return pg_temp.limits();
end;
$$;
grant execute on function pg_temp.limits(), pg_temp.set(text) to public;

select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select is(public.deploy_flow(test.kept('flow')::integer) -> 'limits', null, 'for a deployment that only its owner may start, a deploy reports no limits');
select test.deploy(test.kept('flow')::integer);
select test.keep('deployment', id) from public.flow_deployments order by id desc limit 1;

select is(pg_temp.limits(), '60000 10000', 'a deployment that only its owner may start has high limits');
select is(pg_temp.set($$start_permission = 'Authenticated'$$), '60000 10000', 'a deployment for users who have signed up has high limits');
select is(pg_temp.set($$start_permission = 'Anonymous'$$), '1200 2000', 'a deployment that anybody may start has low limits, also after a later change');
select is(pg_temp.set('max_starts_per_minute = 60000'), '60000 2000', 'the owner can raise a limit');
select is(pg_temp.set($$start_permission = 'Owner'$$), '60000 10000', 'a limit that is not set follows start_permission');
select is(pg_temp.set($$start_permission = 'Anonymous'$$), '60000 2000', 'a limit that the owner has set stays');
select is(pg_temp.set($$start_permission = 'Anonymous', max_starts_per_minute = null$$), '1200 2000', 'null restores the default');
select is(pg_temp.set($$start_permission = 'Anonymous', max_starts_per_minute = 0$$), '0 2000', '0 is no default');
select is(pg_temp.set('max_starts_per_minute = null'), '1200 2000', 'null sets the low default again');

-- Guests have half of the limit. Other guests have already made 600 starts in this minute.
select test.sign_out();
insert into private.deployment_usage (deployment_id, share, slot, minute, starts, in_flight)
select test.kept('deployment')::uuid, 'guests', 99, date_bin('1 minute', clock_timestamp() + n * interval '1 minute', 'epoch'), 600, 0
from generate_series(0, 0) as n;
select test.sign_in_as_role('anon');
select is(
  test.error('select test.start_by_key()') -> 'details', '{"limit": "max_starts_per_minute", "value": 600, "of": "guests"}', 'guests have 600 starts a minute'
);
select test.sign_out();
update private.deployment_usage set minute = '-infinity', in_flight = 1000 where slot = 99;
select test.sign_in_as_role('anon');
select is(
  test.error('select test.start_by_key()') -> 'details', '{"limit": "max_runs_in_flight", "value": 1000, "of": "guests"}', 'guests may have 1,000 runs in flight'
);

select test.sign_in(test.user_id('owner'));
update public.flows set is_public = true, start_shared = true, start_unverified = true where true;
select test.keep('answer', public.deploy_flow(test.kept('flow')::integer));
select is(
  test.kept('answer')::jsonb -> 'limits',
  '{"max_starts_per_minute": 1200, "max_runs_in_flight": 2000, "guests": {"max_starts_per_minute": 600, "max_runs_in_flight": 1000}}',
  'for a deployment that anybody may start, a deploy reports the limits'
);
select is(
  (select d.max_starts_per_minute from public.flow_deployments as d where d.id = (test.kept('answer')::jsonb ->> 'deployment_id')::uuid), null,
  'the row stores no defaults, so that they can follow start_permission'
);

select * from finish();
