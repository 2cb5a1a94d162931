select plan(5);

select test.create_user('owner');
select test.keep('called', test.create_flow(test.user_id('owner')));
select test.keep('flow', test.create_flow(test.user_id('owner')));
create function pg_temp.calls(label text, on_error jsonb, port text default 'x') returns text language plpgsql as $$
begin
  update public.flows as f set nodes = jsonb_build_array(test.node('o', 'flow_output', '{}', array[port], jsonb_strip_nulls(jsonb_build_object('label', label))))
  where f.id = test.kept('called')::integer;
  update public.flows as f set nodes = jsonb_build_array(
    test.node('first', 'x'),
    jsonb_set(test.node('call', 'interflow', '{error}', '{}', jsonb_build_object('id', test.kept('called')::integer)), '{data,on_error}', on_error)
  ) where f.id = test.kept('flow')::integer;
  return test.error(format('select test.take_snapshot(%s)', test.kept('flow'))) #>> '{details,0}';
end;
$$;

select is(
  pg_temp.calls('error', '"output"')::jsonb - 'flow_id',
  '{"code": "error_output_taken", "path": "nodes[1].data.on_error", "message": "the called flow already has an output \"error\", so this node can''t have on_error"}',
  'a called flow with an output named error is found'
);
select is(
  pg_temp.calls(null, '"output"', 'error')::jsonb ->> 'code', 'error_output_taken', 'a called flow whose output has the port name error is found'
);
select is(pg_temp.calls('other', '"output"'), null, 'a called flow with another output is no finding');
select is(pg_temp.calls('error', 'null'), null, 'a call whose failure is not handled is no finding');
select is(
  (select s.data #> '{entry,nodes,1,data,on_error}' from private.flow_snapshots as s where s.hash = test.take_snapshot(test.kept('flow')::integer)),
  null, 'null is not kept'
);

select * from finish();
