create function private.check_sweep_arguments(max_age interval, max_runs integer)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if check_sweep_arguments.max_age < interval '24 hours' then
    perform private.fail(400, 'request_invalid',
      'max_age: must be at least 24 hours, since a repeated start finds its run by the idempotency key for so long.');
  end if;
  if check_sweep_arguments.max_runs is null or check_sweep_arguments.max_runs not between 1 and 10000 then
    perform private.fail(400, 'request_invalid', 'max_runs: must be an integer from 1 to 10000.');
  end if;
end;
$$;
comment on function private.check_sweep_arguments(interval, integer) is 'Refuses arguments out of their range: 400 request_invalid.';

create function private.sweep_runner(max_age interval default '30 days', max_runs integer default 1000)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
-- The planner expects a scan of the whole table to meet a reference soon, as most rows have one. The rows that are looked for here have none.
set enable_seqscan = off
as $$
declare
  v_runs bigint;
  v_keys bigint;
  v_messages bigint;
  v_idle_shares bigint;
  v_snapshots bigint;
begin
  perform private.check_sweep_arguments(sweep_runner.max_age, sweep_runner.max_runs);
  v_runs := private.delete_old_runs(sweep_runner.max_age, sweep_runner.max_runs);
  v_keys := private.delete_old_idempotency_keys(sweep_runner.max_runs);
  v_messages := private.delete_stray_messages(sweep_runner.max_runs);
  v_idle_shares := private.delete_idle_usage(sweep_runner.max_runs);
  perform private.delete_usage_of_deleted_deployments(sweep_runner.max_runs);
  -- Last, since a start of the same graph waits for it until the transaction ends.
  v_snapshots := private.delete_unused_snapshots(sweep_runner.max_runs);
  return jsonb_build_object(
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', v_messages, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_messages, v_snapshots, v_idle_shares)
  );
end;
$$;
comment on function private.sweep_runner(interval, integer) is
  'Does what public.sweep_runner says. Definer: only functions delete runs, and the rest is private.';
grant execute on function private.sweep_runner(interval, integer) to service_role;

create function public.sweep_runner(max_age interval default '30 days', max_runs integer default 1000)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.sweep_runner(sweep_runner.max_age, sweep_runner.max_runs);
$$;
comment on function public.sweep_runner(interval, integer) is
  'For operators: deletes runs that ended longer than max_age ago (null: none) with all that is theirs, idempotency keys of more than 24 hours, messages that belong to no run, usage of callers who are idle and of deployments that are deleted, and snapshots that neither a deployment needs nor a run that has not ended or may be redriven; of each kind max_runs at most. Returns {runs, idempotency_keys, messages, snapshots, has_more}: how many it deleted, and whether to call again. 400 request_invalid.';
grant execute on function public.sweep_runner(interval, integer) to service_role;
