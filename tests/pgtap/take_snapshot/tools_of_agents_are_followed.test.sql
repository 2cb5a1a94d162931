select plan(5);

-- a has an agent with the tools b and c; b calls d; no agent calls e.
select test.create_user('owner');
select test.create_user('other');
select test.keep(name, test.create_flow(test.user_id('owner'))) from unnest('{a,b,c,d,e}'::text[]) as name;
select test.keep('foreign', test.create_flow(test.user_id('other')));
create function pg_temp.agent(tools jsonb) returns jsonb language sql as $$
  select jsonb_build_array(
    test.node('x', 'x'),
    test.node('agent', 'ai_agent', form_data => jsonb_build_object('id', test.kept('e')::integer, 'tools', tools))
  );
$$;
create function pg_temp.tool(flow text) returns jsonb language sql as $$
  select jsonb_build_object('flow', test.kept(flow)::integer, 'name', flow);
$$;
update public.flows set nodes = jsonb_build_array(
  test.node('call', 'interflow', form_data => jsonb_build_object('id', test.kept('d')::integer))
) where id = test.kept('b')::integer;
update public.flows set nodes = pg_temp.agent(jsonb_build_array(pg_temp.tool('b'), pg_temp.tool('c')))
where id = test.kept('a')::integer;

select test.keep('hash', test.take_snapshot(test.kept('a')::integer));
select is(
  (
    select string_agg(f.id, ' ' order by f.id::integer)
    from private.flow_snapshots as s cross join lateral jsonb_object_keys(s.data -> 'flows') as f (id)
    where s.hash = test.kept('hash')::bytea
  ),
  concat_ws(' ', test.kept('b'), test.kept('c'), test.kept('d')),
  'a snapshot has the flows of an agent''s tools, and those that they call'
);

create function pg_temp.refusal(tools jsonb) returns jsonb language plpgsql as $$
begin
  update public.flows set nodes = pg_temp.agent(tools) where id = test.kept('a')::integer;
  return test.error('select test.take_snapshot(test.kept(''a'')::integer)');
end;
$$;
select is(pg_temp.refusal('[]'), null, 'an agent without tools is accepted');
select is(pg_temp.refusal('{"flow": 1}'), null, 'tools that are no list are left to the run, which refuses them');
select is(
  pg_temp.refusal(jsonb_build_array(pg_temp.tool('b'), pg_temp.tool('foreign'), jsonb_build_object('name', 'none'))) -> 'details',
  (
    select jsonb_agg(jsonb_build_object(
      'flow_id', test.kept('a')::integer, 'code', 'interflow_flow_unknown', 'message', 'you have no flow with this id',
      'path', 'nodes[1].data.targets_form.form_data.' || field
    ))
    from unnest('{tools[1].flow,tools[2].flow}'::text[]) as field
  ),
  'a tool that is another owner''s flow, or no flow, is refused'
);
select is(
  private.interflow_references(pg_temp.agent(jsonb_build_array(pg_temp.tool('b'))))::text,
  format('(1,%s,tools[0].flow)', test.kept('b')), 'the id of an agent names no flow'
);

select * from finish();
