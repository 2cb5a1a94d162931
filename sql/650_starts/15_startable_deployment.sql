-- A caller who may start a deployment may also read its inputs and outputs. start_deployment and read_deployment both
-- call startable_deployment, so they refuse the same callers, with the same errors.

create function private.refuse_start_target(id uuid, flow integer, tag text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (refuse_start_target.id is null) = (refuse_start_target.flow is null) then
    perform private.fail('start_target_ambiguous', 'Name the deployment either by id or by flow.',
      hint => 'Send ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  perform private.fail('start_target_ambiguous', 'A tag names a deployment of a flow: send it with flow, not with id.');
end;
$$;
comment on function private.refuse_start_target(uuid, integer, text) is
  'Refuses a request that does not name exactly one deployment: 400 start_target_ambiguous.';

create function private.refuse_public_key(public_key text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if refuse_public_key.public_key is null then
    perform private.unauthenticated();
  end if;
  perform private.fail('public_key_invalid', '`public_key` must be a public key: base58 of 32 bytes.');
end;
$$;
comment on function private.refuse_public_key(text) is
  'Refuses a caller who is not a user and sends no valid public key: 401 unauthenticated without a key, 400 public_key_invalid for an invalid key.';

-- Returns the deployment named by id, or by flow and tag (default latest), if the caller may start it; otherwise 404
-- deployment_not_found. A caller who is not a user needs a public key: 401 unauthenticated if it is missing, 400
-- public_key_invalid if it is invalid. If is_locked is true, the deployment and its snapshot can't be deleted until the
-- transaction ends. Deploys, updates and other starts do not wait for this lock.
create function private.startable_deployment(
  id uuid, flow integer, tag text, caller private.caller, public_key text, is_locked boolean
)
returns public.flow_deployments
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_id uuid := startable_deployment.id;
  v_deployment public.flow_deployments;
begin
  if startable_deployment.caller.user_id is null
    and private.is_public_key(startable_deployment.public_key) is not true then
    perform private.refuse_public_key(startable_deployment.public_key);
  end if;
  loop
    if startable_deployment.flow is not null then
      v_id := (
        select t.deployment_id from public.flow_deployments_tags as t
        where t.entrypoint = startable_deployment.flow and t.tag = coalesce(startable_deployment.tag, 'latest')
      );
    end if;
    -- Select the row as one column. If the columns were selected one by one, every start would prepare all columns
    -- again.
    if startable_deployment.is_locked then
      v_deployment := (select d from public.flow_deployments as d where d.id = v_id for key share);
    else
      v_deployment := (select d from public.flow_deployments as d where d.id = v_id);
    end if;
    -- If the deployment was deleted while this statement waited for its lock, the tag may now name another deployment.
    -- For example, the deletion moves the tag latest. So look the tag up again.
    exit when v_deployment.id is not null or startable_deployment.flow is null or v_id is null;
  end loop;
  if not private.may_start(v_deployment, startable_deployment.caller) then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  return v_deployment;
end;
$$;
comment on function private.startable_deployment(uuid, integer, text, private.caller, text, boolean) is
  'The deployment named by id, or by flow and tag, if the caller may start it; otherwise 404 deployment_not_found. If is_locked is true, the deployment can''t be deleted until the transaction ends. Definer, because it reads other users'' deployments.';

create function private.check_own_target(user_id uuid, flow integer, deployment_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if check_own_target.flow is not null and not exists (
    select from public.flows as f where f.id = check_own_target.flow and f.user_id = check_own_target.user_id
  ) then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  if check_own_target.deployment_id is not null and not exists (
    select from public.flow_deployments as d
      where d.id = check_own_target.deployment_id and d.user_id = check_own_target.user_id
  ) then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
end;
$$;
comment on function private.check_own_target(uuid, integer, uuid) is
  'Refuses a flow or deployment of another user as if it did not exist: 404 flow_not_found, deployment_not_found. Definer, so that the result does not depend on the rights of the calling role.';

create function private.refuse_missing_tag(flow integer, tag text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('deployment_not_found',
    format('Flow %s has no deployment with the tag %s.', refuse_missing_tag.flow, refuse_missing_tag.tag),
    hint => 'Deploy the flow, or give one of its deployments this tag.');
end;
$$;
comment on function private.refuse_missing_tag(integer, text) is
  'Refuses a start whose flow has no deployment with this tag: 404 deployment_not_found. Call it only for the flow''s owner, because the message names the flow.';

-- Finds the deployment by its id if deployment_id is given, otherwise by flow and tag. Does not check the owner;
-- call private.check_own_target() first.
create function private.own_deployment(flow integer, tag text, deployment_id uuid)
returns public.flow_deployments
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_deployment public.flow_deployments;
begin
  select d.* into v_deployment from public.flow_deployments as d
  where d.id = coalesce(own_deployment.deployment_id, (
    select t.deployment_id from public.flow_deployments_tags as t
    where t.entrypoint = own_deployment.flow and t.tag = own_deployment.tag
  ));
  if not found then
    perform private.refuse_missing_tag(own_deployment.flow, own_deployment.tag);
  end if;
  return v_deployment;
end;
$$;
comment on function private.own_deployment(integer, text, uuid) is
  'The deployment that a schedule or webhook starts; 404 deployment_not_found if no deployment of the flow has the tag. Does not check ownership; call private.check_own_target() first. Definer, so that the result does not depend on the rights of the calling role.';
