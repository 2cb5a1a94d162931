SET local check_function_bodies = off;

DROP FUNCTION "private"."deploy_flow"(integer, boolean, jsonb);

DROP FUNCTION "public"."deploy_flow"(integer, boolean, jsonb);

CREATE OR REPLACE FUNCTION private.compare_deploy_settings (
  flow_id       integer,
  settings_from text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
      and kept.key not in ('id', 'created_at', 'user_id', 'entrypoint', 'snapshot_hash', 'input_names')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.deploy_flow (
  flow_id       integer,
  strict        boolean,
  as_of         jsonb,
  settings_from text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.new_deployment (
  flow public.flows
)
  RETURNS public.flow_deployments
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
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
  -- Keep only url and cluster: the chain_network of a flow may have more members.
  v_new.chain_network := jsonb_build_object(
    'url', new_deployment.flow.chain_network -> 'url', 'cluster', new_deployment.flow.chain_network -> 'cluster'
  );
  return v_new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.settings_source (
  flow          public.flows,
  settings_from text
)
  RETURNS public.flow_deployments
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.check_setting_json('fees', new.fees);
  perform private.check_setting_json('chain_network', new.chain_network);
  perform private.check_setting_json('on_end', new.on_end);

  if new.start_permission is distinct from old.start_permission
    and coalesce(new.start_permission not in ('Owner', 'Authenticated', 'Anonymous'), true)
  then
    perform private.refuse_setting('start_permission', 'must be Owner, Authenticated or Anonymous');
  end if;

  if new.name is distinct from old.name and coalesce(char_length(new.name) > private.limit_name_characters(), true) then
    perform private.refuse_setting(
      'name', format('must be a text of at most %s characters', private.limit_name_characters())
    );
  end if;
  if new.description is distinct from old.description
    and coalesce(char_length(new.description) > private.limit_description_characters(), true)
  then
    perform private.refuse_setting(
      'description', format('must be a text of at most %s characters', private.limit_description_characters())
    );
  end if;
  if new.icon_url is distinct from old.icon_url and not private.is_icon_url(new.icon_url) then
    perform private.refuse_setting(
      'icon_url', format('must be an https address of at most %s characters, or null', private.limit_url_characters())
    );
  end if;

  if new.max_starts_per_minute < 0 then
    perform private.refuse_setting(
      'max_starts_per_minute', 'must be an integer from 0 to 2^31-1, or null for the default'
    );
  end if;
  if new.max_runs_in_flight < 0 then
    perform private.refuse_setting(
      'max_runs_in_flight', 'must be an integer from 0 to 2^31-1, or null for the default'
    );
  end if;

  if new.on_end is distinct from old.on_end and new.on_end is not null then
    perform private.refuse_faults('on_end_invalid', private.on_end_faults(new.on_end));
  end if;

  if new.chain_network is distinct from old.chain_network then
    perform private.refuse_faults('chain_network_invalid', private.chain_network_faults(new.chain_network));
  end if;

  -- Compare the texts, because the jsonb values 1.0 and 1 are equal. If an update changes an amount from 1 to 1.0, the
  -- texts differ, and the code below stores 1 again.
  if new.fees::text is distinct from old.fees::text then
    perform private.refuse_faults('fees_invalid', private.fees_faults(new.fees));
    select coalesce(jsonb_agg(jsonb_build_array(f.pair -> 0, private.lamports(f.pair -> 1)) order by f.position), '[]')
    into new.fees
    from jsonb_array_elements(new.fees) with ordinality as f (pair, position);
  end if;

  if new.action_identity is distinct from old.action_identity and new.action_identity is not null then
    if not private.is_public_key(new.action_identity) then
      perform private.refuse_setting('action_identity', 'must be a public key, base58 of 32 bytes, or null');
    end if;
    -- The share lock keeps the wallet from being deleted or changed into an ADAPTER until this row is stored. A
    -- concurrent change of the wallet waits for the lock, then sees the deployment and is refused.
    perform from public.wallets as w
    where w.user_id = new.user_id and w.public_key = new.action_identity and w.type = 'HARDCODED'
    for share;
    if not found then
      perform private.fail('action_identity_without_wallet',
        'action_identity must be the public key of a HARDCODED wallet of the deployment''s owner.',
        '[{"path": "action_identity", "message": "there is no HARDCODED wallet with this public key"}]',
        'POST /wallets/upsert stores a wallet with its key pair.');
    end if;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION public.compare_deploy_settings (
  flow_id       integer,
  settings_from text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return private.compare_deploy_settings(flow_id, settings_from);
end;
$function$;

CREATE OR REPLACE FUNCTION public.deploy_flow (
  flow_id       integer,
  strict        boolean DEFAULT false,
  as_of         jsonb   DEFAULT NULL::jsonb,
  settings_from text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.deploy_flow(flow_id, strict, as_of, settings_from);
end;
$function$;

COMMENT ON FUNCTION "private"."compare_deploy_settings"(integer, text) IS 'Implements public.compare_deploy_settings. Definer, because no API role may call private.require_user().';

COMMENT ON FUNCTION "private"."deploy_flow"(integer, boolean, jsonb, text) IS 'Implements public.deploy_flow. Definer, because no API role may access snapshots or insert deployments.';

COMMENT ON FUNCTION "private"."new_deployment"(public.flows) IS 'A deployment of the flow with the settings that the flow gives it, and the defaults of the others. It is not stored, and has no id and no snapshot.';

COMMENT ON FUNCTION "private"."settings_source"(public.flows, text) IS 'The deployment of the flow with this tag or id; 404 deployment_not_found if the flow has no such deployment.';

COMMENT ON FUNCTION "public"."compare_deploy_settings"(integer, text) IS 'The settings that a deploy of the caller''s flow keeps only with settings_from, [{setting, kept, otherwise}]. 401; 404 flow_not_found, also for another user''s flow; 404 deployment_not_found.';

COMMENT ON FUNCTION "public"."deploy_flow"(integer, boolean, jsonb, text) IS 'Freezes the caller''s flow into a new deployment, {deployment_id, warnings, limits}. With settings_from, a tag or an id, it takes over the settings of that deployment of the flow. 401; 404 flow_not_found, also for another user''s flow; 404 deployment_not_found; 409 quota_exceeded, flow_changed; 422 flow_invalid.';

REVOKE ALL ON FUNCTION "private"."compare_deploy_settings"(integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."compare_deploy_settings"(integer, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."compare_deploy_settings"(integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."compare_deploy_settings"(integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."compare_deploy_settings"(integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."deploy_flow"(integer, boolean, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer, boolean, jsonb, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."deploy_flow"(integer, boolean, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer, boolean, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer, boolean, jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."new_deployment"(public.flows) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."new_deployment"(public.flows) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."new_deployment"(public.flows) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settings_source"(public.flows, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settings_source"(public.flows, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."settings_source"(public.flows, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."compare_deploy_settings"(integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."compare_deploy_settings"(integer, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."compare_deploy_settings"(integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."compare_deploy_settings"(integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."compare_deploy_settings"(integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."deploy_flow"(integer, boolean, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer, boolean, jsonb, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."deploy_flow"(integer, boolean, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer, boolean, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer, boolean, jsonb, text) TO "service_role";
