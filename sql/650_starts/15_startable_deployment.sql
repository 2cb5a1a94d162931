-- Who may start a deployment may read what it takes. Both come here, so that neither tells more about a deployment than the other.

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
  'Raises the refusal of a caller who does not name one deployment: 400 start_target_ambiguous.';

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
  'Raises the refusal of a caller who is not a user and shows no public key, 401 unauthenticated, or one that is not valid, 400 public_key_invalid.';

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
  if startable_deployment.caller.user_id is null and private.is_public_key(startable_deployment.public_key) is not true then
    perform private.refuse_public_key(startable_deployment.public_key);
  end if;
  loop
    if startable_deployment.flow is not null then
      v_id := (
        select t.deployment_id from public.flow_deployments_tags as t
        where t.entrypoint = startable_deployment.flow and t.tag = coalesce(startable_deployment.tag, 'latest')
      );
    end if;
    -- The row as one column: each of many would be made ready anew by every start.
    if startable_deployment.is_locked then
      v_deployment := (select d from public.flow_deployments as d where d.id = v_id for key share);
    else
      v_deployment := (select d from public.flow_deployments as d where d.id = v_id);
    end if;
    -- If the deployment was deleted while this waited for it, the tag may name another one now, as latest does: look it up again.
    exit when v_deployment.id is not null or startable_deployment.flow is null or v_id is null;
  end loop;
  if not private.may_start(v_deployment, startable_deployment.caller) then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  return v_deployment;
end;
$$;
comment on function private.startable_deployment(uuid, integer, text, private.caller, text, boolean) is
  'The deployment that id names, or flow and tag (default latest), if the caller may start it, else 404 deployment_not_found. If is_locked, nobody deletes it, nor so its snapshot, until the transaction ends; deploys, customising and other starts do not wait. 401 unauthenticated or 400 public_key_invalid for a caller who is not a user and shows no valid public key. Definer: it reads deployments of others.';

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
    select from public.flow_deployments as d where d.id = check_own_target.deployment_id and d.user_id = check_own_target.user_id
  ) then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
end;
$$;
comment on function private.check_own_target(uuid, integer, uuid) is
  'Refuses a flow or deployment that is not this user''s, as if it did not exist: 404 flow_not_found, deployment_not_found. Definer: whoever writes.';

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
  'Tells the owner of a flow that none of its deployments has this tag: 404 deployment_not_found.';

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
  'The deployment that a schedule or webhook starts, by its id or else by flow and tag: 404 deployment_not_found for a tag that no deployment of the flow has. Nothing asks whose it is: private.check_own_target() does. Definer: whoever writes.';
