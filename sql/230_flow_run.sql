create table public.flow_run (
  id uuid primary key default private.uuid_v7(),
  user_id uuid not null references auth.users (id) on delete cascade,
  flow_id integer not null,
  deployment_id uuid,
  status text not null default 'queued',
  started_by uuid references auth.users (id) on delete set null,
  started_by_public_key text,
  inputs jsonb not null,
  output jsonb,
  errors text[],
  not_run uuid[],
  created_at timestamptz not null generated always as (private.uuid_v7_time(id)) stored,
  start_time timestamptz,
  end_time timestamptz,
  parent_flow_run_id uuid references public.flow_run (id) on delete cascade,
  parent_node_id uuid,
  parent_times integer,
  output_instructions boolean not null default false,
  action_identity text,
  action_signer text,
  fees jsonb not null default '[]',
  chain_network jsonb not null,
  constraint flow_run_status_known check (status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped')),
  constraint flow_run_start_time_matches_status check (
    case
      when status = 'queued' then start_time is null
      when status in ('running', 'waiting', 'succeeded') then start_time is not null
      else true
    end
  ),
  constraint flow_run_end_time_matches_status check (
    (status in ('succeeded', 'failed', 'stopped')) = (end_time is not null)
  ),
  constraint flow_run_output_after_end check (output is null or end_time is not null),
  constraint flow_run_errors_not_empty check (cardinality(errors) > 0),
  constraint flow_run_errors_match_status check (
    case status when 'failed' then errors is not null when 'stopped' then true else errors is null end
  ),
  constraint flow_run_parent_complete check (num_nulls(parent_flow_run_id, parent_node_id, parent_times) in (0, 3)),
  constraint flow_run_child_without_deployment check (parent_flow_run_id is null or deployment_id is null),
  constraint flow_run_started_by_public_key_valid check (private.is_public_key(to_jsonb(started_by_public_key))),
  constraint flow_run_action_identity_valid check (private.is_public_key(to_jsonb(action_identity))),
  constraint flow_run_action_signer_valid check (private.is_public_key(to_jsonb(action_signer))),
  constraint flow_run_fees_valid check (private.is_fees(fees))
);
comment on table public.flow_run is 'Runs of flows: written by functions only, read by the flow''s owner and by whoever started the run.';
comment on column public.flow_run.user_id is 'The owner of the flow.';
comment on column public.flow_run.deployment_id is
  'The deployment that was started; null for a normal run and for an interflow child. Kept when the deployment is deleted, so it carries no foreign key.';
comment on column public.flow_run.started_by is 'The user who started it; null for a caller with a public key only.';
comment on column public.flow_run.started_by_public_key is 'The public key that an unauthenticated caller showed: a claim, no proof.';
comment on column public.flow_run.inputs is 'One value, {"M": {…}}: the inputs of the start.';
comment on column public.flow_run.output is 'One value, {"M": {…}}, by the labels of the flow''s outputs; null until the run has ended.';
comment on column public.flow_run.errors is 'One line per failed node, "<name> <node id>[#times]: <message>", 100 at most; null when there are none.';
comment on column public.flow_run.not_run is 'Ids of the nodes that never started; null until the run has ended.';
comment on column public.flow_run.parent_flow_run_id is 'For an interflow child: the run whose node called it, with parent_node_id and parent_times.';
comment on column public.flow_run.action_signer is 'Public key that signs and sends for the action identity.';
comment on column public.flow_run.chain_network is 'The Solana network of this run, {cluster}; its address is the runner''s only.';

create index flow_run_deployment_id_idx on public.flow_run (deployment_id, id desc);
create index flow_run_user_id_idx on public.flow_run (user_id, id desc);
create index flow_run_flow_id_idx on public.flow_run (flow_id, id desc);
create index flow_run_started_by_idx on public.flow_run (started_by, id desc) where started_by is not null;
create index flow_run_parent_flow_run_id_idx on public.flow_run (parent_flow_run_id) where parent_flow_run_id is not null;
-- Retention goes by it, and runs that have not ended are its nulls. Neither index names status, so that a claim, which changes no
-- indexed column, stays a heap-only update.
create index flow_run_end_time_idx_roots on public.flow_run (end_time) where parent_flow_run_id is null;
create index flow_run_end_time_idx_root_errors on public.flow_run (end_time) where parent_flow_run_id is null and errors is not null;

alter table public.flow_run enable row level security;
create policy flow_run_select_owner_starter_token on public.flow_run for select to authenticated
  using (user_id = (select auth.uid()) or started_by = (select auth.uid()) or id = (select private.token_run_id()));
create policy flow_run_select_token on public.flow_run for select to anon
  using (id = (select private.token_run_id()));

grant select on public.flow_run to anon, authenticated;
grant select on public.flow_run to service_role;

create function public.deployment(flow_run public.flow_run)
returns setof public.flow_deployments
rows 1
language sql stable security invoker
set search_path = ''
as $$
  select d.* from public.flow_deployments as d where d.id = deployment.flow_run.deployment_id;
$$;
comment on function public.deployment(public.flow_run) is
  'The deployment that a run was started from, for embedding: select=*,deployment(*). Empty when it has been deleted.';
grant execute on function public.deployment(public.flow_run) to authenticated, service_role;
