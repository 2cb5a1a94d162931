select plan(7);

select test.create_user('owner');
select test.create_user('publisher');
insert into private.node_publishers (user_id) values (test.user_id('publisher'));
select test.keep('insertion', $$ insert into public.nodes (type, data, sources, targets)
  values ('native', '{"node_id": "node", "version": "%s", "display_name": ""}', '[]', '[]') $$::text);

select test.sign_in_as_role('service_role');
select is(test.row_count(format(test.kept('insertion'), '1')), 1::bigint, 'a version is published');
select is(test.error(format(test.kept('insertion'), '1')) ->> 'constraint', 'nodes_pkey', 'the service role can''t publish the same version twice');
select is(test.row_count(format(test.kept('insertion'), '2')), 1::bigint, 'another version can be published');

select test.sign_in(test.user_id('publisher'));
select is(
  test.error(format(test.kept('insertion'), '1')) ->> 'constraint', 'nodes_node_id_version_public_idx',
  'a publisher can''t publish it again'
);
select is(test.row_count(format(test.kept('insertion'), '3')), 1::bigint, 'another version of the definition is accepted');

select test.sign_in(test.user_id('owner'));
select is(test.row_count(format(test.kept('insertion'), '1')), 1::bigint, 'another user can have a private definition of the same version');
select is(test.error(format(test.kept('insertion'), '1')) ->> 'constraint', 'nodes_pkey', 'a user can''t have the same version twice');

select * from finish();
