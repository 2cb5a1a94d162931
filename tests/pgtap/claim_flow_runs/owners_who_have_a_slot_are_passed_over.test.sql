select plan(8);

create function pg_temp.start(owner text, count integer default 1) returns void language plpgsql as $$
begin
  perform test.sign_in(test.user_id(owner));
  perform public.start_deployment(id => test.kept(owner)::uuid) from generate_series(1, count);
  perform test.sign_out();
end;
$$;
-- Claims runs for reserved slots, and returns the owners of these runs in the order of the claim.
create function pg_temp.reserved(count integer, variadic holders text[] default '{}') returns text language sql volatile as $$
  select string_agg(left(u.email, 1), '' order by c.place)
  from public.claim_flow_runs(reserved.count, 60, owners_with_slots => array(select test.user_id(name) from unnest(reserved.holders) as name))
    with ordinality as c (
      flow_run_id, claim_number, lost_claim_count, flow_id, user_id, started_by, inputs, settings, snapshot_hash, snapshot, work_ms, stop,
      output_bytes, place
    )
  join auth.users as u on u.id = c.user_id;
$$;

-- The ids of these owners sort in the order of their names.
insert into auth.users (id, email)
select format('%s0000000-0000-4000-8000-000000000000', name)::uuid, name || '@example.com' from unnest('{a,b,c,d}'::text[]) as name;
select test.sign_in(test.user_id(name)), test.keep(name, test.deploy(test.create_flow(test.user_id(name))))
from unnest('{a,b,c,d}'::text[]) as name;
select test.sign_out();

select pg_temp.start('a', 50), pg_temp.start('b', 3), pg_temp.start('c', 3), pg_temp.start('d');
select is(pg_temp.reserved(9, 'a'), 'bcd', 'each other owner gets one slot, and an owner with a slot gets no further slot');
select is(pg_temp.reserved(1, 'a'), 'b', 'no more owners get a slot than there are reserved slots');
select is(pg_temp.reserved(1, 'a'), 'c', 'owners take turns');
select is(pg_temp.reserved(9, 'a', 'b'), 'c', 'several owners may be excluded');
select is(pg_temp.reserved(9, 'a', 'b'), null, 'if no other owner has runs, nothing is claimed');
select is(pg_temp.reserved(9), 'ab', 'if no owner is excluded, each owner gets one run');

-- A run that lost two workers.
select pg_temp.start('d');
update private.flow_run_jobs set lost_claim_count = 2 where state = 'ready' and user_id = test.user_id('a')
  and turn = (select min(turn) from private.flow_run_jobs where state = 'ready' and user_id = test.user_id('a'));
select is(pg_temp.reserved(9, 'a'), 'd', 'a suspect of an owner with a slot does not delay other owners');
select results_eq(
  'select lost_claim_count from public.claim_flow_runs(9, 60)', 'values (2)', 'the next claim that excludes no owner takes the suspect alone'
);

select * from finish();
