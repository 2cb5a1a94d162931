select plan(11);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));

-- Returns nodes of this number of bytes, which compression can't shorten.
create function pg_temp.noise(bytes integer) returns jsonb language sql volatile as $$
  select jsonb_build_array(string_agg(encode(extensions.gen_random_bytes(1000), 'base64'), '')) from generate_series(1, noise.bytes / 1350);
$$;
grant execute on function pg_temp.noise(integer) to public;

select test.sign_out();
select private.set_quota('flow_bytes', 100000);
select test.sign_in(test.user_id('owner'));
select lives_ok($$ insert into public.flows (nodes) values (pg_temp.noise(60000)) $$, 'a flow of 60 KB fits into a quota of 100 KB');
select is(
  test.error($$ insert into public.flows (nodes) values (pg_temp.noise(60000)) $$) -> 'details',
  '{"of": "flow_bytes", "limit": 100000}', 'a second flow exceeds the quota'
);
select lives_ok(
  $$ insert into public.flows (nodes) values (jsonb_build_array(repeat('x', 200000))) $$, 'a flow counts with its compressed size'
);
select is(
  test.error_code($$ update public.flows set edges = pg_temp.noise(60000) where true $$), 'quota_exceeded', 'the two flows can not grow beyond the quota'
);
select lives_ok($$ update public.flows set name = 'renamed' where true $$, 'other changes are allowed beyond the quota');
select test.sign_out();
select private.set_quota('flow_bytes', 1000);
select test.sign_in(test.user_id('owner'));
select lives_ok(
  $$ update public.flows set nodes = pg_temp.noise(50000) where pg_column_size(nodes) > 50000 $$, 'a flow beyond the quota can still be made smaller'
);
select is(
  test.error_code($$ update public.flows set nodes = pg_temp.noise(60000) where pg_column_size(nodes) > 40000 $$),
  'quota_exceeded', 'the flow can not grow'
);

-- If several deployments have the same snapshot, its bytes count only once.
select test.sign_out();
select private.set_quota('flow_bytes', null), private.set_quota('deployment_bytes', 100000);
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(
  auth.uid(), jsonb_build_array(test.node('a', 'flow_input', array['x'], form_data => jsonb_build_object('label', 'x', 'noise', pg_temp.noise(60000))))
));
select is(test.error_code($$ select test.deploy(test.kept('flow')::integer) $$), null, 'a deployment of 60 KB fits into a quota of 100 KB')
from generate_series(1, 2);
update public.flows set environment = '{"VERSION": "2"}' where id = test.kept('flow')::integer;
select is(
  test.error($$ select test.deploy(test.kept('flow')::integer) $$) -> 'details',
  '{"of": "deployment_bytes", "limit": 100000}', 'a deployment of the edited flow exceeds the quota'
);
delete from public.flow_deployments where true;
select is(test.error_code($$ select test.deploy(test.kept('flow')::integer) $$), null, 'when the other deployments are deleted, a new one fits');

select * from finish();
