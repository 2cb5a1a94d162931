create function private.check_sweep_arguments(max_age interval, max_runs integer)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if check_sweep_arguments.max_age < make_interval(hours => private.limit_idempotency_hours()) then
    perform private.fail('request_invalid',
      format(
        'max_age: must be at least %s hours, '
        'because for that time a repeated start finds its run by the idempotency key.',
        private.limit_idempotency_hours()));
  end if;
  if check_sweep_arguments.max_runs is null or check_sweep_arguments.max_runs not between 1 and 10000 then
    perform private.fail('request_invalid', 'max_runs: must be an integer from 1 to 10000.');
  end if;
end;
$$;
comment on function private.check_sweep_arguments(interval, integer) is
  'Refuses arguments out of their range: 400 request_invalid.';

create function private.sweep_runner(max_age interval default '30 days', max_runs integer default 1000)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_runs bigint;
  v_keys bigint;
  v_idle_shares bigint;
  v_queue_keys bigint;
  v_snapshots bigint;
begin
  perform private.check_sweep_arguments(sweep_runner.max_age, sweep_runner.max_runs);
  v_runs := private.delete_old_runs(sweep_runner.max_age, sweep_runner.max_runs);
  v_keys := private.delete_old_idempotency_keys(sweep_runner.max_runs);
  v_idle_shares := private.delete_idle_usage(sweep_runner.max_runs);
  perform private.delete_usage_of_deleted_deployments(sweep_runner.max_runs);
  -- Claims do this, too. Without a worker, the metrics and the limit of the queue still read few due jobs.
  perform private.make_due_jobs_ready();
  v_queue_keys := private.delete_unused_keys(sweep_runner.max_runs);
  perform private.end_row_starts_without_table();
  -- This step comes last, because a start that needs one of these snapshots waits until the transaction ends.
  v_snapshots := private.delete_unused_snapshots(sweep_runner.max_runs);
  return jsonb_build_object(
    -- There are no messages any more. The member stays for callers of the former release.
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', 0, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_snapshots, v_idle_shares, v_queue_keys)
  );
end;
$$;
comment on function private.sweep_runner(interval, integer) is
  'Implements public.sweep_runner. Definer, because no API role may delete runs or access the other tables.';
grant execute on function private.sweep_runner(interval, integer) to service_role;

create function public.sweep_runner(max_age interval default '30 days', max_runs integer default 1000)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.sweep_runner(max_age, max_runs);
$$;
-- Deletes runs that ended longer than max_age ago, with everything that belongs to them. If max_age is null, deletes no
-- runs. Also deletes idempotency keys older than 24 hours, the usage of idle callers and of deleted deployments, unused
-- keys of limits, and snapshots that nothing needs. Gives free places to blocked runs. Deployments, runs that have not
-- ended, and runs that may be redriven need their snapshots. Deletes at most max_runs rows of each kind. 400
-- request_invalid.
comment on function public.sweep_runner(interval, integer) is
  'For operators: deletes runs that ended longer than max_age ago, and other rows that are no longer needed, at most max_runs of each kind. Returns the counts, {runs, idempotency_keys, messages, snapshots, has_more}; call again if has_more is true. 400 request_invalid.';
grant execute on function public.sweep_runner(interval, integer) to service_role;
