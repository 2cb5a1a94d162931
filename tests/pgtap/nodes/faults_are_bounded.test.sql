select plan(6);

create function pg_temp.faults(definition jsonb) returns jsonb language sql as $$
  select private.node_definition_faults(
    '{"type": "native", "data": {"node_id": "x", "version": "1", "display_name": "x"}, "sources": [], "targets": []}'::jsonb || definition
  );
$$;
create function pg_temp.with_options(options jsonb) returns jsonb language sql as $$
  select pg_temp.faults(jsonb_build_object('data', jsonb_build_object('node_id', 'x', 'version', '1', 'display_name', 'x', 'options', options)));
$$;

select is(
  pg_temp.with_options(jsonb_build_object(repeat('m', 150000), (select jsonb_agg(true) from generate_series(1, 10000)))),
  jsonb_build_array(jsonb_build_object(
    'path', 'data.options.' || repeat('m', 100) || '…', 'message', 'has a name of more than 256 characters'
  )), 'a long name is shortened in its fault, and is not copied into the paths below it'
);
select is(pg_temp.with_options(jsonb_build_object(repeat('ü', 256), 1)), '[]', 'a name of 256 characters is accepted');
select test.keep('nested', (select jsonb_agg(true) from generate_series(1, 10000)));
do $$
begin
  for v_level in 1..50 loop
    perform test.keep('nested', jsonb_build_object(v_level || repeat('m', 240), test.kept('nested')::jsonb));
  end loop;
end $$;
select is(pg_temp.with_options(test.kept('nested')::jsonb), '[]', 'long paths to many values are built only for faults');
select is(
  jsonb_array_length(pg_temp.faults(jsonb_build_object('sources', (select jsonb_agg(0) from generate_series(1, 20000))))), 100,
  'the first 100 of many faults are listed'
);
select is(
  pg_temp.faults(jsonb_build_object('targets', jsonb_build_array(jsonb_build_object('name', repeat('n', 257), 'type_bounds', '[]'::jsonb)))),
  '[{"path": "targets[0].name", "message": "must have at most 256 characters"}]', 'the name of a port has 256 characters at most'
);
select ok(
  octet_length(test.error(format($$ insert into public.nodes (type, data, sources, targets) values ('native', %L, '[]', '[]') $$,
    jsonb_build_object('node_id', repeat('n', 200000))))::text) < 2000, 'names in a refusal are shortened'
);

select * from finish();
