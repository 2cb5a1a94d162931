select plan(13);

select test.create_user('owner');
select test.create_user('other');
select test.keep('private', test.create_flow(test.user_id('owner')));
select test.keep('public', test.create_flow(test.user_id('owner'), '[{"data": {"form": "shown"}}]', '[{"a": 1}]'));
update public.flows
set is_public = true, name = 'shared', environment = '{"KEY": "secret"}',
  chain_network = '{"url": "https://rpc.example.com/?key=secret", "cluster": "mainnet-beta", "note": "secret"}'
where id = test.kept('public')::integer;

create temporary view seen with (security_invoker = true) as
  select array_agg(id order by id) as ids from public.public_flows
  where id in (test.kept('private')::integer, test.kept('public')::integer);
grant select on seen to public;

select test.sign_in(test.user_id('other'));
select is(ids, array[test.kept('public')]::integer[], 'another user sees the public flow') from seen;
select is(
  to_jsonb(p) - '{id,user_id,created_at,updated_at}'::text[],
  '{"name": "shared", "description": "", "nodes": [{"data": {"form": "shown"}}], "edges": [{"a": 1}], "chain_network": {"cluster": "mainnet-beta"}, "instructions_bundling": "Off", "start_shared": false, "start_unverified": false}',
  'a public flow has its graph and form data, but no environment, and only the cluster of its network'
)
from public.public_flows as p where p.id = test.kept('public')::integer;
select is(p.user_id, test.user_id('owner'), 'a public flow names its owner') from public.public_flows as p where p.id = test.kept('public')::integer;
select is(test.error_code('select environment from public.public_flows'), '42703', 'the view has no column environment');
select is(test.error_code('update public.public_flows set name = '''' where true'), '42501', 'users may not update the view');
select is(test.error_code('insert into public.public_flows (name) values ('''')'), '42501', 'users may not insert into the view');
select is(test.error_code('delete from public.public_flows where true'), '42501', 'users may not delete from the view');

select test.sign_in(test.user_id('owner'));
select is(ids, array[test.kept('public')]::integer[], 'the owner sees the flow in the view, too') from seen;

select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(ids, array[test.kept('public')]::integer[], 'an anonymous sign-in sees the flow in the view') from seen;

select test.sign_in_as_role('anon');
select is(test.error_code('select from public.public_flows'), '42501', 'anon may not read the view');

select test.sign_in_as_role('service_role');
select is(ids, array[test.kept('public')]::integer[], 'the service role sees the flow in the view') from seen;

-- Only is_public publishes a flow; the settings for starts do not.
select test.sign_out();
update public.flows set is_public = false, start_shared = true, start_unverified = true where id = test.kept('public')::integer;
select test.sign_in(test.user_id('other'));
select is(ids, null, 'a flow that is not public any more is not in the view, whoever may start it') from seen;

-- A user's condition could raise an error with the content of a row. So Postgres must not evaluate conditions on
-- private rows.
select test.sign_out();
create function pg_temp.tells(name text) returns boolean language plpgsql cost 0.0001 as $$
  begin raise exception 'the name is %', name; end;
$$;
grant execute on function pg_temp.tells(text) to public;
select test.sign_in(test.user_id('other'));
select is(test.error_code('select from public.public_flows where pg_temp.tells(name)'), null, 'a condition is not evaluated on a private flow');

select * from finish();
