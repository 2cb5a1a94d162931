select plan(2);

insert into public.nodes (type, data, sources, targets) values
  ('native', '{"node_id": "act", "version": "1", "display_name": ""}', '[{"name": "out", "type": "free"}]', '[]'),
  ('native', '{"node_id": "take", "version": "1", "display_name": ""}', '[]', '[{"name": "x", "type_bounds": []}]');
create function pg_temp.codes(port text) returns text[] language sql as $$
  select array(
    select w.warning ->> 'code' from jsonb_array_elements(private.flow_warnings(
      jsonb_build_array(jsonb_set(test.node('a', 'act', '{out,error}'), '{data,on_error}', '"output"'), test.node('t', 'take', '{}', '{x}')),
      jsonb_build_array(test.edge('a', codes.port, 't', 'x')), '{}'
    )) as w (warning)
  );
$$;
select is(pg_temp.codes('error'), '{}', 'an edge handles the failures');
select is(pg_temp.codes('out'), '{error_output_unused}', 'failures without an edge are lost');

select * from finish();
