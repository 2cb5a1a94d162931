select plan(10);

select test.create_user(name) from unnest('{hog,owner}'::text[]) as name;
create function pg_temp.start(deployment text) returns text language sql as $$
  select test.error_code(format(
    'select public.start_deployment(id => %L, public_key => %L)', test.kept(start.deployment), 'So11111111111111111111111111111111111111112'
  ));
$$;
grant execute on function pg_temp.start(text) to public;

select test.sign_in(test.user_id('hog'));
select test.keep('of_hog', test.deploy_limited());
select test.sign_in(test.user_id('owner'));
select test.keep('of_owner', test.deploy_limited());
select test.sign_in_as_role('service_role');
select public.set_max_queue_length(20);

select test.sign_in(test.user_id('hog'));
select public.start_deployment(id => test.kept('of_hog')::uuid) from generate_series(1, 30);

select test.sign_in_as_role('anon');
select is(pg_temp.start('of_hog'), 'queue_full', 'others can not start the deployment of an owner who has filled the queue');
select is(pg_temp.start('of_owner'), null, 'deployments of another owner can still be started') from generate_series(1, 2);
select is(pg_temp.start('of_owner'), 'queue_full', 'others are refused when the other owner has a tenth of the queue, too');
select is(pg_temp.start('of_hog'), 'queue_full', 'starts of the first owner''s deployment are still refused');

select test.sign_in(test.user_id('owner'));
select is(
  test.error_code($$ select public.start_deployment(id => test.kept('of_owner')::uuid) $$), null, 'an owner is never refused'
);
select test.sign_in(test.user_id('hog'));
select is(
  test.error_code($$ select public.start_deployment(id => test.kept('of_hog')::uuid) $$), null, 'the owner who has filled the queue is not refused, either'
);

-- Claim 15 of 34 runs. Owners take turns, so all three runs of the user `owner` are among the 15.
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(15, 60);
select test.sign_in_as_role('anon');
select is(pg_temp.start('of_hog'), null, 'when the queue has room again, all starts are accepted');
select is(pg_temp.start('of_hog'), 'queue_full', 'starts are refused again when the queue is full');
select is(pg_temp.start('of_owner'), null, 'runs that a worker holds do not count towards the tenth');

select * from finish();
