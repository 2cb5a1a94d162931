-- What moves the tag latest: a deploy moves it to the new deployment, the deletion of the newest deployment moves it back to the newest
-- of the others. Nobody moves or deletes it by hand.

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
  'Moves latest to the new deployment; its description stays. Definer: nobody else may move latest.';
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
  'Keeps the owner who deletes deployments from being deleted meanwhile: deleting the owner locks several deployments in another order, and the two could deadlock. Definer for the same reason as private.caller().';
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
  -- The flow is not locked: who deletes it, or its owner, has locked it and locks this row next, which would be a deadlock.
  -- The row of the tag keeps deletions and deploys apart: whoever comes second sees where the first has left it.
  -- Before the foreign key acts, which deletes the tags that still point here. (An AFTER trigger would come too late: a deploy
  -- that waited for this one's locks could have moved latest in between.)
  select d.id into v_previous
  from public.flow_deployments as d
  where d.entrypoint = old.entrypoint and d.user_id = old.user_id and d.id <> old.id
  order by d.id desc limit 1
  -- One that is being deleted is passed over: who deletes it may wait for this one, or for the tag.
  for key share skip locked;
  if v_previous is not null then
    update public.flow_deployments_tags as t set deployment_id = v_previous
    where t.entrypoint = old.entrypoint and t.tag = 'latest' and t.deployment_id = old.id;
  end if;
  return old;
end;
$$;
comment on function private.tg_flow_deployments__before_delete() is
  'Moves latest to the newest of the other deployments that nobody is deleting. Definer: nobody else may move latest.';
create trigger _100_move_latest_back before delete on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_delete();

create function private.refuse_latest()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('tag_latest_protected', 'The tag latest always names the newest deployment: it can''t be set, moved, renamed or deleted.',
    hint => 'Use a tag of your own. The description of latest may be changed.');
end;
$$;
comment on function private.refuse_latest() is 'Raises the refusal of everybody who changes the tag latest by hand: 409 tag_latest_protected.';
grant execute on function private.refuse_latest() to authenticated, service_role;

create function private.tg_flow_deployments_tags__before_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- A deeper call comes from the triggers and foreign keys of deployments, which keep latest.
  if pg_trigger_depth() > 1 then
    return coalesce(new, old);
  end if;
  case tg_op
    when 'INSERT' then
      -- An upsert that describes latest comes here as an insert first. It names the deployment that latest already names.
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
comment on function private.tg_flow_deployments_tags__before_write() is 'Keeps everybody, the service role included, from setting, moving or deleting latest.';
create trigger _100_protect_latest before insert or update or delete on public.flow_deployments_tags
  for each row execute function private.tg_flow_deployments_tags__before_write();
