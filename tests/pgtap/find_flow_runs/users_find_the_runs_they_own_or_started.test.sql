select plan(29);

select test.create_user('owner'), test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('other'));
select test.keep('others_flow', test.create_flow(test.user_id('other')));
select test.sign_out();
insert into public.flow_run (
  id, created_at, user_id, flow_id, schedule_id, webhook_id, started_by, started_by_public_key, started_by_run_id, inputs,
  chain_network, status, start_time, end_time, errors, error_code
)
select r.id, private.uuid_v7_time(r.id), test.user_id(r.owner), test.kept(r.flow)::integer, r.schedule_id, r.webhook_id,
  case when r.starter is not null then test.user_id(r.starter) end, r.key, r.run_id, '{"M": {"word": {"S": "secret input"}}}',
  '{"cluster": "devnet"}', case when r.error is null then 'succeeded' else 'failed' end, now(), now(),
  case when r.error is not null then array[r.error] end, private.error_code(r.error)
from (values
  (private.uuid_v7(now() - interval '1 minute'), 'owner', 'flow', '0190a1c0-0000-7000-8000-000000000001'::uuid, null::uuid, 'owner', null, null::uuid,
    'Fetch a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11#2: Timed out'),
  (private.uuid_v7(now() - interval '2 minutes'), 'owner', 'flow', null, '0190a1c0-0000-7000-8000-000000000002', 'owner', null, null,
    'Fetch a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11: Timed out'),
  (private.uuid_v7(now() - interval '3 minutes'), 'owner', 'flow', null, null, 'other', null, null, 'worker_lost: 5 workers'),
  (private.uuid_v7(now() - interval '4 minutes'), 'owner', 'flow', null, null, null, 'So11111111111111111111111111111111111111112', null, null),
  (private.uuid_v7(now() - interval '5 minutes'), 'owner', 'flow', null, null, 'owner', null, '0190a1c0-0000-7000-8000-000000000003', null),
  (private.uuid_v7(now() - interval '2 days'), 'owner', 'flow', null, null, 'owner', null, null, null),
  (private.uuid_v7(now() - interval '6 minutes'), 'other', 'others_flow', null, null, 'other', null, null, null)
) as r (id, owner, flow, schedule_id, webhook_id, starter, key, run_id, error);
-- A called run is not in the list.
select test.child(private.uuid_v7(), (select min(id::text)::uuid from public.flow_run), test.kept('flow')::integer);

select test.sign_in(test.user_id('owner'));
create function pg_temp.starters(found jsonb) returns text language sql as
  $$ select string_agg(r ->> 'starter', ' ' order by r ->> 'id' desc) from jsonb_array_elements(found -> 'runs') as r $$;
create function pg_temp.email() returns text language sql security invoker as
  $$ select r ->> 'started_by_email' from jsonb_array_elements(public.find_flow_runs() -> 'runs') as r where r ->> 'starter' = 'user' order by r ->> 'id' desc limit 1 $$;
