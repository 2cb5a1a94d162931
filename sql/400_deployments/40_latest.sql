-- Moves the tag latest. A deploy moves the tag to the new deployment. If the newest deployment is deleted, the tag
-- moves back to the newest of the other deployments. Users can't move or delete the tag.

create function private.tg_flow_deployments__after_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into public.flow_deployments_tags as t (user_id, entrypoint, tag, deployment_id)
  values (new.user_id, new.entrypoint, 'latest', new.id)
  on conflict (entrypoint, tag) do update set deployment_id = excluded.deployment_id
  where t.deployment_id < excluded.deployment_id;
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_insert() is
  'Moves the tag latest to the new deployment and keeps the tag''s description. Definer, so that the tag moves whatever rights the writer has.';
create trigger _100_move_latest after insert on public.flow_deployments
  for each row execute function private.tg_flow_deployments__after_insert();

create function private.tg_flow_deployments__before_delete_statement()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from auth.users as u where u.id = (select auth.uid()) for key share;
  return null;
end;
$$;
comment on function private.tg_flow_deployments__before_delete_statement() is
  'Locks the user who deletes deployments, so that nobody can delete this user before the transaction ends. Without this lock, the deletion of the user could lock the same deployments in another order and cause a deadlock. Definer, because no API role may lock rows of auth.users.';
create trigger _100_hold_user before delete on public.flow_deployments
  for each statement execute function private.tg_flow_deployments__before_delete_statement();

create function private.tg_flow_deployments__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_previous uuid;
begin
  -- If the flow is gone, its owner is being deleted: the cascade has deleted the flow and will delete the tags next.
  -- Moving a tag now would break the tag's foreign key.
  if not exists (select from public.flows as f where f.id = old.entrypoint and f.user_id = old.user_id) then
    return old;
  end if;
  -- This trigger must not lock the flow. A transaction that deletes the flow or its owner locks first the flow, then
  -- this deployment. The trigger has already locked the deployment, so a lock of the flow could cause a deadlock.
  -- Instead, deletions and deploys wait for each other at the lock of the tag's row. After the wait, a transaction sees
  -- to which deployment the other transaction has moved the tag. The trigger must run before the foreign key deletes
  -- the tags that still name this deployment, so it can't be an AFTER trigger.
  select d.id into v_previous
  from public.flow_deployments as d
  where d.entrypoint = old.entrypoint and d.user_id = old.user_id and d.id <> old.id
  order by d.id desc limit 1
  -- Skip a deployment that another transaction is deleting. That transaction may be waiting for this deployment or for
  -- the tag, so waiting for it could cause a deadlock.
  for key share skip locked;
  if v_previous is not null then
    update public.flow_deployments_tags as t set deployment_id = v_previous
    where t.entrypoint = old.entrypoint and t.tag = 'latest' and t.deployment_id = old.id;
  end if;
  return old;
end;
$$;
comment on function private.tg_flow_deployments__before_delete() is
  'Moves the tag latest to the newest other deployment of the flow, but skips deployments that other transactions are deleting. Definer, so that the tag moves whatever rights the writer has.';
create trigger _100_move_latest_back before delete on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_delete();

create function private.refuse_latest()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('tag_latest_protected',
    'The tag latest always names the newest deployment: it can''t be set, moved, renamed or deleted.',
    hint => 'Use a tag of your own. You may change the description of latest.');
end;
$$;
comment on function private.refuse_latest() is 'Refuses a change of the tag latest: 409 tag_latest_protected.';
grant execute on function private.refuse_latest() to authenticated, service_role;

create function private.tg_flow_deployments_tags__before_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- At a trigger depth of 2 or more, the write comes from a trigger or a foreign key of deployments, not from a client.
  -- Such a write may move the tag latest.
  if pg_trigger_depth() > 1 then
    return coalesce(new, old);
  end if;
  case tg_op
    when 'INSERT' then
      -- A client may change the description of the tag latest by an upsert. Postgres runs this insert branch first for
      -- an upsert, so the branch accepts a row with the deployment that the tag already names.
      if new.tag = 'latest' and not exists (
        select from public.flow_deployments_tags as t
        where t.entrypoint = new.entrypoint and t.tag = 'latest' and t.deployment_id = new.deployment_id
      ) then
        perform private.refuse_latest();
      end if;
      return new;
    when 'UPDATE' then
      if 'latest' in (old.tag, new.tag)
        and (new.user_id, new.entrypoint, new.tag, new.deployment_id)
          is distinct from (old.user_id, old.entrypoint, old.tag, old.deployment_id)
      then
        perform private.refuse_latest();
      end if;
      return new;
    else
      if old.tag = 'latest' then
        perform private.refuse_latest();
      end if;
      return old;
  end case;
end;
$$;
comment on function private.tg_flow_deployments_tags__before_write() is
  'Refuses to set, move or delete the tag latest, also for the service role.';
create trigger _100_protect_latest before insert or update or delete on public.flow_deployments_tags
  for each row execute function private.tg_flow_deployments_tags__before_write();
