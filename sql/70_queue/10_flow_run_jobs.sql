-- How a run passes through the queue; each step is a function in a file of its name:
--
--   start       enqueue_run stores the run, its job (the table below) and its message (pgmq). A visible message is a run to be claimed.
--   claim       claim_flow_runs takes the next runs: next_owners says whose turn it is, and lock_next_flow_runs takes the runs of each
--               owner in the order of their turns. The claim gets its claim_number and hides the message until the lease ends.
--   heartbeat   heartbeat_flow_runs hides the message for another lease. When a worker is lost, its messages become visible although
--               their jobs are still held. The next claim sees by this that a worker was lost, and counts it. A run that lost two
--               workers in a row is a suspect (awake_jobs tells both): it is claimed alone.
--   checkpoint  checkpoint_flow_run stores progress (store_progress) and keeps the claim.
--   release     release_flow_run stores progress and ends the claim (end_claim). The run goes behind the other runs of its owner, to be
--               claimed at once or, when a node waits for a time, after it has slept until then.
--   suspend     suspend_flow_run releases the run until its signatures arrive (answer_signature_request) or a request expires. A run that
--               waits for the input of somebody (sql/75_pending_inputs/) sleeps until it is answered or expires.
--   finish      finish_flow_runs stores the last progress of runs and ends them (end_flow_runs), which deletes their messages.
--
-- A worker writes under lock_claimed_run only, which refuses every claim but the newest.
create table private.flow_run_jobs (
  flow_run_id uuid primary key,
  user_id uuid not null,
  snapshot_hash bytea not null,
  chain_url text not null,
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
  on_end jsonb,
  chain_depth smallint not null default 0,
  redriven_from uuid[],
  is_complete boolean not null default false,
  constraint flow_run_jobs_held_while_pending check (message_id is not null or not is_held),
  constraint flow_run_jobs_asleep_while_nobody_holds_it check (sleeps_until is null or (message_id is not null and not is_held))
);
comment on table private.flow_run_jobs is 'What the runner needs to know about each root run, and readers of flow_run must not see. A job stays when its run has ended.';
comment on column private.flow_run_jobs.flow_run_id is
  'The run. There is no foreign key, which would cost a look-up at every start: enqueue_run stores both rows.';
comment on column private.flow_run_jobs.user_id is
  'The owner of the flow, copied from flow_run for the order of claims. There is no foreign key: a user''s runs, and with them their jobs, are deleted with the user''s flows.';
comment on column private.flow_run_jobs.snapshot_hash is
  'The snapshot that the run executes. There is no foreign key, which every start would pay for: only sweep_runner deletes snapshots, and it keeps those of runs that have not ended, or that may be redriven.';
comment on column private.flow_run_jobs.chain_url is 'The RPC address, copied at the start. It may contain a secret.';
comment on column private.flow_run_jobs.message_id is 'The run''s message in the queue; null once the run has ended.';
comment on column private.flow_run_jobs.counted_deployment_id is
  'The deployment whose max_runs_in_flight the run counts for until it ends; null when it counts for none.';
comment on column private.flow_run_jobs.counted_shares is 'The group and the caller of private.deployment_usage that the run counts for, in this order.';
comment on column private.flow_run_jobs.turn is
  'The runs of one owner are claimed in this order. It is the message_id at first; each release sets a newer number of the same sequence, so that the run goes behind those that came meanwhile.';
comment on column private.flow_run_jobs.claim_number is 'The number of the newest claim; 0 before the first. What an older claim writes is refused.';
comment on column private.flow_run_jobs.is_held is
  'A worker has claimed the run and has neither released nor finished it. If the message is visible although the job is held, that worker is lost.';
comment on column private.flow_run_jobs.lost_claim_count is
  'How many workers were lost in a row, without the one that may hold the run now: see private.awake_jobs. A node that ends, or a release, sets it to 0.';
comment on column private.flow_run_jobs.work_ms is 'How many milliseconds claims have worked on the run, as far as they reported.';
comment on column private.flow_run_jobs.output_bytes is
  'How many bytes of JSON the nodes of the run and of the runs it called have put out, as far as claims reported: so much a worker has to hold in memory to go on.';
