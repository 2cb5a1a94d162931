select plan(5);

-- now() does not change within a transaction, so the test sets an old time on the flow.
select test.create_user('owner');
insert into public.flows (user_id, created_at, updated_at) values (test.user_id('owner'), '2020-01-01Z', '2020-01-01Z');

select test.sign_in(test.user_id('owner'));
select results_eq(
  'select updated_at from public.flows', $$ values (timestamptz '2020-01-01Z') $$, 'reading leaves updated_at alone'
);

update public.flows set description = 'changed';
select results_eq('select updated_at from public.flows', 'select now()', 'an update sets updated_at to its time');
select results_eq(
  'select created_at from public.flows', $$ values (timestamptz '2020-01-01Z') $$, 'an update does not change created_at'
);

update public.flows set updated_at = '2030-01-01Z';
select results_eq('select updated_at from public.flows', 'select now()', 'a time that the owner writes is ignored');

select test.sign_in_as_role('service_role');
update public.flows set updated_at = '2030-01-01Z' where true;
select results_eq('select updated_at from public.flows', 'select now()', 'a time that the service role writes is ignored');

select * from finish();
