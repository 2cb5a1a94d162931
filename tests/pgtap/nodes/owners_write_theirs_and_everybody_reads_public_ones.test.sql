select plan(32);

select test.create_user('owner');
select test.create_user('publisher');
select test.create_user('other');
insert into private.node_publishers (user_id) values (test.user_id('publisher'));
select test.keep('insertion', $$ insert into public.nodes (type, data, sources, targets)
  values ('native', '{"node_id": "%s", "version": "1", "display_name": ""}', '[]', '[]') $$::text);
select test.keep('update', $$ update public.nodes set type = 'changed' where node_id = '%s' $$::text);
select test.keep('deletion', $$ delete from public.nodes where node_id = '%s' $$::text);

select test.sign_in(test.user_id('owner'));
select is(test.row_count(format(test.kept('insertion'), 'owners')), 1::bigint, 'a user inserts a definition');
select test.sign_in(test.user_id('publisher'));
select is(test.row_count(format(test.kept('insertion'), 'publishers')), 1::bigint, 'a publisher inserts a definition');
select test.sign_in_as_role('service_role');
select is(test.row_count(format(test.kept('insertion'), 'services')), 1::bigint, 'the service role can insert a definition');

select test.sign_out();
select set_eq(
  'select node_id, user_id, is_public from public.nodes',
  $$ values
    ('owners', test.user_id('owner'), false), ('publishers', test.user_id('publisher'), true), ('services', null::uuid, true) $$,
  'a definition belongs to its poster, and is public if a publisher or the service role posts it'
);

select test.sign_in(test.user_id('owner'));
select set_eq('select node_id from public.nodes', '{owners,publishers,services}'::text[], 'the owner sees their own definition and the public definitions');
select is(test.row_count(format(test.kept('update'), name)), expected, format('the owner updates %s of %s', expected, name))
from (values ('owners', 1::bigint), ('publishers', 0), ('services', 0)) as n (name, expected);

select test.sign_in(test.user_id('publisher'));
select set_eq('select node_id from public.nodes', '{publishers,services}'::text[], 'a publisher sees the public definitions');
select is(test.row_count(format(test.kept('update'), name)), expected, format('a publisher updates %s of %s', expected, name))
from (values ('owners', 0::bigint), ('publishers', 1), ('services', 0)) as n (name, expected);

select test.sign_in(test.user_id('other'));
select set_eq('select node_id from public.nodes', '{publishers,services}'::text[], 'another user sees the public definitions');
select is(test.row_count(format(test.kept('update'), name)), 0::bigint, format('another user updates no %s', name))
from unnest('{owners,publishers,services}'::text[]) as name;
select is(test.row_count(format(test.kept('deletion'), name)), 0::bigint, format('another user deletes no %s', name))
from unnest('{owners,publishers,services}'::text[]) as name;

select test.sign_in_as_role('anon');
select set_eq('select node_id from public.nodes', '{publishers,services}'::text[], 'anon sees the public definitions');
select is(test.error_code(format(test.kept('insertion'), 'anons')), '42501', 'anon may not insert definitions');
select is(test.error_code(format(test.kept('update'), 'services')), '42501', 'anon may not update definitions');
select is(test.error_code(format(test.kept('deletion'), 'services')), '42501', 'anon may not delete definitions');

select test.sign_in_as_role('authenticated');
select is(test.error_code(format(test.kept('insertion'), 'nobodys')), 'unauthenticated', 'a token without a user can not insert a definition');

select test.sign_in_as_role('service_role');
select set_eq(
  'select node_id, type from public.nodes', $$ values ('owners', 'changed'), ('publishers', 'changed'), ('services', 'native') $$,
  'the service role sees all definitions, unchanged by others'
);
select is(test.row_count(format(test.kept('update'), 'owners')), 1::bigint, 'the service role can update a definition');
select results_eq(
  $$ select user_id, is_public from public.nodes where node_id = 'owners' $$, $$ values (test.user_id('owner'), false) $$,
  'after this update the definition still belongs to its owner and is private'
);
select is(test.error_code('truncate public.nodes'), '42501', 'the service role may not truncate the table');
select is(test.row_count(format(test.kept('deletion'), 'services')), 1::bigint, 'the service role can delete a definition');

select test.sign_in(test.user_id('owner'));
select is(test.row_count(format(test.kept('deletion'), 'owners')), 1::bigint, 'the owner can delete their definition');
select test.sign_in(test.user_id('publisher'));
select is(test.row_count(format(test.kept('deletion'), 'publishers')), 1::bigint, 'the publisher can delete their definition');
select test.sign_out();
select is_empty('select from public.nodes', 'no definition is left');

select * from finish();
