select plan(5);

create function pg_temp.start(name text, owner text) returns void language plpgsql as $$
begin
  perform test.sign_in(test.user_id(owner));
  perform test.start_and_keep(name, test.kept(owner)::uuid);
  perform test.sign_out();
end;
$$;
-- Claims this number of runs one after another, releases each run immediately, and returns the names of the runs.
create function pg_temp.slices(count integer) returns text language plpgsql as $$
declare
  v_run_id uuid;
  v_names text[] := '{}';
begin
  for n in 1..count loop
    select c.flow_run_id into v_run_id from public.claim_flow_runs(1, 60) as c;
    v_names := v_names || (select name from unnest('{long,later,a1,a2,a3,b}'::text[]) as name where current_setting('test.' || name, true) = v_run_id::text);
    perform test.release_all();
  end loop;
  return array_to_string(v_names, ' ');
end;
$$;

select test.create_user(name) from unnest('{a,b}'::text[]) as name;
select test.sign_in(test.user_id(name)), test.keep(name, test.deploy(test.create_flow(test.user_id(name))))
from unnest('{a,b}'::text[]) as name;
select test.sign_out();

select pg_temp.start('long', 'a');
select is(pg_temp.slices(2), 'long long', 'a released run is claimed again at once if no other run waits');
select public.claim_flow_runs(1, 60);
select pg_temp.start('later', 'b');
select test.release_all();
select is(pg_temp.slices(3), 'later long later', 'a released run comes after runs that arrived meanwhile');

delete from public.flow_run where true;
select pg_temp.start(name, left(name, 1)) from unnest('{a1,a2,a3,b}'::text[]) as name;
select pg_temp.slices(4);
select is(pg_temp.slices(8), 'a3 b a1 b a2 b a3 b', 'many released runs of one owner do not take more turns than one run of another owner');

select results_eq(
  'select count(*) from public.flow_run as r join private.flow_run_jobs as j on j.flow_run_id = r.id where r.status = ''running'' and j.state = ''ready''',
  'values (4::bigint)', 'the runs are running, although no worker holds them'
);
select is(max(lost_claim_count), 0, 'no worker counts as lost') from private.flow_run_jobs;

select * from finish();
