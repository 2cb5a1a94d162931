select plan(7);

select test.create_user('owner');
select test.create_flow(test.user_id('owner')) from generate_series(1, 5);
select test.sign_in(test.user_id('owner'));

select is(
  test.error('update public.flows set nodes = jsonb_build_array(repeat(''a'', 4000000))') - '{details}'::text[],
  jsonb_build_object(
    'code', 'flows_too_large', 'status', 413, 'hint', 'Change fewer flows at once.',
    'message', 'One request may write at most 16 MiB of nodes and edges, in all flows together.'
  ),
  'one update that writes 4 MB to each of five flows is refused'
);
select is(
  test.error('update public.flows set nodes = jsonb_build_array(repeat(''a'', 3000000))'), null, 'one update that writes 3 MB to each of five flows is accepted'
);
select is(
  test.error('update public.flows set edges = jsonb_build_array(repeat(''a'', 1000000))') ->> 'code', 'flows_too_large',
  'further statements of the same request count, too'
);
select is(test.error('update public.flows set name = ''new'', nodes = nodes'), null, 'unchanged values do not count');

-- If the values do not change, the row keeps the stored values, and nothing is written.
select test.keep('chunks', sum(pg_column_toast_chunk_id(nodes)::bigint)::text) from public.flows;
update public.flows set nodes = jsonb_build_array(repeat('a', 3000000));
select is(
  (select sum(pg_column_toast_chunk_id(nodes)::bigint)::text from public.flows), test.kept('chunks'),
  'equal nodes are not stored again'
);

select test.sign_in_as_role('service_role');
select is(
  test.error('update public.flows set nodes = jsonb_build_array(repeat(''b'', 4000000)) where true'), null,
  'the service role has no limit'
);
update public.flows set nodes = '[1]' where true;
update public.flows set nodes = '[1.0]' where true;
select is((select min(nodes::text) from public.flows), '[1.0]', 'a number with another text is another value');

select * from finish();
