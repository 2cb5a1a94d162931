create table public.flow_deployments_tags (
  user_id uuid not null default auth.uid(),
  entrypoint integer not null,
  tag text not null,
  deployment_id uuid not null,
  description text,
  primary key (entrypoint, tag),
  constraint flow_deployments_tags_entrypoint_fkey foreign key (entrypoint, user_id)
    references public.flows (id, user_id) on delete cascade,
  constraint flow_deployments_tags_deployment_id_fkey foreign key (deployment_id, entrypoint, user_id)
    references public.flow_deployments (id, entrypoint, user_id) on delete cascade,
  constraint flow_deployments_tags_tag_form check (tag ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
  constraint flow_deployments_tags_description_length check (char_length(description) <= 2000)
);
comment on table public.flow_deployments_tags is
  'Names for deployments of a flow. latest is kept by triggers and always names the newest; the others are the owner''s.';
comment on column public.flow_deployments_tags.entrypoint is 'The flow; a tag names one of its deployments at a time.';
comment on column public.flow_deployments_tags.description is 'The owner''s words for people; null where there are none, as on latest until somebody describes it.';
comment on column public.flow_deployments_tags.tag is '1 to 128 letters, digits, dots, underscores and hyphens, a letter or digit first.';

create index flow_deployments_tags_deployment_id_idx on public.flow_deployments_tags (deployment_id, entrypoint, user_id);
create index flow_deployments_tags_user_id_idx on public.flow_deployments_tags (user_id);
create index flow_deployments_tags_entrypoint_user_id_idx on public.flow_deployments_tags (entrypoint, user_id);

alter table public.flow_deployments_tags enable row level security;
create policy flow_deployments_tags_select_owner on public.flow_deployments_tags for select to authenticated
  using (user_id = (select auth.uid()));
-- Whose flow it is comes before the primary key, which would tell of the tags of others' flows.
create policy flow_deployments_tags_insert_owner on public.flow_deployments_tags for insert to authenticated
  with check (
    user_id = (select auth.uid())
    and exists (select from public.flows as f where f.id = entrypoint and f.user_id = (select auth.uid()))
  );
create policy flow_deployments_tags_update_owner on public.flow_deployments_tags for update to authenticated
  using (user_id = (select auth.uid()))
  with check (
    user_id = (select auth.uid())
    and exists (select from public.flows as f where f.id = entrypoint and f.user_id = (select auth.uid()))
  );
create policy flow_deployments_tags_delete_owner on public.flow_deployments_tags for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.flow_deployments_tags to authenticated;
grant select, insert, update, delete on public.flow_deployments_tags to service_role;

create function private.refuse_latest()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(409, 'tag_latest_protected', 'The tag latest always names the newest deployment: it can''t be set, moved, renamed or deleted.',
    hint => 'Use a tag of your own. The description of latest may be changed.');
end;
$$;
comment on function private.refuse_latest() is 'Raises the one refusal of changes to the tag latest.';
grant execute on function private.refuse_latest() to authenticated, service_role;

create function private.tg_flow_deployments_tags__before_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- Deeper calls are the deployments' own triggers and foreign keys, which keep latest.
  if pg_trigger_depth() > 1 then
    return coalesce(new, old);
  end if;
  case tg_op
    when 'INSERT' then
      -- An upsert that describes latest passes here first: it names the deployment that latest has anyway.
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

create trigger _800_check_quota after insert on public.flow_deployments_tags
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('tags');
