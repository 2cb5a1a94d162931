select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();
select test.keep(name, gen_random_uuid()) from unnest('{open,ended,settled}'::text[]) as name;
select public.claim_flow_runs(10, 60);
select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(
  test.kept('run')::uuid,
  (
    select jsonb_agg(test.node_run(node, times, output => format('{"M": {"x": {"S": "%s"}}}', repeat('x', 1000))::jsonb))
    from unnest('{a,b}'::text[]) as node cross join generate_series(0, 9) as times
  ) || test.node_run('settled_caller') || (test.node_run('inner') || jsonb_build_object('flow_run_id', test.kept('open')))
    || (test.node_run('hidden') || jsonb_build_object('flow_run_id', test.kept('ended'))),
  '[]',
  jsonb_build_array(
    test.child(test.kept('open')::uuid, test.kept('run')::uuid, 7),
    test.child(test.kept('ended')::uuid, test.kept('run')::uuid, 8, 'failed', 'open_caller'),
    test.child(test.kept('settled')::uuid, test.kept('run')::uuid, 9, 'succeeded', 'settled_caller')
  )
));

create function pg_temp.pages(max_bytes integer) returns setof jsonb language plpgsql as $$
declare
  v_page jsonb;
begin
  loop
    v_page := public.flow_run_history_page(test.kept('run')::uuid, v_page -> 'next', max_bytes);
    return next v_page;
    exit when v_page -> 'next' = 'null';
  end loop;
end;
$$;
grant execute on function pg_temp.pages(integer) to public;
select test.sign_in_as_role('service_role');
create temporary view whole as select n from jsonb_array_elements(public.flow_run_history(test.kept('run')::uuid)::jsonb -> 'node_runs') as n;
select is((select count(*) from whole), 22::bigint, 'the runs that go on have this number of executions');
select set_eq(
  $$ select n from pg_temp.pages(4000) as page, jsonb_array_elements(page -> 'node_runs') as n $$, 'select n from whole',
  'the pages together equal the whole history'
);
select results_eq(
  $$ select count(*) from pg_temp.pages(4000) as page, jsonb_array_elements(page -> 'node_runs') $$, 'values (22::bigint)', 'the pages have each node run once'
);
select cmp_ok(max(octet_length(page::text)), '<', 8000, 'no page holds much more than was asked for') from pg_temp.pages(4000) as page;
select is(count(*), 22::bigint, 'each page has at least one node run') from pg_temp.pages(1) as page where page -> 'node_runs' <> '[]';
select is(
  (public.flow_run_history(test.kept('run')::uuid, 4000)::jsonb - '{children,transactions,log_counts,ended_executions}'::text[]),
  public.flow_run_history_page(test.kept('run')::uuid, null, 4000)::jsonb, 'the history has the first page'
);
select set_eq(
  $$ select c ->> 'id' from json_array_elements(public.flow_run_history(test.kept('run')::uuid, 4000) -> 'children') as c $$,
  array[test.kept('open'), test.kept('ended')], 'if a called run and its caller have both ended, the result is left out'
);
select is(
  public.flow_run_history_page(gen_random_uuid(), null, 1000)::jsonb, '{"node_runs": [], "next": null}', 'a deleted run has no pages'
);
select test.sign_in(test.user_id('owner'));
select is(
  test.error_code(format('select public.flow_run_history_page(%L)', test.kept('run'))), '42501', 'only the runner may read pages'
);

select * from finish();
