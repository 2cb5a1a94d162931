-- This table is an outbox. The transaction that ends a run, or asks for signatures or for an input, also inserts the
-- message as a row. Later, the row records how the message was delivered.
create table public.webhook_deliveries (
  id uuid primary key default private.uuid_v7(),
  created_at timestamptz not null generated always as (private.uuid_v7_time(id)) stored,
  user_id uuid not null,
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  deployment_id uuid,
  turn_id uuid not null generated always as
    (coalesce(deployment_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')) stored,
  is_started_by_owner boolean not null default true,
  event text not null,
  url text not null,
  headers jsonb not null default '{}',
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
  constraint webhook_deliveries_event_known check (
    event in ('succeeded', 'failed', 'stopped', 'signature_request', 'api_input')
  ),
  constraint webhook_deliveries_status_known check (status in ('pending', 'delivered', 'failed')),
  constraint webhook_deliveries_next_attempt_at_while_pending check ((next_attempt_at is not null) = (status = 'pending')),
  constraint webhook_deliveries_held_while_pending check (status = 'pending' or not is_held),
  constraint webhook_deliveries_last_response_length check (char_length(last_response) <= 1000),
  constraint webhook_deliveries_last_error_length check (char_length(last_error) <= 1000)
);
comment on table public.webhook_deliveries is
  'Outgoing webhooks: messages about runs, and the state of their delivery. The setting on_end of a deployment, or a node api_input, requests a message. Only functions write rows; the owner reads them. A row is deleted with its run.';
comment on column public.webhook_deliveries.id is 'The webhook-id of the message, the same in each attempt.';
comment on column public.webhook_deliveries.user_id is
  'The owner of the flow, copied from flow_run so that the policy needs no join. No foreign key is needed, because the row is deleted with its run, the run with its flow, and the flow with its owner.';
comment on column public.webhook_deliveries.deployment_id is
  'The deployment of the run; null if start_flow started the run without a deployment. There is no foreign key, so that the id stays when the deployment is deleted.';
comment on column public.webhook_deliveries.turn_id is
  'The deployment, or one constant for all runs without a deployment. An owner''s deliveries with different turn_ids take turns. Deliveries with the same turn_id share a part of the owner''s quota.';
comment on column public.webhook_deliveries.is_started_by_owner is
  'True if the flow''s owner started the run, by hand or by a schedule. Messages about other runs may use only a part of the owner''s concurrent posts and of the quota.';
comment on column public.webhook_deliveries.event is
  'succeeded, failed or stopped: the end of the run. signature_request: the run asks for signatures. api_input: the run waits for a value.';
comment on column public.webhook_deliveries.headers is
  'Headers that the flow adds to those of Standard Webhooks: webhook_headers of a node api_input, with lower-case names.';
comment on column public.webhook_deliveries.payload is 'The posted JSON, {type, timestamp, data}.';
comment on column public.webhook_deliveries.status is
  'pending; delivered: the address answered with a status from 200 to 299; failed: there are no more attempts, and last_error says why.';
comment on column public.webhook_deliveries.attempts is
  'The number of attempts so far, which is also the number of the newest attempt. A report about an older attempt changes nothing.';
comment on column public.webhook_deliveries.max_attempts is
  'The number of failed attempts after which delivery ends. redeliver_webhook grants eight more attempts.';
comment on column public.webhook_deliveries.next_attempt_at is
  'The time of the next attempt; null unless pending. While is_held is true: the time from which another worker may claim the delivery if no result has been reported.';
comment on column public.webhook_deliveries.is_held is
  'True if a worker has claimed the delivery and has not reported the result.';
comment on column public.webhook_deliveries.last_http_status is
  'The status of the newest answer; null if the newest attempt got no answer.';
comment on column public.webhook_deliveries.last_response is 'The first 1,000 characters of the newest answer.';
comment on column public.webhook_deliveries.last_error is
  'The reason why the newest attempt failed; null if it did not fail.';

create index webhook_deliveries_flow_run_id_idx on public.webhook_deliveries (flow_run_id);
create index webhook_deliveries_user_id_idx on public.webhook_deliveries (user_id, id desc);
-- The console lists the deliveries of a deployment every few seconds. Without this index, each list would read all
-- deliveries of the owner.
create index webhook_deliveries_deployment_id_idx on public.webhook_deliveries (deployment_id, id desc);
-- Claims search this index every second and mostly find nothing. It has only pending deliveries, so that it stays
-- small.
create index webhook_deliveries_next_attempt_at_idx on public.webhook_deliveries (next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_user_id_idx_pending on public.webhook_deliveries (user_id, next_attempt_at, id)
  where status = 'pending';
-- This index is sorted by deployment, because deployments take turns. It separates new deliveries from those that were
-- tried, because only new deliveries wait for room in the quota.
create index webhook_deliveries_user_id_idx_turns on public.webhook_deliveries
  (user_id, least(attempts, 1), is_started_by_owner, turn_id, next_attempt_at, id) where status = 'pending';
create index webhook_deliveries_user_id_idx_held on public.webhook_deliveries (user_id, next_attempt_at) where is_held;

alter table public.webhook_deliveries enable row level security;
create policy webhook_deliveries_select_owner on public.webhook_deliveries for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.webhook_deliveries to authenticated;
grant select on public.webhook_deliveries to service_role;
