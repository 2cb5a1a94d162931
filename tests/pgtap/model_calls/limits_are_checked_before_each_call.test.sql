select plan(15);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.keep('other', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set model_limits = '{"run_tokens": 100, "day_tokens": 150}' where true;
select test.sign_out();

-- Starts a run of the deployment, which a worker holds by its first claim.
create function pg_temp.start(name text, deployment text default 'deployment') returns void language plpgsql volatile as $$
begin
  perform test.sign_in(test.user_id('owner'));
  perform test.keep(start.name, public.start_deployment(id => test.kept(start.deployment)::uuid) ->> 'flow_run_id');
  perform test.sign_out();
  perform public.claim_flow_runs(1, 60);
end;
$$;
create function pg_temp.fault(run text) returns text language sql volatile as $$
  select public.begin_model_call(jsonb_build_object('flow_run_id', test.kept(fault.run), 'claim_number', 1)) ->> 'fault';
$$;
create function pg_temp.spend(run text, tokens integer) returns void language sql volatile as $$
  select public.store_model_usage(
    jsonb_build_object('flow_run_id', test.kept(spend.run), 'claim_number', 1),
    jsonb_build_object('m', jsonb_build_object('requests', 1, 'input_tokens', spend.tokens, 'output_tokens', 0))
  );
$$;
create function pg_temp.day_tokens() returns bigint language sql stable as $$
  select m.tokens from private.model_day_tokens as m where m.deployment_id = test.kept('deployment')::uuid;
$$;

select pg_temp.start('first'), pg_temp.start('second'), pg_temp.start('third'), pg_temp.start('elsewhere', 'other');
select is(pg_temp.fault('first'), null, 'a run below its limits may call a model');
select pg_temp.spend('first', 99);
select is(pg_temp.fault('first'), null, 'a run one token below its limit may call a model');

-- Two runs are at the limit of the day at the same time.
select is(pg_temp.fault('second'), null, 'another run may begin a call, too');
select pg_temp.spend('first', 120);
select pg_temp.spend('second', 80);
select is(pg_temp.day_tokens(), 200::bigint, 'the calls that were under way have exceeded the limit of the day, once each');
select is(
  pg_temp.fault('first'), 'the run has used 120 tokens, and run_tokens of its deployment is 100', 'the run that has reached its own limit is told'
);
select is(
  pg_temp.fault('second'), 'the runs of the deployment have used 200 tokens today (UTC), and day_tokens is 150', 'the other run is told the limit of the day'
);
select is(
  pg_temp.fault('third'), 'the runs of the deployment have used 200 tokens today (UTC), and day_tokens is 150', 'a run that has used nothing is told, too'
);
select is(pg_temp.fault('elsewhere'), null, 'the runs of another deployment have a day of their own');

update private.model_day_tokens set day = day - 1 where true;
select is(pg_temp.fault('second'), null, 'the next day begins without tokens');
select is(pg_temp.fault('first'), 'the run has used 120 tokens, and run_tokens of its deployment is 100', 'the limit of a run does not end with the day');
select pg_temp.spend('second', 90);
select is(pg_temp.day_tokens(), 10::bigint, 'only the tokens of the new day count');

-- A report of the day before that is stored late, beside one of the new day.
update private.model_day_tokens set day = day + 1 where true;
select pg_temp.spend('second', 95);
select results_eq(
  $$ select m.day - (now() at time zone 'UTC')::date, m.tokens from private.model_day_tokens as m $$,
  $$ values (1, 10::bigint) $$, 'a late report neither sets the day back nor counts for the new day'
);

select test.sign_in(test.user_id('owner'));
update public.flow_deployments set model_limits = null where true;
select test.sign_out();
select is(
  pg_temp.fault('first'), 'the run has used 120 tokens, and run_tokens of its deployment is 100', 'a run keeps the limits of its start'
);
select pg_temp.start('unlimited');
select pg_temp.spend('unlimited', 1000000);
select is(pg_temp.fault('unlimited'), null, 'a run without limits may use any number of tokens');

delete from public.flow_deployments where true;
select lives_ok($$ select pg_temp.spend('third', 10) $$, 'a run outlives its deployment');
select * from finish();
