select plan(8);

select test.create_user('owner');
select test.keep('owner', test.user_id('owner'));
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), '[]'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.queued_claim(test.kept('deployment')::uuid);
select test.queued_claim(test.kept('deployment')::uuid, 'failed');
select test.sign_out();
select public.finish_flow_run(test.kept('failed')::uuid, 1, 'failed', null, '{broken}', null, '{}');
select test.keep('token', private.make_claim_token(test.kept('run')::uuid, 1) ->> 'token');

-- Makes this call as a node of a run with this depth. Returns the depth of the run that the call starts, or the code of
-- the error.
create function pg_temp.started_by_a_run_of(depth integer, call text) returns text language plpgsql as $$
declare
  v_answer jsonb;
begin
  update private.flow_run_jobs set chain_depth = depth where flow_run_id = test.kept('run')::uuid;
  perform set_config('request.headers', json_build_object('x-flow-claim-token', test.kept('token'))::text, true);
  perform set_config('role', 'anon', true);
  perform private.pre_request();
  execute 'select ' || call into v_answer;
  perform test.sign_out();
  return coalesce(
    (select j.chain_depth::text from private.flow_run_jobs as j where j.flow_run_id = (v_answer ->> 'flow_run_id')::uuid),
    v_answer ->> 'code'
  );
exception when sqlstate 'PGRST' then
  return sqlerrm::json ->> 'code';
end;
$$;
create temporary table calls (name, call) as values
  ('a deployment', format('public.start_deployment(id => %L)', test.kept('deployment'))),
  ('a flow', format('public.start_flow(%s)', test.kept('flow'))),
  ('a redrive', format('public.redrive_flow_run(%L)', test.kept('failed')));

select is(pg_temp.started_by_a_run_of(16, call), 'start_loop', 'a run of depth 16 can not start ' || name) from calls;
select is(pg_temp.started_by_a_run_of(15, call), '16', 'the depth grows by one at a start of ' || name) from calls;
select is(
  (select array_agg(r.started_by_run_id) from public.flow_run as r where r.started_by_run_id is not null),
  array[test.kept('run')::uuid, test.kept('run')::uuid], 'a run names the run whose node started it; a redrive does not'
);

-- The limit of the queue also applies to starts by nodes, so runs that start runs can't fill the queue.
select private.set_max_queue_length(0);
select is(pg_temp.started_by_a_run_of(0, call), 'queue_full', 'a node starts no run while the queue is full')
from calls where name = 'a deployment';

select * from finish();
