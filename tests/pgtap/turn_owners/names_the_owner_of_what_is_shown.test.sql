select plan(11);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('push')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set start_permission = 'Anonymous' where true;
select test.keep('key', public.create_api_key('a key') ->> 'key');
select test.keep('token', public.start_deployment(id => test.kept('deployment')::uuid) ->> 'token');

create function pg_temp.owners(variadic shown text[]) returns uuid[] language plpgsql volatile set search_path = '' as $$
begin
  perform test.sign_in_as_role('service_role');
  return public.turn_owners(owners.shown);
end;
$$;
create function pg_temp.all_owners() returns uuid[] language sql volatile as $$
  select pg_temp.owners(test.kept('key'), 'deployment ' || test.kept('deployment'), 'flow ' || test.kept('flow'), test.kept('token'));
$$;

select is(pg_temp.all_owners(), array_fill(test.user_id('owner'), '{4}'), 'valid elements name their owner');
select is(
  pg_temp.owners('fk_' || repeat('a', 43), 'fr_' || repeat('a', 64), 'deployment ' || gen_random_uuid(), 'flow 2147483647', test.kept('key')),
  array_append(array_fill(null::uuid, '{4}'), test.user_id('owner')), 'elements that do not exist have no owner, in the order of the argument'
);
select is(
  pg_temp.owners(null, '', 'fk_', 'fr_x', 'deployment', 'deployment x', 'deployment 1 2', 'flow x', 'flow 1e9', 'flow 99999999999', test.kept('deployment')),
  array_fill(null::uuid, '{11}'), 'malformed elements have no owner'
);
select test.sign_in(test.user_id('owner'));
update public.flow_deployments set start_permission = 'Authenticated' where true;
select is(
  pg_temp.owners('deployment ' || test.kept('deployment'), 'flow ' || test.kept('flow')), array[null, null]::uuid[],
  'a flow or deployment that not everybody may start has no owner'
);
select is(pg_temp.owners(test.kept('token')), array[test.user_id('owner')], 'run tokens of a deleted deployment still name the owner');
select is(pg_temp.owners(overlay(test.kept('token') placing 'AAAA' from 60)), array[null]::uuid[], 'a changed run token names no owner');
select is(pg_temp.owners(variadic '{}'), null, 'an empty argument returns no owners');
select is(test.error_code($$ select public.turn_owners('{}') $$), '42501', 'anon may not call turn_owners')
from test.sign_in_as_role('anon');
select is(test.error_code($$ select public.turn_owners('{}') $$), '42501', 'users may not call turn_owners')
from test.sign_in(test.user_id('owner'));

select test.sign_out();
update auth.users set banned_until = now() + interval '1 hour' where id = test.user_id('owner');
select is(pg_temp.owners(test.kept('key')), array[null]::uuid[], 'while the user is banned, the key has no owner');
select test.sign_out();
update auth.users set banned_until = null where id = test.user_id('owner');
delete from public.api_keys where true;
select is(pg_temp.owners(test.kept('key')), array[null]::uuid[], 'a key of a deleted user has no owner');

select * from finish();
