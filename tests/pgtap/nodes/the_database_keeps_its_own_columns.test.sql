select plan(8);

select test.create_user('owner');
select test.create_user('other');
select test.sign_in(test.user_id('owner'));
insert into public.nodes (id, user_id, is_public, owner_key, node_id, version, type, data, sources, targets, created_at, updated_at)
values (
  '11111111-1111-4111-8111-111111111111', test.user_id('other'), true, test.user_id('other'), 'wrong', 'wrong',
  'native', '{"node_id": "kept", "version": "1", "display_name": ""}', '[]', '[]', '2001-01-01', '2001-01-01'
);
select results_eq(
  'select user_id, is_public, owner_key, node_id, version, created_at, updated_at from public.nodes',
  $$ values (test.user_id('owner'), false, test.user_id('owner'), 'kept', '1', now(), now()) $$,
  'an insert can not set these columns'
);
select isnt((select id from public.nodes), '11111111-1111-4111-8111-111111111111'::uuid, 'an insert can not set the id');

select test.keep('row', (select n::text from public.nodes as n));
update public.nodes set
  id = gen_random_uuid(), user_id = test.user_id('other'), is_public = true, owner_key = gen_random_uuid(), node_id = 'wrong',
  version = 'wrong', created_at = '2001-01-01', updated_at = '2001-01-01'
where node_id = 'kept';
select is((select n::text from public.nodes as n), test.kept('row'), 'an update can not set these columns');

select is(
  test.row_count($$
    insert into public.nodes select (n).* from (select n from public.nodes as n) as whole
    on conflict (owner_key, node_id, version) do update set id = excluded.id, user_id = excluded.user_id, created_at = excluded.created_at
  $$), 1::bigint, 'a whole row can be written back'
);
select is((select n::text from public.nodes as n), test.kept('row'), 'writing a row back changes nothing');

update public.nodes set data = data || '{"node_id": "renamed", "version": "2"}' where node_id = 'kept';
select results_eq(
  'select node_id, version, owner_key from public.nodes', $$ values ('renamed', '2', test.user_id('owner')) $$,
  'node_id and version come from the data'
);

select test.sign_out();
alter table public.nodes disable trigger _100_check_and_keep;
update public.nodes set updated_at = '2001-01-01' where true;
alter table public.nodes enable trigger _100_check_and_keep;
update public.nodes set type = 'native', data = data, updated_at = now() where true;
select is((select updated_at from public.nodes), '2001-01-01', 'updated_at stays if the definition does not change');
update public.nodes set type = 'other' where true;
select is((select updated_at from public.nodes), now(), 'updated_at changes when the definition does');

select * from finish();
