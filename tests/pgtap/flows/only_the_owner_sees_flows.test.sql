select plan(6);

select test.create_user('owner');
select test.create_user('other');
select test.keep('private', test.create_flow(test.user_id('owner')));
select test.keep('public', test.create_flow(test.user_id('owner')));
update public.flows set is_public = true, start_shared = true, start_unverified = true where id = test.kept('public')::integer;

create temporary view seen with (security_invoker = true) as
  select array_agg(id order by id) as ids from public.flows
  where id in (test.kept('private')::integer, test.kept('public')::integer);
grant select on seen to public;

select test.sign_in(test.user_id('owner'));
select is(ids, array[test.kept('private'), test.kept('public')]::integer[], 'the owner sees all their own flows') from seen;

select test.sign_in(test.user_id('other'));
select is(ids, null, 'another user sees no flows, public or not') from seen;

select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(ids, null, 'an anonymous sign-in sees no flows') from seen;

select test.sign_in_as_role('authenticated');
select is(ids, null, 'a token without a user sees no flows') from seen;

select test.sign_in_as_role('anon');
select is(test.error_code('select from public.flows'), '42501', 'anon may not read the table');

select test.sign_in_as_role('service_role');
select is(ids, array[test.kept('private'), test.kept('public')]::integer[], 'the service role sees all flows') from seen;

select * from finish();
