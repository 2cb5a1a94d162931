select plan(8);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));

create function pg_temp.refusal(claim_number integer) returns text language sql as $$
  select test.error_code(format(
    'select public.store_transaction(%L, %s, %L, %L)', test.kept('run'), claim_number, test.transaction(test.kept('run')::uuid),
    jsonb_build_array(test.request())
  ));
$$;
grant execute on function pg_temp.refusal(integer) to public;

select test.sign_in_as_role('anon');
select is(pg_temp.refusal(1), '42501', 'anon may not store transactions');
select test.sign_in(test.user_id('owner'));
select is(pg_temp.refusal(1), '42501', 'the owner may not store transactions');
select test.sign_in_as_role('service_role');
select is(pg_temp.refusal(claim_number), 'claim_lost', format('claim %s stores no transaction', claim_number)) from unnest('{0,2}'::integer[]) as claim_number;
select test.sign_out();
select is_empty('select from private.flow_run_transactions', 'no transaction was stored');
select test.sign_in_as_role('service_role');
select is(pg_temp.refusal(1), null, 'the newest claim stores a transaction');
select test.sign_out();
select test.end_run(test.kept('run')::uuid);
select is(pg_temp.refusal(1), 'claim_lost', 'after the end of the run no transaction is stored');
select is(count(*), 1::bigint, 'one transaction is stored') from private.flow_run_transactions;

select * from finish();
