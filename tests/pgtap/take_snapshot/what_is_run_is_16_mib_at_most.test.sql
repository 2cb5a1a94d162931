select plan(5);

-- Each flow is small enough to be stored. The limit applies to a flow together with the flows that it calls.
select test.create_user('owner');
select test.keep('half', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('a', 'x', form_data => to_jsonb(repeat('a', 8000000)))
)));
select test.keep('other_half', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('b', 'x', form_data => to_jsonb(repeat('b', 8000000)))
)));
select test.keep('rest', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('c', 'x', form_data => to_jsonb(repeat('c', 1000000)))
)));
select test.keep('entry', test.create_flow(test.user_id('owner')));

create function pg_temp.refusal(called text[]) returns jsonb language plpgsql as $$
begin
  update public.flows as f
  set nodes = (
    select jsonb_agg(test.node(name || n, 'interflow', form_data => jsonb_build_object('id', test.kept(name)::integer)))
    from unnest(called) with ordinality as c (name, n)
  )
  where f.id = test.kept('entry')::integer;
  return test.error('select test.take_snapshot(test.kept(''entry'')::integer)');
end;
$$;

select is(pg_temp.refusal('{half}'), null, 'a call of a large flow is accepted');
select is(pg_temp.refusal('{half,other_half}'), null, 'calls of two large flows are accepted');
select is(pg_temp.refusal('{half,half,entry,half}'), null, 'several calls of one flow are accepted, because it is frozen once');
select is(
  pg_temp.refusal('{half,other_half,rest}'),
  jsonb_build_object(
    'code', 'flow_invalid', 'status', 422, 'hint', null,
    'message', 'The flow can''t run: the flow and the flows that it calls are larger than 16 MiB together.',
    'details', jsonb_build_array(jsonb_build_object(
      'flow_id', test.kept('entry')::integer, 'code', 'snapshot_too_large', 'path', 'nodes',
      'message', 'the flow and the flows that it calls are larger than 16 MiB together'
    ))
  ),
  'calls of more large flows are refused'
);
select is(
  test.error('select test.take_snapshot(test.kept(''other_half'')::integer)'), null, 'each of these flows alone is accepted'
);

select * from finish();
