select plan(8);

create function pg_temp.start(owner text, count integer default 1) returns void language plpgsql as $$
begin
  perform test.sign_in(test.user_id(owner));
  perform public.start_deployment(id => test.kept(owner)::uuid) from generate_series(1, count);
  perform test.sign_out();
end;
$$;
-- The owners of the runs that a worker claims, one after another.
create function pg_temp.claim(count integer) returns text language plpgsql as $$
declare
  v_owners text := '';
begin
  for n in 1..count loop
    v_owners := v_owners || (
      select left(u.email, 1) from public.claim_flow_runs(1, 60) as c join auth.users as u on u.id = c.user_id
    );
  end loop;
  return v_owners;
end;
$$;
-- Counted from where the sequence, which no rollback takes back, stands now.
select test.keep('before', last_value) from private.flow_run_turn;
create temporary view present as select last_value - test.kept('before')::bigint as turn from private.flow_run_turn;
create temporary view job as
  select j.message_id, left(u.email, 1) as owner, j.turn - test.kept('before')::bigint as turn
  from private.flow_run_jobs as j join auth.users as u on u.id = j.user_id;

select test.create_user(name) from unnest('{a,b,c,d}'::text[]) as name;
select test.sign_in(test.user_id(name)), test.keep(name, test.deploy(test.create_flow(test.user_id(name))))
from unnest('{a,b,c,d}'::text[]) as name;
select test.sign_out();

select pg_temp.start('a', 50), pg_temp.start('b'), pg_temp.start('c', 2);
select is(pg_temp.claim(3), 'abc', 'a flood of one owner''s runs keeps nobody waiting');
select is(pg_temp.claim(3), 'aca', 'the second run of each comes after the first of all');
select results_eq('select turn from present', 'values (2::bigint)', 'the present is the turn that was claimed last');
select pg_temp.start('d', 2), pg_temp.start('b');
select is(pg_temp.claim(4), 'dbad', 'who comes late begins at the present, and makes up for nothing');

-- Turn 0 again: its worker is lost.
select pgmq.set_vt('flow_runs', message_id, 0) from job where owner = 'b' and turn = 0;
select is(pg_temp.claim(1), 'b', 'a run whose worker is lost has the first place');
select results_eq('select turn from present', 'values (3::bigint)', 'but the present does not go back');

select pg_temp.start('c');
select results_eq($$ select max(turn) from job where owner = 'c' $$, 'values (3::bigint)', 'so that a new run starts from it');
select is(pg_temp.claim(46), 'c' || repeat('a', 45), 'all of them are claimed once');

select * from finish();
