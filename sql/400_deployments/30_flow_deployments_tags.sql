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
  constraint flow_deployments_tags_tag_form check (private.check_tag(tag)),
  constraint flow_deployments_tags_description_length check (
    description is null or char_length(description) <= private.limit_description_characters()
    or private.refuse_column(
      'description', format('must have at most %s characters', private.limit_description_characters())
    )
  )
);
comment on table public.flow_deployments_tags is
  'Names for a flow''s deployments. Triggers keep latest on the newest deployment; the owner manages the other tags.';
comment on column public.flow_deployments_tags.entrypoint is
  'The flow. Each tag names exactly one deployment of its flow.';
comment on column public.flow_deployments_tags.description is
  'The owner''s description of the tag, for people to read. It is null until the owner writes one, also for the tag latest.';
comment on column public.flow_deployments_tags.tag is
  'Letters, digits, dots, underscores and hyphens; the first is a letter or digit.';

create index flow_deployments_tags_deployment_id_idx
  on public.flow_deployments_tags (deployment_id, entrypoint, user_id);
create index flow_deployments_tags_user_id_idx on public.flow_deployments_tags (user_id);
create index flow_deployments_tags_entrypoint_user_id_idx on public.flow_deployments_tags (entrypoint, user_id);

-- These policies let the flow's owner make, move, describe and delete tags. The tag latest is an exception: only
-- the triggers of 40_latest.sql move it.
alter table public.flow_deployments_tags enable row level security;
create policy flow_deployments_tags_select_owner on public.flow_deployments_tags for select to authenticated
  using (user_id = (select auth.uid()));
-- This policy checks the owner of the flow. Otherwise, violations of the primary key would reveal the tags of other
-- users' flows.
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

create trigger _800_check_quota after insert on public.flow_deployments_tags
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('tags');
