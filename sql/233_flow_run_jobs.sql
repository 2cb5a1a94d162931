create table private.flow_run_jobs (
  flow_run_id uuid primary key references public.flow_run (id) on delete cascade,
  snapshot_hash bytea not null references private.flow_snapshots (hash),
  chain_url text not null,
  attempt integer not null default 0,
  stop_requested_at timestamptz,
  stop_reason text,
  stop_timeout_millies integer,
  constraint flow_run_jobs_attempt_natural check (attempt >= 0)
);
comment on table private.flow_run_jobs is 'What the runner needs of a root run and its readers must not see.';
comment on column private.flow_run_jobs.chain_url is 'RPC address, copied at start; it may carry a secret.';
comment on column private.flow_run_jobs.attempt is 'Counts the claims of the run: what an earlier claim still writes is refused.';

comment on column private.flow_run_jobs.stop_requested_at is 'When somebody first asked the run to stop, with stop_reason and stop_timeout_millies.';

create index flow_run_jobs_snapshot_hash_idx on private.flow_run_jobs (snapshot_hash);
