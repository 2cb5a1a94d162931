select plan(7);

create function pg_temp.shown_run(token text) returns uuid
language plpgsql as $$
begin
  perform set_config('request.headers', json_build_object('x-flow-run-token', shown_run.token)::text, true);
  return private.token_run_id();
end;
$$;

create temporary table run as select id, private.run_token(id) as token from (select gen_random_uuid() as id) as made;

select is(private.run_token(run.id), run.token, 'the same run gives the same token') from run;
select is(pg_temp.shown_run(run.token), run.id, 'a token shows its run') from run;
select is(
  pg_temp.shown_run(left(run.token, -2) || case when right(run.token, 2) = 'AA' then 'BB' else 'AA' end), null,
  'a token whose end was changed is not valid'
) from run;
select isnt(pg_temp.shown_run(private.run_token(gen_random_uuid())), run.id, 'another run''s token shows another run') from run;

select private.rotate_run_token_secret();
select is(pg_temp.shown_run(run.token), run.id, 'after one rotation the token is still valid') from run;
select is(pg_temp.shown_run(private.run_token(run.id)), run.id, 'the new token of the run is valid, too') from run;

select private.rotate_run_token_secret();
select is(pg_temp.shown_run(run.token), null, 'after the second rotation the token shows no run') from run;

select * from finish();
