create table private.flow_run_jobs (
  flow_run_id uuid primary key,
  user_id uuid not null,
  snapshot_hash bytea not null,
  settings jsonb not null,
  message_id bigint,
  counted_deployment_id uuid,
  counted_shares text[],
  turn bigint not null default 0,
  claim_number integer not null default 0,
  is_held boolean not null default false,
  lost_claim_count integer not null default 0,
  work_ms bigint not null default 0,
  output_bytes bigint not null default 0,
  action_lookups smallint not null default 0,
  has_ended_inputs boolean not null default false,
  input_bytes bigint not null default 0,
  sleeps_until timestamptz,
  stop_requested_at timestamptz,
  stop_reason text,
  stop_timeout_millies integer,
  failed_at timestamptz,
  chain_depth smallint not null default 0,
  redriven_from uuid[],
  redrive_changes jsonb,
  is_complete boolean not null default false,
  constraint flow_run_jobs_held_while_pending check (message_id is not null or not is_held),
  constraint flow_run_jobs_asleep_while_nobody_holds_it
    check (sleeps_until is null or (message_id is not null and not is_held))
);
comment on table private.flow_run_jobs is
  'For each root run, the data that the runner needs and that readers of flow_run must not see. A job stays after its run has ended.';
comment on column private.flow_run_jobs.flow_run_id is
  'The run. There is no foreign key, because it would cost a look-up at every start. None is needed: enqueue_run always stores a run together with its job.';
comment on column private.flow_run_jobs.user_id is
  'The owner of the flow, copied from flow_run for the order of claims. No foreign key is needed: a job is deleted with its run, a run with its flow, and a flow with its owner.';
comment on column private.flow_run_jobs.snapshot_hash is
  'The snapshot that the run executes. There is no foreign key, because it would slow every start. The snapshot exists without a key, too: only sweep_runner deletes snapshots, and it keeps the snapshot of each run that has not ended or may be redriven.';
comment on column private.flow_run_jobs.settings is
  'private.run_settings() and the action_signer, as they were at the start. A redrive copies this value. Starters can read flow_run, but must not read the RPC address and on_end, so the settings are stored here.';
comment on column private.flow_run_jobs.message_id is 'The run''s message in the queue; null once the run has ended.';
comment on column private.flow_run_jobs.counted_deployment_id is
  'The deployment whose max_runs_in_flight counts this run until it ends; null if no deployment counts it.';
comment on column private.flow_run_jobs.counted_shares is
  'The two shares in private.deployment_usage that count this run: first the caller''s group (guests or others), then the caller.';
comment on column private.flow_run_jobs.turn is
  'The place of the run in the order in which its owner''s runs are claimed. A new run has its message_id as turn. When a worker releases the run, turn becomes the next number of the sequence that numbers messages. So runs that were queued in the meantime are claimed first.';
comment on column private.flow_run_jobs.claim_number is
  'The number of the newest claim; 0 before the first. A worker with an older claim can''t write to the run.';
comment on column private.flow_run_jobs.is_held is
  'True if a worker has claimed the run and has neither released nor finished it. If the run''s message becomes visible while is_held is true, the worker counts as lost.';
comment on column private.flow_run_jobs.lost_claim_count is
  'How many workers in a row were lost while they held the run. If a worker is lost, is_held stays true, and the next claim adds the lost worker to this number. The end of a node or a release of the run sets the number to 0.';
comment on column private.flow_run_jobs.work_ms is 'The milliseconds of work on the run that workers have reported.';
comment on column private.flow_run_jobs.output_bytes is
  'The bytes of JSON of all node outputs of the run and of the runs that it called, as workers have reported them. A worker needs this much memory to continue the run.';
comment on column private.flow_run_jobs.action_lookups is
  'How often somebody has looked up, on the chain, the transaction in the run''s output.';
comment on column private.flow_run_jobs.has_ended_inputs is
  'True if somebody submitted or cancelled an input that a node of the run waits for, and no worker has read the outcome yet.';
comment on column private.flow_run_jobs.input_bytes is 'The bytes of JSON that were submitted to inputs of the run.';
comment on column private.flow_run_jobs.sleeps_until is
  'The time from which a sleeping run may be claimed again; null if the run does not sleep. Claims read only jobs that do not sleep, so sleeping runs do not slow claims.';
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
create index flow_run_jobs_user_id_idx_pending on private.flow_run_jobs (user_id, turn)
  where message_id is not null and sleeps_until is null;
create index flow_run_jobs_snapshot_hash_idx_redrivable on private.flow_run_jobs (snapshot_hash)
  where failed_at is not null or stop_requested_at is not null;
create index flow_run_jobs_redriven_idx_pending on private.flow_run_jobs (flow_run_id)
  where redriven_from is not null and message_id is not null;
create index flow_run_jobs_sleeps_until_idx on private.flow_run_jobs (sleeps_until) where sleeps_until is not null;

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
  'Deletes the message of a deleted run from the queue. Definer, because users who delete flows have no rights on the queue.';
create trigger _500_delete_message after delete on private.flow_run_jobs
  for each row when (old.message_id is not null) execute function private.tg_flow_run_jobs__after_delete();
