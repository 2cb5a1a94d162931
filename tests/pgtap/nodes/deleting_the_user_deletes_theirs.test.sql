select plan(2);

select test.create_user('owner');
select test.create_user('publisher');
insert into private.node_publishers (user_id) values (test.user_id('publisher'));
select test.keep('insertion', $$ insert into public.nodes (type, data, sources, targets)
  values ('native', '{"node_id": "%s", "version": "1", "display_name": ""}', '[]', '[]') $$::text);
select test.sign_in(test.user_id(name)), test.row_count(format(test.kept('insertion'), name)) from unnest('{owner,publisher}'::text[]) as name;
select test.sign_in_as_role('service_role');
select test.row_count(format(test.kept('insertion'), 'service'));

select test.sign_out();
delete from auth.users where true;
select results_eq('select node_id from public.nodes', $$ values ('service') $$, 'private and public definitions of the user are deleted');
select is_empty('select from private.node_publishers', 'the deleted user is not a publisher any more');

select * from finish();
