select plan(7);

select test.create_user('owner');
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  jsonb_build_array(test.node('a', 'print', '{x}'), test.node('b', 'print', '{x}'), test.node('c', 'print', '{}', '{x,y}')),
  jsonb_build_array(test.edge('a', 'x', 'c', 'x'), test.edge('b', 'x', 'c', 'y'))
));
select test.sign_in(test.user_id('owner'));
insert into public.flow_pins (flow_id, node_id, outputs)
select test.kept('flow')::integer, test.node_id(name), format('{"x": {"S": "pin of %s"}}', name)::jsonb
from unnest('{a,b,c,gone}'::text[]) as name;
select test.keep('run', public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id');
select test.start_and_keep('deployed', test.deploy(test.kept('flow')::integer));
create function pg_temp.settings(run text) returns jsonb language sql stable as
  'select j.settings from private.flow_run_jobs as j where j.flow_run_id = test.kept($1)::uuid';
create function pg_temp.pins(variadic names text[]) returns jsonb language sql as $$
  select jsonb_object_agg(test.node_id(name), format('{"x": {"S": "pin of %s"}}', name)::jsonb) from unnest(names) as name
$$;
select test.sign_out();
select is(pg_temp.settings('run') -> 'pins', pg_temp.pins('a', 'b', 'c'), 'the job has the pins of the flow''s nodes');
select is(pg_temp.settings('deployed') -> 'pins', null, 'a run of a deployment has no pins');
select private.end_flow_run(test.kept('run')::uuid, 'failed', errors => '{x}');

select test.sign_in(test.user_id('owner'));
select test.keep('partial', public.start_flow(test.kept('flow')::integer, partial_config => jsonb_build_object(
  'only_nodes', jsonb_build_array(test.node_id('c')), 'values_config', jsonb_build_object('default_run_id', test.kept('run'))
)) ->> 'flow_run_id');
select test.keep('named', public.start_flow(test.kept('flow')::integer, partial_config => jsonb_build_object(
  'only_nodes', jsonb_build_array(test.node_id('c')), 'values_config', jsonb_build_object(
    'nodes', jsonb_build_object(test.node_id('a'), test.kept('run')),
    'inline', jsonb_build_object(test.node_id('b'), '{"x": {"S": "by hand"}}'::jsonb)
  )
)) ->> 'flow_run_id');
delete from public.flow_pins where true;
select test.keep('redrive', public.redrive_flow_run(test.kept('run')::uuid) ->> 'flow_run_id');
select test.sign_out();
select is(
  pg_temp.settings('partial') #> '{partial_config,inline}', pg_temp.pins('a', 'b'),
  'a partial run has the pins of nodes that do not run, instead of values of its default run'
);
select is(pg_temp.settings('partial') -> 'pins', null, 'a selected node runs although it is pinned');
select is(
  pg_temp.settings('named') #> '{partial_config,inline}', jsonb_build_object(test.node_id('b'), '{"x": {"S": "by hand"}}'::jsonb),
  'values by hand, and a run that is named for the node, take precedence over pins'
);
select is(
  pg_temp.settings('named') #> '{partial_config,runs}', jsonb_build_object(test.node_id('a'), test.kept('run')), 'the named run feeds the node'
);
select is(pg_temp.settings('redrive') -> 'pins', pg_temp.pins('a', 'b', 'c'), 'a redrive keeps pins that were deleted meanwhile');

select * from finish();
