-- The states of a job in the queue:
--
--   ready     a worker may claim the run
--   lost      a worker may claim the run, because the lease of the claim before has ended: its worker counts as lost
--   held      a worker has claimed the run and has neither released nor finished it; the lease lasts until due_at
--   sleeping  a worker has released the run until due_at
--   waiting   the run waits for a signature or an input, until due_at at the latest
--   blocked   the run waits for a place of its key (sql/575_queue_keys/10_queue_keys.sql)
--   ended     the run has ended
create type private.job_state as enum ('ready', 'lost', 'held', 'sleeping', 'waiting', 'blocked', 'ended');
comment on type private.job_state is 'What the queue does with a run: see the comment of private.flow_run_jobs.state.';

create table private.flow_run_jobs (
  flow_run_id uuid primary key,
  user_id uuid not null,
  snapshot_hash bytea not null,
  settings jsonb not null,
  counted_deployment_id uuid,
  counted_shares text[],
  queue_key_id bigint,
  state private.job_state not null default 'ready',
  due_at timestamptz,
  turn timestamptz not null default clock_timestamp(),
  priority integer not null default 0,
  claim_number integer not null default 0,
  lost_claim_count integer not null default 0,
  work_ms bigint not null default 0,
  output_bytes bigint not null default 0,
  action_lookups smallint not null default 0,
  has_ended_inputs boolean not null default false,
  input_bytes bigint not null default 0,
  stop_requested_at timestamptz,
  stop_reason text,
  stop_timeout_millies integer,
  failed_at timestamptz,
  chain_depth smallint not null default 0,
  redriven_from uuid[],
  redrive_changes jsonb,
  is_complete boolean not null default false,
  constraint flow_run_jobs_due_at_given check ((due_at is not null) = (state in ('held', 'lost', 'sleeping', 'waiting')))
);
comment on table private.flow_run_jobs is
  'The queue: for each root run its state in the queue, and the data that the runner needs and that readers of flow_run must not see. A job stays after its run has ended. Every transaction that writes a run that has not ended locks its job first.';
comment on column private.flow_run_jobs.flow_run_id is
  'The run. There is no foreign key, because it would cost a look-up at every start. None is needed: enqueue_run always stores a run together with its job.';
comment on column private.flow_run_jobs.user_id is
  'The owner of the flow, copied from flow_run for the order of claims. No foreign key is needed: a job is deleted with its run, a run with its flow, and a flow with its owner.';
comment on column private.flow_run_jobs.snapshot_hash is
  'The snapshot that the run executes. There is no foreign key, because it would slow every start. The snapshot exists without a key, too: only sweep_runner deletes snapshots, and it keeps the snapshot of each run that has not ended or may be redriven.';
comment on column private.flow_run_jobs.settings is
  'private.run_settings() and the action_signer, as they were at the start. A redrive copies this value. Starters can read flow_run, but must not read the RPC address and on_end, so the settings are stored here.';
comment on column private.flow_run_jobs.state is
  'ready and lost: a worker may claim the run. held: a worker has the run. sleeping: the run was released until due_at. waiting: like sleeping, but a signature or an input may wake the run earlier. blocked: the run waits for a place of its key. ended: the run has ended.';
comment on column private.flow_run_jobs.due_at is
  'The time at which the state ends by itself: a held run is then lost, a sleeping or waiting run is ready. While the state is lost, the time at which the lease ended. Null if the run is ready, is blocked or has ended.';
comment on column private.flow_run_jobs.counted_deployment_id is
  'The deployment whose max_runs_in_flight counts this run until it ends; null if no deployment counts it.';
comment on column private.flow_run_jobs.counted_shares is
  'The two shares in private.deployment_usage that count this run: first the caller''s group (guests or others), then the caller.';
comment on column private.flow_run_jobs.queue_key_id is
  'The key in private.queue_keys whose places the run needs; null for a run without limits by key, and for a blocked run that a change of a row has started, until the next claim or sweep. There is no foreign key, because it would lock the key at the start of each run.';
comment on column private.flow_run_jobs.turn is
  'The time at which the run was queued (started, released, woken, or due after its sleep), less the priority. An owner''s runs are claimed in this order. A lost run keeps its turn, so it is claimed before the runs that were queued later.';
comment on column private.flow_run_jobs.priority is
  'The seconds that are subtracted from each turn of the run. Only the owner''s start can set it.';
comment on column private.flow_run_jobs.claim_number is
  'The number of the newest claim; 0 before the first. A worker with an older claim can''t write to the run.';
comment on column private.flow_run_jobs.lost_claim_count is
  'How many workers in a row were lost while they held the run. The claim of a lost run adds one. The end of a node or a release of the run sets the number to 0.';
