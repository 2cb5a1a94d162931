select plan(8);

select test.create_user('owner');
select test.create_user('idle');
select test.create_user('busy');
select test.sign_in(test.user_id('owner'));
select test.deploy_limited();
select test.sign_in(test.user_id('idle'));
select test.start_and_keep('ended', test.kept('deployment')::uuid);
select test.sign_in(test.user_id('busy'));
select test.start_and_keep('running', test.kept('deployment')::uuid);

create function pg_temp.callers() returns setof text language sql as $$
  select distinct u.share from private.deployment_usage as u where u.share not in ('guests', 'others');
$$;

select test.sign_out();
select private.end_flow_run(test.kept('ended')::uuid, 'stopped', null, null, null);
set constraints all immediate;
set constraints all deferred;
select private.sweep_runner();
select is(count(*), 2::bigint, 'callers with a start in the present minute are kept') from pg_temp.callers();

update private.deployment_usage set minute = minute - interval '2 minutes' where true;
select is(
  private.sweep_runner(max_runs => 1) -> 'has_more', 'true', 'a sweep that deleted as many callers as it may says that there may be more'
);
select is(private.sweep_runner(max_runs => 2) -> 'has_more', 'false', 'a sweep that found fewer idle callers than allowed says that there are no more');
select results_eq(
  'select pg_temp.callers()', $$ values ('user:' || test.user_id('busy')) $$, 'after this minute, callers without a run in flight are deleted'
);
select is(test.in_flight(), 1::bigint, 'the sum over all callers is kept');

select private.end_flow_run(test.kept('running')::uuid, 'stopped', null, null, null);
set constraints all immediate;
select is(test.in_flight('user:' || test.user_id('busy')), 0::bigint, 'the run of the last caller counts until it ends');
select private.sweep_runner();
select is_empty('select pg_temp.callers()', 'after the end of its run, the last caller is deleted');
select test.sign_in(test.user_id('idle'));
select is(test.error_code($$ select test.start_by_key() $$), null, 'a caller whose usage was deleted can start again');

select * from finish();
