create function private.new_deployment(flow public.flows)
returns public.flow_deployments
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_new public.flow_deployments;
begin
  v_new.user_id := new_deployment.flow.user_id;
  v_new.entrypoint := new_deployment.flow.id;
  v_new.name := new_deployment.flow.name;
  v_new.description := left(new_deployment.flow.description, private.limit_description_characters());
  v_new.start_permission := case
    when new_deployment.flow.is_public and new_deployment.flow.start_shared and new_deployment.flow.start_unverified
      then 'Anonymous'
    when new_deployment.flow.is_public and new_deployment.flow.start_shared then 'Authenticated'
    else 'Owner'
  end;
  v_new.output_instructions := false;
  v_new.fees := '[]';
  v_new.queue_key_shared := false;
  -- Keep only url and cluster: the chain_network of a flow may have more members.
  v_new.chain_network := jsonb_build_object(
    'url', new_deployment.flow.chain_network -> 'url', 'cluster', new_deployment.flow.chain_network -> 'cluster'
  );
  return v_new;
end;
$$;
comment on function private.new_deployment(public.flows) is
  'A deployment of the flow with the settings that the flow gives it, and the defaults of the others. It is not stored, and has no id and no snapshot.';

-- A text in the form of a UUID is an id, any other text is a tag.
create function private.settings_source(flow public.flows, settings_from text)
returns public.flow_deployments
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_id uuid;
  v_source public.flow_deployments;
begin
  if pg_input_is_valid(settings_source.settings_from, 'uuid') then
    v_id := settings_source.settings_from::uuid;
  else
    v_id := (
      select t.deployment_id from public.flow_deployments_tags as t
      where t.entrypoint = (settings_source.flow).id and t.tag = settings_source.settings_from
    );
  end if;
  select * into v_source from public.flow_deployments as d
  where d.id = v_id and d.entrypoint = (settings_source.flow).id and d.user_id = (settings_source.flow).user_id;
  if not found then
    perform private.fail('deployment_not_found', 'The flow has no such deployment to take the settings from.',
      hint => '`settings_from` is a tag or the id of a deployment of the flow.');
  end if;
  return v_source;
end;
$$;
comment on function private.settings_source(public.flows, text) is
  'The deployment of the flow with this tag or id; 404 deployment_not_found if the flow has no such deployment.';

create function private.deploy_flow(flow_id integer, strict boolean, as_of jsonb, settings_from text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_frozen record;
  v_warnings jsonb;
  v_hash bytea;
  v_deployment public.flow_deployments;
begin
  select * into v_flow from public.flows as f
  where f.id = deploy_flow.flow_id and f.user_id = v_user_id
  for no key update;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;

  v_frozen := private.freeze_flow(v_flow, true);
  -- Compare the times after freezing: a flow that is unchanged now was also unchanged when it was frozen.
  if not private.flows_are_as_of(v_user_id, deploy_flow.as_of) then
    perform private.fail('flow_changed', 'The flow, or a flow that it calls, was changed during the deploy.',
      hint => 'Deploy the flow again.');
  end if;
  v_warnings := private.snapshot_warnings(v_frozen.snapshot_hash, v_flow, deploy_flow.strict);
  -- All settings are taken over: the trigger assigns the id, the time and the names of the inputs.
  v_deployment := case
    when deploy_flow.settings_from is null then private.new_deployment(v_flow)
    else private.settings_source(v_flow, deploy_flow.settings_from)
  end;
  v_deployment.snapshot_hash := v_frozen.snapshot_hash;
  insert into public.flow_deployments values (v_deployment.*) returning * into v_deployment;
  v_hash := private.flow_version_hash(
    v_flow.nodes, v_flow.edges, v_flow.environment, v_flow.chain_network, v_flow.instructions_bundling
  );
  insert into private.flow_deployment_canvases (deployment_id, canvas, flow_hash)
  values (v_deployment.id, v_frozen.canvas, v_hash);
  perform private.store_deployed_version(v_flow.id, v_hash);
  insert into private.flow_deployment_connections (deployment_id, name, connection_id)
  select v_deployment.id, c.key, c.value::uuid
  from jsonb_each_text(private.snapshot_connections(v_frozen.snapshot_hash, v_user_id)) as c;
  return jsonb_build_object('deployment_id', v_deployment.id, 'warnings', v_warnings)
    || private.describe_start_limits(v_deployment);
end;
$$;
comment on function private.deploy_flow(integer, boolean, jsonb, text) is
  'Implements public.deploy_flow. Definer, because no API role may access snapshots or insert deployments.';
grant execute on function private.deploy_flow(integer, boolean, jsonb, text) to anon, authenticated, service_role;

-- Returns {deployment_id, warnings}, with at most 100 warnings. If anybody may start the deployment, the answer also
-- has limits. If strict is true, all warnings count as errors, except those that
-- private.snapshot_warnings() accepts. as_of is the value that read_flow_scripts returned. If a flow has changed since
-- then, the answer is 409 flow_changed. settings_from is a tag or the id of a deployment of the flow: the new
-- deployment takes over all its settings. The error 422 flow_invalid lists the first 1,000 findings.
create function public.deploy_flow(
  flow_id integer, strict boolean default false, as_of jsonb default null, settings_from text default null
)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.deploy_flow(flow_id, strict, as_of, settings_from);
end;
$$;
comment on function public.deploy_flow(integer, boolean, jsonb, text) is
  'Freezes the caller''s flow into a new deployment, {deployment_id, warnings, limits}. With settings_from, a tag or an id, it takes over the settings of that deployment of the flow. 401; 404 flow_not_found, also for another user''s flow; 404 deployment_not_found; 409 quota_exceeded, flow_changed; 422 flow_invalid.';
grant execute on function public.deploy_flow(integer, boolean, jsonb, text) to anon, authenticated, service_role;

create function private.compare_deploy_settings(flow_id integer, settings_from text)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_user();
  v_flow public.flows;
begin
  select * into v_flow from public.flows as f
  where f.id = compare_deploy_settings.flow_id and f.user_id = v_user_id;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  return (
    select coalesce(
      jsonb_agg(jsonb_build_object('setting', kept.key, 'kept', kept.value, 'otherwise', given.value) order by kept.key),
      '[]'
    )
    from jsonb_each(to_jsonb(private.settings_source(v_flow, compare_deploy_settings.settings_from))) as kept
    join jsonb_each(to_jsonb(private.new_deployment(v_flow))) as given on given.key = kept.key
    where kept.value <> given.value
      and kept.key not in ('id', 'created_at', 'user_id', 'entrypoint', 'snapshot_hash', 'input_names', 'typed_inputs')
  );
end;
$$;
comment on function private.compare_deploy_settings(integer, text) is
  'Implements public.compare_deploy_settings. Definer, because no API role may call private.require_user().';
grant execute on function private.compare_deploy_settings(integer, text) to anon, authenticated, service_role;

-- Returns [{setting, kept, otherwise}]: for each setting that a deploy with settings_from would give another value than
-- a deploy without it, both values.
create function public.compare_deploy_settings(flow_id integer, settings_from text)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return private.compare_deploy_settings(flow_id, settings_from);
end;
$$;
comment on function public.compare_deploy_settings(integer, text) is
  'The settings that a deploy of the caller''s flow keeps only with settings_from, [{setting, kept, otherwise}]. 401; 404 flow_not_found, also for another user''s flow; 404 deployment_not_found.';
grant execute on function public.compare_deploy_settings(integer, text) to anon, authenticated, service_role;
