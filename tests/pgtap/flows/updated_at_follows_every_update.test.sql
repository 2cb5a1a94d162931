select plan(7);

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

-- The test's transaction has one time, so the trigger would set the same time again. An administrator sets another one.
select test.sign_out();
alter table public.flows disable trigger user;
update public.flows set updated_at = '2020-01-01Z' where true;
alter table public.flows enable trigger user;
select test.sign_in(test.user_id('owner'));
update public.flows set folder = 'Shop';
select results_eq(
  'select folder, updated_at from public.flows', $$ values ('Shop', timestamptz '2020-01-01Z') $$,
  'a move to another folder leaves updated_at alone'
);
select set_eq(
  $$ select a.attname from pg_attribute as a where a.attrelid = 'public.flows'::regclass and a.attnum > 0
    and not a.attisdropped and a.attnum <> all (
      select unnest(t.tgattr::smallint[]) from pg_trigger as t
      where t.tgrelid = a.attrelid and t.tgname = '_200_touch'
    ) $$,
  '{folder}'::name[], 'an update of every other column sets updated_at'
);

update public.flows set updated_at = '2030-01-01Z';
select results_eq('select updated_at from public.flows', 'select now()', 'a time that the owner writes is ignored');

select test.sign_in_as_role('service_role');
update public.flows set updated_at = '2030-01-01Z' where true;
select results_eq('select updated_at from public.flows', 'select now()', 'a time that the service role writes is ignored');

select * from finish();
