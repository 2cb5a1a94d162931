select plan(13);

select test.create_user('publisher');
insert into private.node_publishers (user_id) values (test.user_id('publisher'));

select is(has_table_privilege(role, 'private.node_publishers', privilege), false, format('%s may not %s', role, privilege))
from unnest('{anon,authenticated,service_role}'::text[]) as role cross join unnest('{select,insert,update,delete}'::text[]) as privilege;

select test.sign_in_as_role('anon');
select is(test.error_code('select private.node_poster()'), '42501', 'anon may not call node_poster');

select * from finish();
