select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('change')));
select test.deploy(test.kept('flow')::integer);
select test.sign_out();
create table public.notes (id integer primary key);
grant insert on public.notes to authenticated;
select test.keep('start', private.start_flow_on_rows('public.notes', '{insert}', test.kept('flow')::integer, null, 'change'));
insert into public.notes (id) values (0);

-- Each run writes the row that starts the next run, with a claim token.
create function pg_temp.write_as_run(id integer) returns void language plpgsql volatile as $$
declare
  v_run_id uuid := (select r.id from public.flow_run as r order by r.id desc limit 1);
  v_claim_number integer;
begin
  update private.flow_run_jobs set state = 'held', claim_number = 1, due_at = 'infinity' where flow_run_id = v_run_id;
  perform set_config('request.headers', json_build_object(
    'x-flow-claim-token', public.make_claim_token(v_run_id, 1) ->> 'token'
  )::text, true);
  perform set_config('role', 'anon', true);
  perform private.pre_request();
  execute format('insert into public.notes (id) values (%s)', write_as_run.id);
  perform test.sign_out();
  perform set_config('request.headers', '', true);
end;
$$;
select pg_temp.write_as_run(i) from generate_series(1, 16) as i;
select is(max(chain_depth), 16::smallint, 'each run is one deeper than the run that wrote the row') from private.flow_run_jobs;
select is(refused, 0, '16 starts of a chain are accepted') from public.flow_row_starts;
select pg_temp.write_as_run(17);
select is(count(*), 18::bigint, 'the 17th write succeeds') from public.notes;
select is(
  (refused, last_error)::text, '(1,"start_loop: 17 runs have started one another: it seems to be a loop.")', 'its start is refused'
) from public.flow_row_starts;

select * from finish();