select is(pg_temp.starters(public.find_flow_runs()), 'schedule webhook user key flow user', 'the caller''s own runs are listed, the newest first, with their starters');
select is(public.find_flow_runs() -> 'is_complete', 'true', 'the answer says that the list is complete');
select is(public.find_flow_runs() -> 'runs' -> 0 ->> 'first_error', 'Fetch a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11#2: Timed out', 'each failed run has its first error');
select is(pg_temp.starters(public.find_flow_runs(search => 'timed OUT')), 'schedule webhook', 'a search finds a text of the errors in upper or lower case');
select is(pg_temp.starters(public.find_flow_runs(search => '%')), null, 'a % in a search is no wildcard');
select is(pg_temp.starters(public.find_flow_runs(search => 'secret input')), null, 'a search does not find texts of inputs');
select is(pg_temp.starters(public.find_flow_runs(search => 'So111111')), 'key', 'a search finds the beginning of a public key');
select is(pg_temp.starters(public.find_flow_runs(search => test.user_id('other')::text)), 'user', 'a search finds the id of the starter');
select is(pg_temp.starters(public.find_flow_runs(search => '0190a1c0-0000-7000-8000-000000000003')), 'flow', 'a search finds a run by its id');
select is(
  (select count(*) from public.flow_run as r where public.find_flow_runs(search => upper(r.id::text)) -> 'runs' -> 0 ->> 'id' = r.id::text and r.parent_flow_run_id is null),
  6::bigint, 'each run has its id'
);
select is(pg_temp.starters(public.find_flow_runs(starter => 'webhook')), 'webhook', 'runs can be selected by the kind of their starter');
select is(pg_temp.starters(public.find_flow_runs(status => 'failed', webhook => '0190a1c0-0000-7000-8000-000000000002')), 'webhook', 'several conditions can be combined');
select is(pg_temp.starters(public.find_flow_runs(until => now() - interval '1 day')), 'user', 'runs before `until` are found');
select is(pg_temp.starters(public.find_flow_runs(since => now() - interval '90 seconds')), 'schedule', 'runs since a time are found');
select is(pg_temp.starters(public.find_flow_runs(skip => 1, take => 2)), 'webhook user', 'a page of the list can be read');
select is(pg_temp.starters(public.find_flow_runs(flow => test.kept('others_flow')::integer)), null, 'runs of another user''s flow are not listed');
select is(
  public.flow_run_overview() -> 'failures' #- '{0,last_id}' #- '{1,last_id}',
  '[{"node_id": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "node": "Fetch", "code": null, "message": "Timed out", "count": 2},
    {"node_id": null, "node": null, "code": "worker_lost", "message": "worker_lost: 5 workers", "count": 1}]',
  'failures are counted by node and text, with or without a code'
);
select is(public.flow_run_overview() -> 'by_status', '{"failed": 3, "succeeded": 2}', 'the overview counts the last day');
select is(public.flow_run_overview(since => now() - interval '3 days', status => 'succeeded') -> 'runs', '3', 'the overview counts the runs of the filter');
select is(test.error_code(format('select public.find_flow_runs(search => %L)', repeat('a', 201))), 'request_invalid', 'a long search is refused');
select is(test.error_code($$ select public.find_flow_runs(starter => 'me') $$), 'request_invalid', 'an unknown kind of starter is refused');
select is(test.error_code($$ select public.find_flow_runs(since => '-infinity') $$), 'request_invalid', 'an impossible time is refused');
select test.sign_in(test.user_id('other'));
select is(pg_temp.starters(public.find_flow_runs()), 'user user', 'the starter finds the started run of another user''s flow, too');
select is(public.find_flow_runs() -> 'runs' -> 0 ->> 'flow_name', null, 'the starter does not read the name of a flow that the starter may not see');

-- The owner reads who started a run, if the address is confirmed.
select test.sign_out();
select test.sign_in(test.user_id('owner'));
select is(pg_temp.email(), null, 'an address that is not confirmed is not shown');
select test.sign_out();
update auth.users set email_confirmed_at = now() where id = test.user_id('other');
select test.sign_in(test.user_id('owner'));
select is(pg_temp.email(), 'other@example.com', 'the owner reads the address of the starter');

-- The owner has 6 runs, and started 4 of them. Both indexes, by owner and by starter, contain these 4.
select test.sign_out();
create or replace function private.limit_runs_searched() returns integer language sql immutable return 7;
select test.sign_in(test.user_id('owner'));
select is(public.find_flow_runs() -> 'is_complete', 'true', 'a run that the user owns and started counts once');
select test.sign_out();
create or replace function private.limit_runs_searched() returns integer language sql immutable return 6;
select test.sign_in(test.user_id('owner'));
select is(public.find_flow_runs() -> 'is_complete', 'false', 'the answer says that there may be more runs');

select test.sign_in_as_role('anon');
select is(test.error_code('select public.find_flow_runs()'), 'unauthenticated', 'a caller who is not a user is refused');

select * from finish();