comment on column private.flow_run_jobs.action_lookups is 'How often the transaction that the run put out has been looked for on the chain.';
comment on column private.flow_run_jobs.has_ended_inputs is
  'An input that a node of the run waits for was submitted or cancelled, and no worker has taken that yet.';
comment on column private.flow_run_jobs.input_bytes is 'How many bytes of JSON were submitted to inputs of the run.';
comment on column private.flow_run_jobs.sleeps_until is
  'When a run that was released for later may be claimed again; null when it does not sleep. Claims look only at jobs that do not sleep, so sleeping runs cost them nothing.';
comment on column private.flow_run_jobs.stop_requested_at is 'When the first request to stop came. stop_reason and stop_timeout_millies are that request''s.';
comment on column private.flow_run_jobs.failed_at is
  'When the run failed; null when it did not. The metrics count by it: an index on the ends in flow_run would be written at the end of every run.';
comment on column private.flow_run_jobs.on_end is
  'on_end of the deployment, copied at the start: where the run is told of; null when nowhere. It is here because starters read flow_run, and must not see it.';
comment on column private.flow_run_jobs.chain_depth is
  'How many runs have led to this one, each by its outgoing webhook to the incoming webhook of the next: by it loops end.';
comment on column private.flow_run_jobs.redriven_from is
  'The runs that a redriven run takes node executions over from, the newest first; null for all other runs. It is the one that flow_run.redriven_from names, and the one before it if that was a redrive which ended before it had come to all that it could have taken over. There is no foreign key: sweep_runner keeps those of runs that have not ended.';
comment on column private.flow_run_jobs.is_complete is
  'A worker has executed all that could run. False while the run has not ended, and when it was stopped, ran into a limit, or lost its workers.';

create index flow_run_jobs_failed_at_idx on private.flow_run_jobs (failed_at) where failed_at is not null;
create index flow_run_jobs_user_id_idx_pending on private.flow_run_jobs (user_id, turn) where message_id is not null and sleeps_until is null;
create index flow_run_jobs_snapshot_hash_idx_redrivable on private.flow_run_jobs (snapshot_hash)
  where failed_at is not null or stop_requested_at is not null;
create index flow_run_jobs_redriven_idx_pending on private.flow_run_jobs (flow_run_id) where redriven_from is not null and message_id is not null;
create index flow_run_jobs_sleeps_until_idx on private.flow_run_jobs (sleeps_until) where sleeps_until is not null;

create view private.awake_jobs with (security_invoker = true) as
select
  j.flow_run_id, j.user_id, j.message_id, j.turn,
  -- If the message is visible although the job is held, the worker that holds it is lost too.
  j.lost_claim_count + j.is_held::integer as lost_claims,
  j.lost_claim_count + j.is_held::integer >= 2 as is_suspect
from private.flow_run_jobs as j
where j.message_id is not null and j.sleeps_until is null;
comment on view private.awake_jobs is
  'The jobs that claims look at: of runs that have not ended and do not sleep. lost_claims and is_suspect hold for those whose message is visible.';
comment on column private.awake_jobs.lost_claims is 'How many workers in a row were lost with the run.';
comment on column private.awake_jobs.is_suspect is
  'The run has lost two workers in a row. It may be what ended them, so it is claimed alone.';

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
comment on function private.tg_flow_run__after_delete() is 'Deletes the job of a deleted root run. Definer: jobs are private.';
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
  'Deletes the message of a deleted run from the queue. Definer: those who delete flows have no rights in the queue.';
create trigger _500_delete_message after delete on private.flow_run_jobs
  for each row when (old.message_id is not null) execute function private.tg_flow_run_jobs__after_delete();

-- Their function stands with the limits that it counts for: sql/60_starts/20_start_limits.sql.
-- Deferred to the commit, after which the transaction takes no more locks. So a transaction that waits for these rows is never waited for
-- in turn, and there is no deadlock.
-- A constraint trigger is a constraint, so it is named like one.
create constraint trigger flow_run_jobs_count_end after update of message_id on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.counted_deployment_id is not null and old.message_id is not null and new.message_id is null)
  execute function private.tg_flow_run_jobs__after_end();
create constraint trigger flow_run_jobs_count_delete after delete on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.counted_deployment_id is not null and old.message_id is not null)
  execute function private.tg_flow_run_jobs__after_end();
