create function private.grant_runner(worker regrole)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_function regprocedure;
begin
  execute format('grant usage on schema public, private to %s', grant_runner.worker);
  for v_function in
    select p.oid from pg_catalog.pg_proc as p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and p.proname in (
      'await_claimable_runs', 'claim_flow_runs', 'heartbeat_flow_runs', 'flow_run_history', 'flow_run_history_page',
      'checkpoint_flow_run', 'release_flow_run', 'suspend_flow_run', 'take_api_inputs', 'store_transaction',
      'finish_flow_run', 'finish_flow_runs', 'read_wallet_secret', 'kv_create_store', 'kv_delete_store', 'kv_read_item',
      'kv_write_item', 'make_claim_token', 'primary_key_columns', 'has_due_webhook', 'claim_webhook_deliveries', 'store_webhook_attempt',
      'read_claimed_connection', 'begin_token_refresh',
      'end_token_refresh', 'expire_connection_token', 'begin_model_call', 'store_model_usage'
    )
  loop
    execute format('grant execute on function %s to %s', v_function, grant_runner.worker);
  end loop;
end;
$$;
comment on function private.grant_runner(regrole) is
  'For operators: grants a role the right to call the functions that a worker needs. The role can then execute runs, and do nothing else. Call it again after an upgrade that has replaced such functions. Invoker, so that only a caller who owns the functions can grant them.';
