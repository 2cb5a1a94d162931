-- Only this function lists the settings that a run takes from its deployment. private.flow_run_jobs stores the result.
-- A runner that claims a run gets the whole result, a redrive on the same deployment copies it, and a called run uses
-- the result of its root run. So a new setting of runs needs only one more member here. start_flow passes a deployment
-- that is not stored and has null in most columns, so each member needs a default here. A migration that changes this
-- function has to write the rows of private.deployment_run_settings, too.
create function private.run_settings(deployment public.flow_deployments)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'output_instructions', coalesce(run_settings.deployment.output_instructions, false),
    'action_identity', run_settings.deployment.action_identity,
    -- The amounts are text, because JavaScript would read a JSON number as a float.
    'fees', case when run_settings.deployment.fees <> '[]' then (
      select jsonb_agg(jsonb_build_array(fee.pair -> 0, fee.pair ->> 1) order by fee.position)
      from jsonb_array_elements(run_settings.deployment.fees) with ordinality as fee (pair, position)
    ) else '[]' end,
    'chain_network', jsonb_build_object(
      'url', run_settings.deployment.chain_network -> 'url', 'cluster', run_settings.deployment.chain_network -> 'cluster'
    ),
    'on_end', run_settings.deployment.on_end,
    'connections', case
      when run_settings.deployment.id is null
        then private.snapshot_connections(run_settings.deployment.snapshot_hash, run_settings.deployment.user_id)
      else (
        select coalesce(jsonb_object_agg(c.name, c.connection_id), '{}')
        from private.flow_deployment_connections as c where c.deployment_id = run_settings.deployment.id
      )
    end
  ) || case
    when run_settings.deployment.model_limits is null then '{}'
    -- Only runs with limits have this member, because each update of a job writes its settings again.
    else jsonb_build_object('model_limits', run_settings.deployment.model_limits)
  end || case
    when num_nonnulls(
      run_settings.deployment.max_running_per_key, run_settings.deployment.max_starts_per_key,
      run_settings.deployment.debounce_seconds
    ) = 0 then '{}'
    -- As above.
    else jsonb_build_object('queue', jsonb_strip_nulls(jsonb_build_object(
      'key', run_settings.deployment.queue_key, 'is_shared', run_settings.deployment.queue_key_shared,
      'max_running', run_settings.deployment.max_running_per_key,
      'max_starts', run_settings.deployment.max_starts_per_key,
      'period_seconds', run_settings.deployment.key_period_seconds,
      'debounce_seconds', run_settings.deployment.debounce_seconds,
      'debounce_max_seconds', run_settings.deployment.debounce_max_seconds
    )))
  end;
end;
$$;
comment on function private.run_settings(public.flow_deployments) is
  'The settings of the runs of a deployment: {output_instructions, action_identity, fees, chain_network, on_end, connections}, model_limits if it has any, and queue if it has limits by key. chain_network contains the RPC address, which may contain a secret.';
