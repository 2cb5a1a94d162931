select plan(22);

select test.create_user('owner');
select test.create_user('other');
insert into public.kv_stores (user_id, name) values (test.user_id('owner'), 'mine'), (test.user_id('other'), 'mine');
insert into public.kv_items (user_id, store, key, value)
values (test.user_id('owner'), 'mine', 'key', '{"S": "owner''s"}'), (test.user_id('other'), 'mine', 'key', '{"S": "other''s"}');

create temporary view attempts as
  select * from (values
    ('insert', $$ insert into public.kv_items (user_id, store, key, value) values (test.user_id('owner'), 'mine', 'second', '{"N": 0}') $$),
    ('update', $$ update public.kv_items set key = 'renamed' where true $$),
    ('delete', $$ delete from public.kv_items where true $$),
    ('truncate', $$ truncate public.kv_items cascade $$)
  ) as attempt (title, statement);
grant select on attempts to public;

select test.sign_in(test.user_id('owner'));
select results_eq('select user_id from public.kv_items', $$ values (test.user_id('owner')) $$, 'the owner sees only their own items');
select is(test.error_code(statement), '42501', format('the owner may not %s', title)) from attempts;

select test.sign_in(test.user_id('other'));
select results_eq('select user_id from public.kv_items', $$ values (test.user_id('other')) $$, 'another user sees only their own items');
select is(test.error_code(statement), '42501', format('another user may not %s', title)) from attempts;

select test.sign_in_as_role('anon');
select is(test.error_code('select from public.kv_items'), '42501', 'anon may not read the table');
select is(test.error_code(statement), '42501', format('anon may not %s', title)) from attempts;

select test.sign_in_as_role('authenticated');
select is(test.row_count('select from public.kv_items'), 0::bigint, 'a token without a user sees nothing');

select test.sign_in_as_role('service_role');
select is(test.row_count('select from public.kv_items'), 2::bigint, 'the service role sees all items');
select is(test.error_code(statement), '42501', format('the service role may not %s', title)) from attempts;
select is(test.row_count('select from public.kv_items'), 2::bigint, 'the items have not changed');

select * from finish();
