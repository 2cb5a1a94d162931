select plan(7);

select test.create_user(name) from unnest('{owner,starter,other}'::text[]) as name;
update auth.users set email_confirmed_at = now() where id = test.user_id('starter');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('run', test.create_run(test.kept('flow')::integer, started_by => test.user_id('starter')));
select test.create_run(test.kept('flow')::integer);
-- The query that PostgREST makes for a computed column.
select test.keep('query', 'select public.started_by_email(r) from public.flow_run as r order by r.id'::text);
-- A row that the caller made up: a run of the caller's own flow that the victim has started.
create function pg_temp.made_up(id uuid) returns text language sql security invoker as $$
  select public.started_by_email(jsonb_populate_record(null::public.flow_run, jsonb_build_object(
    'id', made_up.id, 'user_id', auth.uid(), 'started_by', test.user_id('starter')
  )));
$$;
grant execute on function pg_temp.made_up(uuid) to public;

select test.sign_in(test.user_id('owner'));
select results_eq(
  test.kept('query'), $$ values ('starter@example.com'), (null) $$,
  'the owner reads the address of the starter, and none if nobody has signed in'
);
select test.sign_in(test.user_id('starter'));
select results_eq(test.kept('query'), $$ values (null::text) $$, 'the starter reads no address');
select test.sign_in(test.user_id('other'));
select is(pg_temp.made_up(test.kept('run')::uuid), null, 'a row that claims another owner gives no address');
select is(pg_temp.made_up(gen_random_uuid()), null, 'a row of no run gives no address');
select test.sign_in_as_role('anon');
select is(test.error_code('select public.started_by_email(null)'), '42501', 'anon reads no address');

select test.sign_out();
update auth.users set email_confirmed_at = null where id = test.user_id('starter');
select test.sign_in(test.user_id('owner'));
select results_eq(test.kept('query'), $$ values (null::text), (null) $$, 'an address that is not confirmed is not shown');

select test.sign_out();
update auth.users set email_confirmed_at = now() where id = test.user_id('starter');
delete from auth.users where id = test.user_id('starter');
select test.sign_in(test.user_id('owner'));
select results_eq(test.kept('query'), $$ values (null::text), (null) $$, 'a deleted user has no address');

select * from finish();