comment on column private.flow_run_jobs.work_ms is 'The milliseconds of work on the run that workers have reported.';
comment on column private.flow_run_jobs.output_bytes is
  'The bytes of JSON of all node outputs of the run and of the runs that it called, as workers have reported them. A worker needs this much memory to continue the run.';
comment on column private.flow_run_jobs.action_lookups is
  'How often somebody has looked up, on the chain, the transaction in the run''s output.';
comment on column private.flow_run_jobs.has_ended_inputs is
  'True if somebody submitted or cancelled an input that a node of the run waits for, and no worker has read the outcome yet.';
comment on column private.flow_run_jobs.input_bytes is 'The bytes of JSON that were submitted to inputs of the run.';
comment on column private.flow_run_jobs.stop_requested_at is
  'The time of the first stop request. This request also set stop_reason and stop_timeout_millies.';
comment on column private.flow_run_jobs.failed_at is
  'The time at which the run failed; null if it did not. Metrics count failures by the index on this column, which has only failed runs. An index on end_time of flow_run would cost a write for every run.';
comment on column private.flow_run_jobs.chain_depth is
  'The number of runs before this one in its chain. A chain grows when a node of a run starts another run, or when the outgoing webhook of a run calls an incoming webhook. If the number exceeds a limit, the start is refused. So a loop of runs ends.';
-- The first entry is flow_run.redriven_from. If that run is itself a redrive that ended before it had taken over
-- everything, the entries of its own redriven_from follow. There is no foreign key: sweep_runner keeps these runs until
-- the redrive has ended.
comment on column private.flow_run_jobs.redriven_from is
  'For a redrive: the earlier runs whose node executions the redrive takes over, the newest run first. Null for all other runs.';
-- An object. The name of each member is the id of an earlier run, and its value is the result of
-- private.redrive_changes(). An earlier run that has the same snapshot as the redrive has no member.
comment on column private.flow_run_jobs.redrive_changes is
  'For each run in redriven_from that executed another snapshot than this run: the nodes that differ between the two snapshots. Null if all runs in redriven_from executed the same snapshot as this run.';
comment on column private.flow_run_jobs.is_complete is
  'True if a worker executed every node that could run. False until the run has ended. After the end, it stays false if the run was stopped, exceeded a limit or lost its workers.';

create index flow_run_jobs_failed_at_idx on private.flow_run_jobs (failed_at) where failed_at is not null;
create index flow_run_jobs_user_id_idx_ready on private.flow_run_jobs (user_id, turn) where state in ('ready', 'lost');
create index flow_run_jobs_due_at_idx on private.flow_run_jobs (due_at) where state in ('held', 'sleeping', 'waiting');
-- Also finds the few jobs of row starts whose key the next claim takes: their queue_key_id is null.
create index flow_run_jobs_queue_key_id_idx_blocked on private.flow_run_jobs (queue_key_id, turn) where state = 'blocked';
-- The length of the queue counts the runs that wait because of their key before their first claim.
create index flow_run_jobs_user_id_idx_limited on private.flow_run_jobs (user_id)
  where claim_number = 0 and state in ('blocked', 'sleeping');
create index flow_run_jobs_snapshot_hash_idx_redrivable on private.flow_run_jobs (snapshot_hash)
  where failed_at is not null or stop_requested_at is not null;
create index flow_run_jobs_redriven_idx_pending on private.flow_run_jobs (flow_run_id)
  where redriven_from is not null and state <> 'ended';

create function private.tg_flow_run__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from private.flow_run_jobs as j where j.flow_run_id = old.id;
  return null;
end;
$$;
comment on function private.tg_flow_run__after_delete() is
  'Deletes the job of a deleted root run. Definer, because no API role may access jobs.';
create trigger _500_delete_job after delete on public.flow_run
  for each row when (old.parent_flow_run_id is null) execute function private.tg_flow_run__after_delete();

create function private.claimable_since(job private.flow_run_jobs)
returns timestamptz
language sql stable security invoker
begin atomic
  select case
    when claimable_since.job.state = 'ready'
      then claimable_since.job.turn + make_interval(secs => claimable_since.job.priority)
    else claimable_since.job.due_at
  end;
end;
comment on function private.claimable_since(private.flow_run_jobs) is
  'The time from which a worker may claim the run; null if the run is blocked or has ended. A later time for a run that is held, sleeps or waits.';

create function private.is_overdue(flow_run_id uuid)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select coalesce(
    private.claimable_since(j) <= clock_timestamp() - interval '2 seconds', false
  )
  from private.flow_run_jobs as j where j.flow_run_id = is_overdue.flow_run_id;
$$;
comment on function private.is_overdue(uuid) is
  'True if this root run has waited for a worker for 2 seconds, so that the runner should be called. Definer, because no API role may access jobs.';
