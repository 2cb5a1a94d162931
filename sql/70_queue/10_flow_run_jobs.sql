create table private.flow_run_jobs (
  flow_run_id uuid primary key,
  user_id uuid not null,
  snapshot_hash bytea not null,
  chain_url text not null,
  message_id bigint,
  counted_deployment_id uuid,
  counted_shares text[],
  turn bigint not null default 0,
  attempt integer not null default 0,
  is_held boolean not null default false,
  lost_claim_count integer not null default 0,
  work_ms bigint not null default 0,
  output_bytes bigint not null default 0,
  sleeps_until timestamptz,
  stop_requested_at timestamptz,
  stop_reason text,
  stop_timeout_millies integer,
  failed_at timestamptz,
  constraint flow_run_jobs_held_while_pending check (message_id is not null or not is_held),
  constraint flow_run_jobs_asleep_while_nobody_holds_it check (sleeps_until is null or (message_id is not null and not is_held))
);
comment on table private.flow_run_jobs is 'What the runner needs of a root run and its readers must not see.';
comment on column private.flow_run_jobs.flow_run_id is
  'The run, which is stored by the same function; no foreign key, which would look for it at every start.';
comment on column private.flow_run_jobs.user_id is 'The owner of the flow, repeated from flow_run for the order of claims; no foreign key, since the run''s own row carries it.';
comment on column private.flow_run_jobs.snapshot_hash is
  'What the run executes. No foreign key, which every start would pay for: sweep_runner, which alone deletes snapshots, leaves those of runs that have not ended.';
comment on column private.flow_run_jobs.chain_url is 'RPC address, copied at start; it may carry a secret.';
comment on column private.flow_run_jobs.message_id is 'Its message in the queue; null once the run has ended.';
comment on column private.flow_run_jobs.counted_deployment_id is
  'The deployment whose max_runs_in_flight the run counts for until it ends; null for a run that counts for none.';
comment on column private.flow_run_jobs.counted_shares is 'The shares of private.deployment_usage that it counts for.';
comment on column private.flow_run_jobs.turn is
  'Its place among the runs of its owner, which are claimed in this order: message_id, and a newer number of the same sequence each time that it is handed back.';
comment on column private.flow_run_jobs.attempt is 'Counts the claims of the run: what an earlier claim still writes is refused.';
comment on column private.flow_run_jobs.is_held is 'A worker claimed the run and has not given it back: when its message is visible all the same, that worker is lost.';
comment on column private.flow_run_jobs.lost_claim_count is 'Workers lost in a row with this run, since it last got anywhere.';
comment on column private.flow_run_jobs.work_ms is 'Milliseconds that claims worked on it, as far as they told.';
comment on column private.flow_run_jobs.output_bytes is
  'Bytes, as JSON, of what the nodes of the run and of those that it called have put out, as far as claims told: what a worker has to hold to go on with it.';
comment on column private.flow_run_jobs.sleeps_until is
  'When a run that was given back for later goes on; null for one that claims look at. So runs that wait, however many, cost a claim nothing.';
comment on column private.flow_run_jobs.stop_requested_at is 'When somebody first asked the run to stop, with stop_reason and stop_timeout_millies.';
comment on column private.flow_run_jobs.failed_at is 'When the run failed, if it did, for the metrics: an index of flow_run''s own ends would be written at the end of every run.';

create index flow_run_jobs_failed_at_idx on private.flow_run_jobs (failed_at) where failed_at is not null;
create index flow_run_jobs_user_id_idx_pending on private.flow_run_jobs (user_id, turn) where message_id is not null and sleeps_until is null;
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
comment on function private.tg_flow_run__after_delete() is 'A deleted run takes its job along. Definer: jobs are private.';
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
  'Takes the message of a deleted run out of the queue. Definer: whoever deletes flows has no part in the queue.';
create trigger _500_delete_message after delete on private.flow_run_jobs
  for each row when (old.message_id is not null) execute function private.tg_flow_run_jobs__after_delete();

create function private.tg_flow_run_jobs__after_end()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into private.deployment_usage as u (deployment_id, share, slot, in_flight)
  select old.counted_deployment_id, s.share, -1 - pg_backend_pid() % 32, -1
  from unnest(old.counted_shares) as s (share)
  -- Nothing is to be left of a deployment that is deleted. What is, since it is being deleted now, a sweep removes.
  where exists (select from public.flow_deployments as d where d.id = old.counted_deployment_id)
  on conflict on constraint deployment_usage_pkey do update set in_flight = u.in_flight - 1;
  return null;
end;
$$;
comment on function private.tg_flow_run_jobs__after_end() is
  'Takes a run that has ended, or is deleted, off what counts for its deployment''s max_runs_in_flight. Definer: the usage is private.';
-- When the transaction commits: it waits for nobody any more who waits for these rows. Named as the constraint that it is too.
create constraint trigger flow_run_jobs_count_end after update of message_id on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.counted_deployment_id is not null and old.message_id is not null and new.message_id is null)
  execute function private.tg_flow_run_jobs__after_end();
create constraint trigger flow_run_jobs_count_delete after delete on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.counted_deployment_id is not null and old.message_id is not null)
  execute function private.tg_flow_run_jobs__after_end();
