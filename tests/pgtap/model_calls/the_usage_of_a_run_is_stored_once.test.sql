select plan(11);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner'))::text);
create function pg_temp.claim(claim_number integer default 1) returns jsonb language sql stable as $$
  select jsonb_build_object('flow_run_id', test.kept('run'), 'claim_number', claim.claim_number);
$$;
create function pg_temp.usage() returns jsonb language sql stable as $$
  select r.usage from public.flow_run as r where r.id = test.kept('run')::uuid;
$$;
grant execute on all functions in schema pg_temp to public;

select is(pg_temp.usage(), '{}', 'a run begins without usage');
select is(public.begin_model_call(pg_temp.claim()), '{"usage": {}, "fault": null}', 'a run without limits may call a model');
select lives_ok(
  $$ select public.store_model_usage(pg_temp.claim(), '{"a": {"requests": 1, "input_tokens": 10, "output_tokens": 5}}') from generate_series(1, 2) $$,
  'a report may be repeated'
);
select is(pg_temp.usage(), '{"a": {"requests": 1, "input_tokens": 10, "output_tokens": 5}}', 'storing the same usage twice changes nothing');
select public.store_model_usage(pg_temp.claim(), '{
  "a": {"requests": 2, "input_tokens": 30, "output_tokens": 5}, "b": {"requests": 1, "input_tokens": 1, "output_tokens": 1}
}');
select public.store_model_usage(pg_temp.claim(), '{"a": {"requests": 1, "input_tokens": 10, "output_tokens": 5}}');
select is(
  pg_temp.usage(), '{
    "a": {"requests": 2, "input_tokens": 30, "output_tokens": 5}, "b": {"requests": 1, "input_tokens": 1, "output_tokens": 1}
  }', 'a late report takes nothing back'
);
select is(public.begin_model_call(pg_temp.claim()) -> 'usage', pg_temp.usage(), 'the next call begins with the usage so far');
select is(private.model_tokens(pg_temp.usage()), 37::bigint, 'input and output of all models are counted');

select is(test.error_code($$ select public.begin_model_call(pg_temp.claim(2)) $$), 'claim_lost', 'another claim begins no call');
select is(test.error_code($$ select public.store_model_usage(pg_temp.claim(2), '{}') $$), 'claim_lost', 'another claim stores no usage');

select test.sign_in(test.user_id('owner'));
select is(
  public.flow_run_stats(flow => (select r.flow_id from public.flow_run as r)) -> 'usage', pg_temp.usage(), 'the statistics sum the usage'
);
select is(
  test.error_code($$ select public.store_model_usage('{}', '{}') $$), '42501', 'only the service role stores usage'
);
select * from finish();
