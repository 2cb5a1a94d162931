select plan(8);

select test.create_user('owner');
select test.create_user('other');
create function pg_temp.refusal(statement text default 'select test.start_by_key()') returns jsonb language plpgsql as $$
declare
  v_detail text;
begin
  execute statement;
  return null;
exception when sqlstate 'PGRST' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return v_detail::jsonb || jsonb_build_object(
    'code', sqlerrm::jsonb ->> 'code', 'message', sqlerrm::jsonb ->> 'message', 'details', (sqlerrm::jsonb ->> 'details')::jsonb
  );
end;
$$;
grant execute on function pg_temp.refusal(text) to public;

select test.sign_in(test.user_id('owner'));
select test.deploy_limited(max_starts_per_minute => 0);
select test.sign_in_as_role('anon');
select is(pg_temp.refusal() - 'headers', '{
  "status": 429, "code": "start_limit_reached", "message": "This deployment has reached its max_starts_per_minute: 0.",
  "details": {"limit": "max_starts_per_minute", "value": 0, "of": "all"}
}', 'if 0 starts a minute are allowed, each start is refused');
select ok(
  (pg_temp.refusal() #>> '{headers,Retry-After}')::integer between 1 and 60, 'Retry-After is the end of the minute'
);
select is(
  pg_temp.refusal($$ select public.start_deployment(id => test.kept('deployment')::uuid, public_key => 'no key') $$) ->> 'code',
  'public_key_invalid', 'other faults of the start are reported before the limit'
);
select is(
  pg_temp.refusal($$ select public.start_deployment(
    id => test.kept('deployment')::uuid, public_key => 'So11111111111111111111111111111111111111112', inputs => '[]'
  ) $$) ->> 'code', 'inputs_invalid', 'faults of the inputs are reported before the limit'
);

select test.sign_in(test.user_id('owner'));
update public.flow_deployments set start_permission = 'Owner' where true;
select test.sign_in(test.user_id('other'));
select is(pg_temp.refusal() -> 'status', '404', 'a caller who may not start the deployment learns nothing about its limits');

select test.sign_in(test.user_id('owner'));
select test.deploy_limited(max_runs_in_flight => 1);
select test.sign_in_as_role('anon');
select is(pg_temp.refusal(), null, 'if one run in flight is allowed, one start is accepted');
select is(pg_temp.refusal(), '{
  "status": 429, "headers": {"Retry-After": "5"}, "code": "start_limit_reached",
  "message": "This deployment has reached its max_runs_in_flight: 1.", "details": {"limit": "max_runs_in_flight", "value": 1, "of": "all"}
}', 'a second start is refused');
select test.sign_out();
select is(count(*), 1::bigint, 'a refused start leaves no rows behind') from private.flow_run_jobs;

select * from finish();
