SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.start_deployment (
  id              uuid,
  flow            integer,
  tag             text,
  inputs          jsonb,
  action_signer   text,
  public_key      text,
  idempotency_key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller record := private.caller();
  v_deployment public.flow_deployments;
  v_inputs jsonb := coalesce(start_deployment.inputs, '{}');
  v_run public.flow_run;
begin
  if (start_deployment.id is null) = (start_deployment.flow is null) then
    perform private.fail(400, 'start_target_ambiguous', 'Name the deployment either by id or by flow.',
      hint => 'Give ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  if start_deployment.tag is not null and start_deployment.flow is null then
    perform private.fail(400, 'start_target_ambiguous', 'A tag names a deployment of a flow: give flow with it, not id.');
  end if;
  if v_caller.user_id is null then
    if start_deployment.public_key is null then
      perform private.unauthenticated();
    elsif not private.is_public_key(to_jsonb(start_deployment.public_key)) then
      perform private.fail(400, 'public_key_invalid', 'public_key: takes base58 of 32 bytes.');
    end if;
  end if;

  -- Key share: the deployment stays until the run is stored; deploys, customising and other starts don't wait. Its owner first, as
  -- the deletion of a user goes: whoever had the deployment already would wait for the owner in a circle.
  loop
    select d.* into v_deployment
    from public.flow_deployments as d
    join auth.users as u on u.id = d.user_id
    where d.id = coalesce(start_deployment.id, (
      select t.deployment_id from public.flow_deployments_tags as t
      where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
    ))
    for key share of u for key share of d;
    -- Whoever deleted it while it was waited for has moved the tag, as latest always is: it is looked up anew.
    exit when found or start_deployment.id is not null or not exists (
      select from public.flow_deployments_tags as t
      where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
    );
  end loop;
  if not found or not (case v_deployment.start_permission
    when 'Owner' then coalesce(v_deployment.user_id = v_caller.user_id, false)
    when 'Authenticated' then v_caller.user_id is not null and (v_deployment.user_id = v_caller.user_id or not v_caller.is_anonymous)
    when 'Anonymous' then true
  end) then
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end if;
  perform private.check_start(v_inputs, start_deployment.action_signer);

  v_run.user_id := v_deployment.user_id;
  v_run.flow_id := v_deployment.entrypoint;
  v_run.deployment_id := v_deployment.id;
  v_run.started_by := v_caller.user_id;
  if v_caller.user_id is null then
    v_run.started_by_public_key := start_deployment.public_key;
  end if;
  v_run.inputs := jsonb_build_object('M', v_inputs);
  v_run.output_instructions := v_deployment.output_instructions;
  v_run.action_identity := v_deployment.action_identity;
  v_run.action_signer := start_deployment.action_signer;
  v_run.fees := v_deployment.fees;
  v_run.chain_network := jsonb_build_object('cluster', v_deployment.chain_network -> 'cluster');
  return private.enqueue_run(
    v_run, v_deployment.snapshot_hash, v_deployment.chain_network ->> 'url', start_deployment.idempotency_key,
    jsonb_build_object(
      'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
      'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
    ),
    case when v_run.started_by is distinct from v_run.user_id then v_deployment.max_starts_per_minute end,
    v_deployment.max_runs_in_flight
  );
end;
$function$;
