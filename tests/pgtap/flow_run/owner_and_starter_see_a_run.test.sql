select plan(9);

select test.create_user('owner');
select test.create_user('starter');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
update public.flows set is_public = true, start_shared = true, start_unverified = true where true;
select test.keep('own', test.create_run(test.kept('flow')::integer, started_by => test.user_id('owner')));
select test.keep('started', test.create_run(test.kept('flow')::integer, started_by => test.user_id('starter')));
select test.keep('unsigned', test.create_run(test.kept('flow')::integer));

create temporary view seen with (security_invoker = true) as select * from public.flow_run;
grant select on seen to public;

select test.sign_in(test.user_id('owner'));
select set_eq(
  'select id from seen', array[test.kept('own'), test.kept('started'), test.kept('unsigned')]::uuid[],
  'the owner of the flow sees all its runs'
);

select test.sign_in(test.user_id('starter'));
select set_eq('select id from seen', array[test.kept('started')]::uuid[], 'another user sees only the run that this user started');
select is(to_jsonb(s) ->> 'user_id', test.user_id('owner')::text, 'the starter sees all columns of the run') from seen as s;

select test.sign_in(test.user_id('starter'), is_anonymous => true);
select set_eq('select id from seen', array[test.kept('started')]::uuid[], 'an anonymous sign-in sees only the run that it started');

select test.sign_in(test.user_id('other'));
select is_empty('select id from seen', 'a user who neither owns the flow nor started a run sees no runs');

select test.sign_in_as_role('authenticated');
select is_empty('select id from seen', 'a token without a user sees no run, not even runs without a starter');

select test.sign_in_as_role('anon');
select is_empty('select id from seen', 'anon sees no runs');

select test.sign_in_as_role('service_role');
select is(test.row_count('select from public.flow_run'), 3::bigint, 'the service role sees all runs');

select test.sign_out();
update public.flow_run set started_by = null where id = test.kept('started')::uuid;
select test.sign_in(test.user_id('starter'));
select is_empty('select id from seen', 'the other user saw the run only as its starter');

select * from finish();
