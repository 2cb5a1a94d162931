select plan(12);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.queued_claim(test.deploy(test.create_flow(test.user_id('owner'))), 'failed');
select test.sign_out();
select test.keep(name, gen_random_uuid()) from unnest('{open,settled,inner}'::text[]) as name;
select public.checkpoint_flow_run(test.kept('failed')::uuid, 1, 60, test.progress(
  test.kept('failed')::uuid,
  (
    select jsonb_agg(test.node_run(node, times, output => format('{"M": {"x": {"S": "%s"}}}', repeat('x', 1000))::jsonb))
    from unnest('{a,b}'::text[]) as node cross join generate_series(0, 9) as times
  ) || test.node_run('settled_caller') || (test.node_run('open_caller', output => null) || '{"errors": ["failed"]}')
    || (test.node_run('one') || jsonb_build_object('flow_run_id', test.kept('open')))
    || (test.node_run('hidden') || jsonb_build_object('flow_run_id', test.kept('settled'))),
  '[]',
  jsonb_build_array(
    test.child(test.kept('open')::uuid, test.kept('failed')::uuid, 7, 'failed', 'open_caller'),
    test.child(test.kept('settled')::uuid, test.kept('failed')::uuid, 8, 'succeeded', 'settled_caller')
  )
));
select private.end_flow_run(test.kept('failed')::uuid, 'failed', errors => '{x}');
update public.node_run set attempt = 2 where flow_run_id = test.kept('failed')::uuid and node_id = test.node_id('a') and times = 3;
select test.sign_in(test.user_id('owner'));
select test.keep('redriven', public.redrive_flow_run(test.kept('failed')::uuid) ->> 'flow_run_id');
select test.sign_out();

create function pg_temp.pages(max_bytes integer) returns setof jsonb language plpgsql as $$
declare
  v_page jsonb;
begin
  loop
    v_page := public.earlier_flow_runs(test.kept('redriven')::uuid, v_page -> 'next', max_bytes);
    return next v_page;
    exit when v_page -> 'next' = 'null';
  end loop;
end;
$$;
grant execute on function pg_temp.pages(integer) to public;
select test.sign_in_as_role('service_role');
create temporary view whole as select public.earlier_flow_runs(test.kept('redriven')::uuid)::jsonb as page;
select is(page -> 'roots', jsonb_build_array(test.kept('failed')), 'the first page has the run that the redrive continues') from whole;
select is(
  page -> 'children', jsonb_build_array(jsonb_build_object(
    'id', test.kept('open'), 'parent_flow_run_id', test.kept('failed'), 'parent_node_id', test.node_id('open_caller'), 'parent_times', 0
  )), 'the first page has the runs that this run called, without those whose calls succeeded'
) from whole;
select is(jsonb_array_length(page -> 'node_runs'), 23, 'the page has the executions of both runs') from whole;
select set_eq(
  $$ select n from pg_temp.pages(4000) as page, jsonb_array_elements(page -> 'node_runs') as n $$,
  $$ select n from whole, jsonb_array_elements(page -> 'node_runs') as n $$, 'the pages together have all executions'
);
select is(
  array_agg(n -> 'attempt' order by n -> 'times') filter (where n ->> 'node_id' = test.node_id('a')::text and (n ->> 'times')::integer in (2, 3)),
  '{1,2}', 'with the attempts, which count for the limit of executions'
) from whole, jsonb_array_elements(page -> 'node_runs') as n;
select is(count(*), 23::bigint, 'the pages have each execution once') from pg_temp.pages(4000) as page, jsonb_array_elements(page -> 'node_runs') as n;
select is(count(*), 1::bigint, 'only the first names the runs') from pg_temp.pages(4000) as page where page -> 'roots' <> '[]';
select is(earlier_output_bytes, 0::bigint, 'a claim reports the approximate size of the earlier outputs') from public.claim_flow_runs(1, 60);

-- A checkpoint names executions to take over. The database copies their rows, only from runs of the same owner, and
-- only once.
select public.checkpoint_flow_run(test.kept('redriven')::uuid, 1, 60, test.progress(test.kept('redriven')::uuid) || jsonb_build_object('taken_over', jsonb_build_array(
  jsonb_build_object('flow_run_id', test.kept('redriven'), 'node_id', test.node_id('a'), 'times', 7, 'from_flow_run_id', test.kept('failed'), 'from_times', 3)
))) from generate_series(1, 2);
select test.sign_out();
select is(
  (select to_jsonb(n) - '{flow_run_id,times,is_taken_over}'::text[] from public.node_run as n where n.is_taken_over),
  (select to_jsonb(n) - '{flow_run_id,times,is_taken_over}'::text[] from public.node_run as n where n.flow_run_id = test.kept('failed')::uuid and n.node_id = test.node_id('a') and n.times = 3),
  'a copied execution keeps its attempt, times, inputs and outputs'
);
select is(
  array_agg(format('%s %s', k.event, k.times) order by e.first_number + k.position), '{node_start 7,node_finish 7}', 'each execution that is taken over has its events once, with its place in this run'
)
from private.flow_run_events as e
cross join lateral unnest(e.events) with ordinality as k (event, flow_run_id, node_id, times, log_index, request_id, input_id, position)
where e.root_flow_run_id = test.kept('redriven')::uuid;
update public.node_run set user_id = gen_random_uuid() where flow_run_id = test.kept('failed')::uuid;
select public.checkpoint_flow_run(test.kept('redriven')::uuid, 1, 60, test.progress(test.kept('redriven')::uuid) || jsonb_build_object('taken_over', jsonb_build_array(
  jsonb_build_object('flow_run_id', test.kept('redriven'), 'node_id', test.node_id('a'), 'times', 8, 'from_flow_run_id', test.kept('failed'), 'from_times', 4)
)));
select is(count(*), 1::bigint, 'no execution of another owner is copied') from public.node_run as n where n.is_taken_over;
select test.sign_in(test.user_id('owner'));
select is(test.error_code(format('select public.earlier_flow_runs(%L)', test.kept('redriven'))), '42501', 'users may not call earlier_flow_runs');

select * from finish();
