select plan(27);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));

-- Lists a statement for each quota. The statement stores one more row that counts towards the quota.
create temporary table stored as values
  ('flows', $$ insert into public.flows (name) values ('flow') $$),
  ('deployments', $$ select test.deploy(test.kept('flow')::integer) $$),
  ('tags', $$ insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
    select d.entrypoint, 't' || gen_random_uuid(), d.id from public.flow_deployments as d where d.user_id = auth.uid() limit 1 $$),
  ('api_keys', $$ select public.create_api_key('key') $$),
  ('nodes', $$ insert into public.nodes (type, data, sources, targets) select n.type,
    n.data || jsonb_build_object('node_id', 'n' || gen_random_uuid()), n.sources, n.targets from public.nodes as n limit 1 $$),
  ('wallets', $$ insert into public.wallets (type, public_key)
    values ('ADAPTER', '1111111111111111111111111111111' || (array['1', '2', '3', '4', '5', '6'])[1 + (select count(*)::integer from public.wallets)]) $$);
grant select on stored to public;

select test.sign_in_as_role('service_role');
select lives_ok(
  $$ insert into public.nodes (type, data, sources, targets)
    values ('native', '{"node_id": "public", "version": "1", "display_name": "A"}', '[]', '[]') $$, 'a public definition'
);
select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept('flow')::integer);

-- Each quota is set to two more than the present number of rows.
select test.sign_out();
create function pg_temp.allow(more integer) returns void language sql as $$
  select private.set_quota(s.column1, private.quota_use(s.column1, test.user_id('owner')) + allow.more) from stored as s;
$$;
select pg_temp.allow(2);
select test.sign_in(test.user_id('owner'));
select is(test.error_code(s.column2), null, s.column1 || ': rows up to the quota are stored') from stored as s, generate_series(1, 2);
select is(e #>> '{code}', 'quota_exceeded', s.column1 || ': a row beyond the quota is refused') from stored as s, test.error(s.column2) as e;
select is(
  e -> 'details', jsonb_build_object('of', s.column1, 'limit', private_quota.value), s.column1 || ': the error has the quota'
)
from stored as s cross join test.error(s.column2) as e
cross join lateral (select (e #>> '{details,limit}')::integer as value) as private_quota;

-- Another user's rows count separately.
select test.sign_in(test.user_id('other'));
select is(test.error_code($$ insert into public.flows (name) values ('flow') $$), null, 'another user has a separate quota');

-- Deleted rows do not count any more.
select test.sign_in(test.user_id('owner'));
delete from public.flows as f where f.id = (select max(f.id) from public.flows as f where f.user_id = auth.uid());
select is(test.error_code($$ insert into public.flows (name) values ('flow') $$), null, 'after a deletion, a new row is accepted');

select * from finish();
