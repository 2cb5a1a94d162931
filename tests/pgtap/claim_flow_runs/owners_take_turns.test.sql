select plan(13);

create function pg_temp.start(owner text, count integer default 1) returns void language plpgsql as $$
begin
  perform test.sign_in(test.user_id(owner));
  perform public.start_deployment(id => test.kept(owner)::uuid) from generate_series(1, count);
  perform test.sign_out();
end;
$$;
-- Claims several runs at once, and returns their owners in the order of the claim.
create function pg_temp.together(count integer) returns text language sql volatile as $$
  select string_agg(left(u.email, 1), '' order by c.place)
  from public.claim_flow_runs(together.count, 60) with ordinality as c (
    flow_run_id, claim_number, lost_claim_count, flow_id, user_id, started_by, inputs, settings, snapshot_hash, snapshot, work_ms, stop, output_bytes, place
  )
  join auth.users as u on u.id = c.user_id;
$$;
-- Claims this number of runs one after another, and returns their owners.
create function pg_temp.claim(count integer) returns text language sql volatile as $$
  select string_agg(pg_temp.together(1), '' order by n) from generate_series(1, claim.count) as n;
$$;
create function pg_temp.lose(run text) returns void language sql volatile as $$
  update private.flow_run_jobs set due_at = clock_timestamp() where flow_run_id = test.kept(run)::uuid;
$$;

-- The ids of these owners sort in the order of their names.
insert into auth.users (id, email)
select format('%s0000000-0000-4000-8000-000000000000', name)::uuid, name || '@example.com' from unnest('{a,b,c,d}'::text[]) as name;
select test.sign_in(test.user_id(name)), test.keep(name, test.deploy(test.create_flow(test.user_id(name))))
from unnest('{a,b,c,d}'::text[]) as name;
select test.sign_out();

-- A rollback of another test does not set the sequence back.
select setval('private.last_owner', 0, false);
select pg_temp.start('a', 50), pg_temp.start('b'), pg_temp.start('c', 2);
select is(pg_temp.claim(3), 'abc', 'many runs of one owner do not delay the runs of others');
select is(pg_temp.claim(2), 'ac', 'the second run of each owner comes after the first runs of all owners');
select pg_temp.start('d', 2), pg_temp.start('b');
select is(pg_temp.claim(4), 'dabd', 'an owner who comes late has one turn in each round, like all others, and does not catch up');

select pg_temp.start('b', 3), pg_temp.start('c'), pg_temp.start('d');
select is(pg_temp.together(9), 'abcdababa', 'runs that are claimed together are the same as runs that are claimed one after another');
select pg_temp.start('b', 2);
select is(pg_temp.together(3), 'bab', 'the next claim continues where the last one ended');
select is(pg_temp.together(2), 'aa', 'after the last owner, claims continue with the first owner who has runs');

select test.sign_in(test.user_id('b'));
select test.start_and_keep('lost', test.kept('b')::uuid);
select test.sign_out();
select is(pg_temp.claim(1), 'b', 'a run is claimed');
select pg_temp.start('b'), pg_temp.start('c'), pg_temp.lose('lost');
select results_eq(
  'select c.user_id, c.flow_run_id = test.kept(''lost'')::uuid from public.claim_flow_runs(3, 60) as c',
  $$ values (test.user_id('c'), false), (test.user_id('a'), false), (test.user_id('b'), true) $$,
  'a run that lost its worker comes before the other runs of its owner'
);

delete from auth.users where email = 'b@example.com';
select pg_temp.start('c'), pg_temp.start('d');
select is(pg_temp.claim(3), 'cda', 'if the owner of the last claimed run was deleted, claims continue after that owner');
select is(pg_temp.together(40), repeat('a', 38), 'each run is claimed once');
select is(pg_temp.together(1), null, 'after these claims no run is left');

select setval('private.last_owner', 0, false);
select pg_temp.start('d'), pg_temp.start('c');
select is(pg_temp.claim(2), 'cd', 'before the first claim, the order begins with the first owner');
select is(pg_sequence_last_value('private.last_owner'), private.owner_position(test.user_id('d')), 'a sequence has the owner of the last claim');

select * from finish();
