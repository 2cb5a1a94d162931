select plan(7);

select test.create_user('owner');
select test.create_user('publisher');
insert into private.node_publishers (user_id) values (test.user_id('publisher'));
select private.set_quota('node_bytes', 100000);

-- A definition with a text of this number of bytes, which compression can't shorten.
create function pg_temp.definition(id text, bytes integer) returns public.nodes language sql volatile as $$
  select jsonb_populate_record(null::public.nodes, jsonb_build_object(
    'type', 'native', 'sources', '[]'::jsonb, 'targets', '[]'::jsonb, 'data', jsonb_build_object(
      'node_id', definition.id, 'version', '1', 'display_name', 'x', 'description', (
        select string_agg(encode(extensions.gen_random_bytes(1000), 'base64'), '') from generate_series(1, definition.bytes / 1350)
      )
    )
  ));
$$;
create function pg_temp.post(id text, bytes integer) returns void language sql volatile as $$
  insert into public.nodes (type, data, sources, targets)
  select d.type, d.data, d.sources, d.targets from pg_temp.definition(post.id, post.bytes) as d
  on conflict (owner_key, node_id, version) do update set data = excluded.data;
$$;
grant execute on all functions in schema pg_temp to public;

select test.sign_in(test.user_id('owner'));
select lives_ok($$ select pg_temp.post('a', 60000) $$, 'a definition of 60 KB fits into a quota of 100 KB');
select is(
  test.error($$ select pg_temp.post('b', 60000) $$) -> 'details', '{"of": "node_bytes", "limit": 100000}',
  'a second one exceeds the quota'
);
select lives_ok($$ select pg_temp.post('b', 10000) $$, 'a small one fits');
select is(test.error_code($$ select pg_temp.post('b', 60000) $$), 'quota_exceeded', 'it can not grow beyond the quota');
select is(
  test.error_code($$
    update public.nodes set "targets_form.extra" = (select d.data from pg_temp.definition('x', 60000) as d) where node_id = 'b'
  $$), 'quota_exceeded', 'its form counts, too'
);
select test.sign_out();
select private.set_quota('node_bytes', 1000);
select test.sign_in(test.user_id('owner'));
select lives_ok($$ select pg_temp.post('a', 30000) $$, 'a definition beyond the quota can still be made smaller');

select test.sign_out();
select test.sign_in(test.user_id('publisher'));
select lives_ok($$ select pg_temp.post('c', 60000) $$, 'public definitions do not count');

select * from finish();
