select plan(9);

select test.create_user('owner');
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  jsonb_build_array(
    test.node('before', 'const', '{x}'), test.node('a', 'print', '{x}'), test.node('b', 'print', '{x}'),
    test.node('given', 'print', '{x}'), test.node('only', 'print', '{}', '{x,y,z}')
  ),
  jsonb_build_array(
    test.edge('a', 'x', 'only', 'x'), test.edge('b', 'x', 'only', 'y'), test.edge('given', 'x', 'only', 'z')
  )
));
create function pg_temp.earlier(run text) returns void language plpgsql volatile as $$
begin
  perform test.sign_in(test.user_id('owner'));
  perform test.keep(run, public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id');
  perform test.sign_out();
  perform test.claim_all();
  perform public.checkpoint_flow_run(test.kept(run)::uuid, 1, 60, test.progress(test.kept(run)::uuid, (
    select jsonb_agg(test.node_run(node, times)) from unnest('{before,a,b,given}'::text[]) as node cross join generate_series(0, 2) as times
  )) || '{"output_bytes": 500}');
  perform private.end_flow_run(test.kept(run)::uuid, 'failed', errors => '{x}');
end;
$$;
select pg_temp.earlier(run) from unnest('{first,second,unused}'::text[]) as run;
select test.sign_in(test.user_id('owner'));
select test.keep('partial', public.start_flow(test.kept('flow')::integer, partial_config => jsonb_build_object(
  'only_nodes', jsonb_build_array(test.node_id('only')),
  'values_config', jsonb_build_object(
    'nodes', jsonb_build_object(test.node_id('b'), test.kept('second'), test.node_id('before'), test.kept('unused')),
    'default_run_id', test.kept('first'), 'inline', jsonb_build_object(test.node_id('given'), '{"x": {"S": "by hand"}}'::jsonb)
  )
)) ->> 'flow_run_id');
select test.sign_out();

create function pg_temp.stored(run text) returns jsonb language sql stable as
  $$ select j.settings -> 'partial_config' from private.flow_run_jobs as j where j.flow_run_id = test.kept($1)::uuid $$;
select is(pg_temp.stored('partial'), jsonb_build_object(
  'only_nodes', jsonb_build_array(test.node_id('only')),
  'runs', jsonb_build_object(test.node_id('a'), test.kept('first'), test.node_id('b'), test.kept('second')),
  'inline', jsonb_build_object(test.node_id('given'), '{"x": {"S": "by hand"}}'::jsonb)
), 'the job names a run for each node that feeds a node that runs');

create function pg_temp.pages(run text, max_bytes integer) returns setof jsonb language plpgsql as $$
declare
  v_page jsonb;
begin
  loop
    v_page := public.earlier_flow_runs(test.kept(run)::uuid, v_page -> 'next', max_bytes);
    return next v_page;
    exit when v_page -> 'next' = 'null';
  end loop;
end;
$$;
create function pg_temp.read(run text, max_bytes integer default 4194304) returns setof text language sql as $$
  select format('%s %s %s', n ->> 'flow_run_id', n ->> 'node_id', n ->> 'times')
  from pg_temp.pages(run, max_bytes) as page, jsonb_array_elements(page -> 'node_runs') as n;
$$;
grant execute on function pg_temp.pages(text, integer), pg_temp.read(text, integer) to public;
create function pg_temp.expected() returns setof text language sql as $$
  select format('%s %s %s', test.kept(run), test.node_id(node), times)
  from (values ('first', 'a'), ('second', 'b')) as f (run, node) cross join generate_series(0, 2) as times;
$$;
grant execute on function pg_temp.expected() to public;
select test.sign_in_as_role('service_role');
select bag_eq($$ select pg_temp.read('partial') $$, $$ select pg_temp.expected() $$, 'the run reads only these nodes of the named runs');
select bag_eq($$ select pg_temp.read('partial', 1) $$, $$ select pg_temp.expected() $$, 'pages with one row each have the same rows');
select is(page -> 'roots', '[]', 'a partial run takes over no executions') from pg_temp.pages('partial', 100000) as page;
select is(c.earlier_output_bytes, 1000::bigint, 'a claim says how much memory the named runs need')
from public.claim_flow_runs(1, 60) as c;
select test.sign_out();

-- No worker has executed this run, so the database itself lists the nodes that did not run.
select private.end_flow_run(test.kept('partial')::uuid, 'failed', errors => '{x}');
select is(
  (select r.not_run from public.flow_run as r where r.id = test.kept('partial')::uuid), array[test.node_id('only')],
  'not_run lists only nodes that were selected to run'
);
select test.sign_in(test.user_id('owner'));
select test.keep('redrive', public.redrive_flow_run(test.kept('partial')::uuid) ->> 'flow_run_id');
select test.sign_out();
select is(pg_temp.stored('redrive'), pg_temp.stored('partial'), 'a redrive keeps the named runs');
select test.sign_in_as_role('service_role');
select bag_eq($$ select pg_temp.read('redrive') $$, $$ select pg_temp.expected() $$, 'a redrive reads the same nodes again');
select is(page -> 'roots', jsonb_build_array(test.kept('partial')), 'a redrive also reads the executions that it takes over')
from pg_temp.pages('redrive', 100000) as page;

select * from finish();
