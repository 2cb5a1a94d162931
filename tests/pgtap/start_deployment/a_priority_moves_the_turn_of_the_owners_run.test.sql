select plan(17);
create function pg_temp.start(name text, priority integer default null) returns void language sql as $$
  select test.keep(name, public.start_deployment(id => test.kept('deployment')::uuid, priority => start.priority) ->> 'flow_run_id');
$$;
create function pg_temp.job(name text) returns private.flow_run_jobs language sql stable security definer as $$
  select j from private.flow_run_jobs as j where j.flow_run_id = test.kept(name)::uuid;
$$;
-- Claims runs, and returns their names in the order of the claim.
create function pg_temp.claim(count integer) returns text language sql volatile security definer as $$
  select string_agg(n.name, ' ' order by c.place)
  from public.claim_flow_runs(claim.count, 60) with ordinality as c (
    flow_run_id, claim_number, lost_claim_count, flow_id, user_id, started_by, inputs, settings, snapshot_hash, snapshot, work_ms, stop, output_bytes, place
  )
  join unnest('{plain,urgent,late,more,first,second,third}'::text[]) as n (name) on current_setting('test.' || n.name, true) = c.flow_run_id::text;
$$;
grant execute on function pg_temp.start(text, integer), pg_temp.job(text), pg_temp.claim(integer) to public;

select test.create_user('owner'), test.create_user('starter');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'))::text);
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set start_permission = 'Authenticated' where true;

select pg_temp.start('late', -60), pg_temp.start('plain'), pg_temp.start('more', 30);
select test.keep('urgent', public.start_flow(test.kept('flow')::integer, priority => 60) ->> 'flow_run_id');
select ok(
  (pg_temp.job('plain')).turn - (pg_temp.job('urgent')).turn between interval '59 s' and interval '60 s',
  'the priority is subtracted from the turn'
);
select is(public.flow_run_result(test.kept('urgent')::uuid) -> 'is_overdue', 'false', 'it is not overdue');
select test.sign_out();
select ok(
  private.claimable_since(pg_temp.job(n.name)) between now() and clock_timestamp() + interval '1 ms',
  format('the run %s counts as queued since its start', n.name)
) from unnest('{urgent,late}'::text[]) as n (name);
select is(pg_temp.claim(10), 'urgent more plain late', 'the runs of the owner are claimed in this order');

-- The priority applies to each turn of the run.
select test.release_all(0);
select is(pg_temp.claim(10), 'urgent more plain late', 'runs that were released keep their priority');
select test.release_all(60);
update private.flow_run_jobs set due_at = clock_timestamp() where true;
select is(pg_temp.claim(10), 'urgent more plain late', 'and runs that slept');
select test.release_all(60);
select private.wake_flow_run(test.kept(n.name)::uuid) from unnest('{plain,late,more,urgent}'::text[]) as n (name);
select is(pg_temp.claim(10), 'urgent more plain late', 'and runs that were woken');
select private.end_flow_run(j.flow_run_id, 'stopped') from private.flow_run_jobs as j;

-- A free place of a key goes to the blocked run whose turn comes first.
select test.sign_in(test.user_id('owner'));
update public.flow_deployments set max_running_per_key = 1 where true;
select pg_temp.start('first'), pg_temp.start('second'), pg_temp.start('third', 60);
select test.sign_out();
select private.end_flow_run(test.kept('first')::uuid, 'stopped');
set constraints all immediate;
set constraints all deferred;
select is(pg_temp.claim(10), 'third', 'a free place of a key goes to the run with the higher priority');

select test.sign_in(test.user_id('owner'));
select is(
  test.error(format('select pg_temp.start(''bad'', %s)', n.priority)),
  '{"code": "priority_invalid", "status": 400, "message": "`priority` must be a whole number of seconds from -3600 to 3600.", "details": null, "hint": null}',
  format('%s is refused', n.priority)
) from unnest('{-3601,3601,2147483647}'::integer[]) as n (priority);
select is(test.error_code(format('select public.start_flow(%s, priority => 3601)', test.kept('flow'))), 'priority_invalid', 'also by start_flow');
select is(test.error(format('select pg_temp.start(''bound'', %s)', n.priority)), null, format('%s is accepted', n.priority))
from unnest('{-3600,3600}'::integer[]) as n (priority);

select test.keep('repeated', 'select public.start_deployment(id => test.kept(''deployment'')::uuid, idempotency_key => ''k'', priority => %L)'::text);
select test.error_code(format(test.kept('repeated'), 1));
select is(test.error_code(format(test.kept('repeated'), 2)), 'idempotency_key_reused', 'another priority is another request');

select test.sign_in(test.user_id('starter'));
select is(
  test.error('select pg_temp.start(''bad'', 0)'),
  '{"code": "priority_invalid", "status": 400, "message": "Only the owner of the flow may start a run with a `priority`.", "details": null, "hint": "Leave `priority` out."}',
  'another caller may give no priority'
);
select * from finish();
