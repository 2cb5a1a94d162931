create function private.check_start_environment(environment jsonb, owner_id uuid)
returns void
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_findings jsonb;
begin
  if (private.measure_json(
    check_start_environment.environment, private.limit_environment_bytes()
  )).fault is not null or not private.is_string_map(check_start_environment.environment) then
    v_findings := jsonb_build_array(jsonb_build_object('path', 'environment', 'message', format(
      'must be an object whose members are all strings, with at most %s',
      private.size_text(private.limit_environment_bytes())
    )));
  else
    v_findings := private.environment_findings(check_start_environment.environment, check_start_environment.owner_id);
  end if;
  if v_findings <> '[]' then
    perform private.fail('environment_invalid',
      format('%s: %s.', v_findings #>> '{0,path}', v_findings #>> '{0,message}'), v_findings);
  end if;
end;
$$;
comment on function private.check_start_environment(jsonb, uuid) is
  'Refuses the environment of a start if a flow of this owner could not have this environment: 400 environment_invalid, with the findings.';

-- environment and partial_config come from the request. Each is null if the request has none.
create function private.flow_start_settings(
  deployment public.flow_deployments, flow public.flows, action_signer text, environment jsonb, partial_config jsonb
)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_settings jsonb := private.run_settings(flow_start_settings.deployment)
    || jsonb_build_object('action_signer', flow_start_settings.action_signer);
  v_pins constant jsonb := private.pins_of_flow(flow_start_settings.flow);
  v_partial jsonb;
begin
  if flow_start_settings.environment is not null then
    perform private.check_start_environment(
      flow_start_settings.environment, (flow_start_settings.flow).user_id
    );
    v_settings := v_settings || jsonb_build_object('environment',
      flow_start_settings.environment - array(select jsonb_object_keys((flow_start_settings.flow).environment)));
  end if;
  if flow_start_settings.partial_config is not null then
    v_partial := private.partial_setting(flow_start_settings.flow, flow_start_settings.partial_config, v_pins);
  end if;
  if v_partial is not null then
    v_settings := v_settings || jsonb_build_object('partial_config', v_partial);
  elsif v_pins <> '{}' then
    v_settings := v_settings || jsonb_build_object('pins', v_pins);
  end if;
  return v_settings;
end;
$$;
comment on function private.flow_start_settings(
  public.flow_deployments, public.flows, text, jsonb, jsonb
) is
  'The settings of a run that start_flow starts: private.run_settings(), action_signer, environment, and partial_config or else the pins. Variables that the flow also defines are left out. 400 environment_invalid; errors of private.partial_setting. Definer, for the same reason as run_settings.';
