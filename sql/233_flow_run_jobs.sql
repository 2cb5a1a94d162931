create table private.flow_run_jobs (
  flow_run_id uuid primary key references public.flow_run (id) on delete cascade,
  user_id uuid not null,
  snapshot_hash bytea not null references private.flow_snapshots (hash),
  chain_url text not null,
  message_id bigint,
  turn bigint not null default 0,
  attempt integer not null default 0,
  is_held boolean not null default false,
  lost_claim_count integer not null default 0,
  work_ms bigint not null default 0,
  stop_requested_at timestamptz,
  stop_reason text,
  stop_timeout_millies integer,
  constraint flow_run_jobs_attempt_natural check (attempt >= 0),
  constraint flow_run_jobs_lost_claim_count_natural check (lost_claim_count >= 0),
  constraint flow_run_jobs_work_ms_natural check (work_ms >= 0),
  constraint flow_run_jobs_held_while_pending check (message_id is not null or not is_held)
);
comment on table private.flow_run_jobs is 'What the runner needs of a root run and its readers must not see.';
comment on column private.flow_run_jobs.user_id is 'The owner of the flow, repeated from flow_run for the order of claims; no foreign key, since the run''s own row carries it.';
comment on column private.flow_run_jobs.chain_url is 'RPC address, copied at start; it may carry a secret.';
comment on column private.flow_run_jobs.message_id is 'Its message in the queue; null once the run has ended.';
comment on column private.flow_run_jobs.turn is
  'Runs are claimed in this order: the start tag of start-time fair queuing, in which each owner''s runs follow one another and owners alternate.';
comment on column private.flow_run_jobs.attempt is 'Counts the claims of the run: what an earlier claim still writes is refused.';
comment on column private.flow_run_jobs.is_held is 'A worker claimed the run and has not given it back: when its message is visible all the same, that worker is lost.';
comment on column private.flow_run_jobs.lost_claim_count is 'Workers lost in a row with this run, since it last got anywhere.';
comment on column private.flow_run_jobs.work_ms is 'Milliseconds that claims worked on it, as far as they told.';
comment on column private.flow_run_jobs.stop_requested_at is 'When somebody first asked the run to stop, with stop_reason and stop_timeout_millies.';

create index flow_run_jobs_snapshot_hash_idx on private.flow_run_jobs (snapshot_hash);
create unique index flow_run_jobs_message_id_idx_pending on private.flow_run_jobs (message_id) where message_id is not null;
create index flow_run_jobs_turn_idx_pending on private.flow_run_jobs (turn, message_id) where message_id is not null;
create index flow_run_jobs_user_id_idx_pending on private.flow_run_jobs (user_id, turn) where message_id is not null;

create function private.tg_flow_run_jobs__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform pgmq.delete('flow_runs', old.message_id);
  return null;
end;
$$;
comment on function private.tg_flow_run_jobs__after_delete() is
  'Takes the message of a deleted run out of the queue. Definer: whoever deletes flows has no part in the queue.';
create trigger _500_delete_message after delete on private.flow_run_jobs
  for each row when (old.message_id is not null) execute function private.tg_flow_run_jobs__after_delete();

create sequence private.flow_run_turn minvalue 0;
comment on sequence private.flow_run_turn is
  'The greatest turn claimed so far, the queue''s virtual time. A sequence, since it only moves forward and never with a transaction.';
