select plan(11);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{first,suspect,third,fourth}'::text[]) as name;
select test.sign_out();
create function pg_temp.claimed(max_runs integer default 10) returns text language sql volatile as $$
  select string_agg(name, ' ' order by position)
  from rows from (public.claim_flow_runs(claimed.max_runs, 60)) with ordinality as c
  join unnest('{first,suspect,third,fourth,a1,a2,a3,b1,b2,b3}'::text[]) as name
    on current_setting('test.' || name, true) = c.flow_run_id::text
  cross join lateral (select c.ordinality as position) as o;
$$;
create function pg_temp.lost(name text, count integer) returns void language sql as $$
  update private.flow_run_jobs set lost_claim_count = count where flow_run_id = test.kept(name)::uuid;
$$;

select pg_temp.lost('suspect', 1);
select is(pg_temp.claimed(), 'first suspect third fourth', 'a run that lost one worker is claimed with others, because one loss may be chance');
select test.lose_workers();
select is(pg_temp.claimed(), 'first', 'a claim ends before a run that lost two workers');
select is(pg_temp.claimed(), 'suspect', 'the suspect is claimed alone when its turn comes');
select is(pg_temp.claimed(), 'third fourth', 'the runs behind the suspect are claimed after it');

select test.release_all();
select pg_temp.lost('suspect', 2);
update private.flow_run_jobs set turn = '-infinity' where flow_run_id = test.kept('suspect')::uuid;
select is(pg_temp.claimed(), 'suspect', 'if the suspect is the first of the queue, no other run is claimed with it');
select is(pg_temp.claimed(), 'first third fourth', 'the other runs are claimed after the suspect');
select is(pg_temp.claimed(), null, 'after these claims no run is left');

select test.release_all();
select pg_temp.lost('suspect', 2);
update private.flow_run_jobs as j set turn = now() + array_position('{first,suspect,third,fourth}', name) * interval '1 second'
from unnest('{first,suspect,third,fourth}'::text[]) as name where test.kept(name) = j.flow_run_id::text;
select is(pg_temp.claimed(2), 'first', 'a claim takes no run behind the suspect');

-- The suspect is the first run of the second owner.
delete from public.flow_run where true;
select setval('private.last_owner', 0, false);
insert into auth.users (id, email)
select format('%s0000000-0000-4000-8000-000000000000', name)::uuid, name || '@example.com' from unnest('{a,b}'::text[]) as name;
select test.sign_in(test.user_id(name)), test.keep('deployment', test.deploy(test.create_flow(test.user_id(name)))),
  test.start_and_keep(name || '1', test.kept('deployment')::uuid), test.start_and_keep(name || '2', test.kept('deployment')::uuid),
  test.start_and_keep(name || '3', test.kept('deployment')::uuid)
from unnest('{a,b}'::text[]) as name;
select test.sign_out();
select pg_temp.lost('b1', 2);
select is(pg_temp.claimed(2), 'a1', 'a claim takes the runs of other owners before the suspect');
select is(pg_temp.claimed(2), 'b1', 'the next claim begins with the suspect');
select is(pg_temp.claimed(2), 'a2 b2', 'after the suspect, owners continue to take turns');

select * from finish();
