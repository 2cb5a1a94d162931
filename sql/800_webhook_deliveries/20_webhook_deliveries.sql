create table public.webhook_deliveries (
  id uuid primary key default private.uuid_v7(),
  created_at timestamptz not null generated always as (private.uuid_v7_time(id)) stored,
  user_id uuid not null,
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  deployment_id uuid not null,
  is_started_by_owner boolean not null default true,
  event text not null,
  url text not null,
  payload jsonb not null,
  status text not null default 'pending',
  attempts integer not null default 0,
  max_attempts integer not null default 8,
  next_attempt_at timestamptz default clock_timestamp(),
  is_held boolean not null default false,
  last_attempt_at timestamptz,
  last_http_status integer,
  last_response text,
  last_error text,
  constraint webhook_deliveries_event_known check (event in ('succeeded', 'failed', 'stopped', 'signature_request')),
  constraint webhook_deliveries_status_known check (status in ('pending', 'delivered', 'failed')),
  constraint webhook_deliveries_next_attempt_at_while_pending check ((next_attempt_at is not null) = (status = 'pending')),
  constraint webhook_deliveries_held_while_pending check (status = 'pending' or not is_held),
  constraint webhook_deliveries_last_response_length check (char_length(last_response) <= 1000),
  constraint webhook_deliveries_last_error_length check (char_length(last_error) <= 1000)
);
comment on table public.webhook_deliveries is
  'Outgoing webhooks: the messages about runs that on_end of their deployments asks for: an outbox, written by the transaction that has the news, and a record of what became of them. Written by functions only, read by the owner; a delivery goes with its run.';
comment on column public.webhook_deliveries.id is 'The webhook-id of the message, the same in each attempt.';
comment on column public.webhook_deliveries.user_id is
  'The owner of the flow, repeated from flow_run so that the policy needs no join; no foreign key, since the run''s own row carries it.';
comment on column public.webhook_deliveries.deployment_id is 'The deployment of the run. Kept when it is deleted, so it carries no foreign key.';
comment on column public.webhook_deliveries.is_started_by_owner is
  'Whether the owner of the flow has started the run, by hand or by a schedule: messages about runs that others started have only a part of the places and of the quota.';
comment on column public.webhook_deliveries.event is 'How the run ended, succeeded, failed or stopped; or signature_request: it asks for signatures.';
comment on column public.webhook_deliveries.payload is 'What is posted, {type, timestamp, data}.';
comment on column public.webhook_deliveries.status is
  'pending; delivered: the address answered with a status from 200 to 299; failed: nobody tries any more, and last_error says why.';
comment on column public.webhook_deliveries.attempts is 'How often it was tried: the number of the newest attempt. What is told of an older one changes nothing.';
comment on column public.webhook_deliveries.max_attempts is 'When it has failed so often, nobody tries any more. redeliver_webhook grants eight attempts more.';
comment on column public.webhook_deliveries.next_attempt_at is
  'When it is tried next; while is_held, when somebody else may try if nothing is heard of the attempt under way; null unless it is pending.';
comment on column public.webhook_deliveries.is_held is 'A runner has claimed it and has not told what came of it.';
comment on column public.webhook_deliveries.last_http_status is 'The status of the newest answer; null when the newest attempt got none.';
comment on column public.webhook_deliveries.last_response is 'The first 1,000 characters of the newest answer.';
comment on column public.webhook_deliveries.last_error is 'Why the newest attempt failed; null when it did not.';

create index webhook_deliveries_flow_run_id_idx on public.webhook_deliveries (flow_run_id);
create index webhook_deliveries_user_id_idx on public.webhook_deliveries (user_id, id desc);
-- The console lists those of a deployment, every few seconds: else it would read all of an owner's.
create index webhook_deliveries_deployment_id_idx on public.webhook_deliveries (deployment_id, id desc);
-- Only of what is pending, since claims look every second, at most of nothing.
create index webhook_deliveries_next_attempt_at_idx on public.webhook_deliveries (next_attempt_at) where status = 'pending';
create index webhook_deliveries_user_id_idx_pending on public.webhook_deliveries (user_id, next_attempt_at, id) where status = 'pending';
-- By deployments, which take turns, and apart from those that were never tried, which wait until there is room.
create index webhook_deliveries_user_id_idx_turns on public.webhook_deliveries
  (user_id, least(attempts, 1), is_started_by_owner, deployment_id, next_attempt_at, id) where status = 'pending';
create index webhook_deliveries_user_id_idx_held on public.webhook_deliveries (user_id, next_attempt_at) where is_held;

alter table public.webhook_deliveries enable row level security;
create policy webhook_deliveries_select_owner on public.webhook_deliveries for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.webhook_deliveries to authenticated;
grant select on public.webhook_deliveries to service_role;
