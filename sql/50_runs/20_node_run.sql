create table public.node_run (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  attempt integer not null default 1,
  retry_at timestamptz,
  user_id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz,
  input jsonb not null,
  output jsonb,
  errors text[],
  is_taken_over boolean not null default false,
  primary key (flow_run_id, node_id, times),
  constraint node_run_times_natural check (times >= 0),
  constraint node_run_attempt_positive check (attempt >= 1),
  constraint node_run_retry_at_before_end check (retry_at is null or end_time is null),
  constraint node_run_errors_not_empty check (cardinality(errors) > 0),
  constraint node_run_taken_over_succeeded check (not is_taken_over or (end_time is not null and errors is null))
);
comment on table public.node_run is
  'Executions of nodes: one row per run, node and iteration. Read by the flow''s owner only, since it shows the flow''s constants.';
comment on column public.node_run.times is '0 for the first execution; counts up inside a loop.';
comment on column public.node_run.attempt is
  'Counts the attempts of a node with data.retry: the one under way, else the last one that was made. 1 for every other node.';
comment on column public.node_run.retry_at is
  'When the next attempt begins; set only while the node waits for it, after an attempt that failed.';
comment on column public.node_run.user_id is
  'The owner of the flow, repeated from flow_run so that the policy needs no join; no foreign key, since the run''s own row carries it.';
comment on column public.node_run.input is 'One value, {"M": {…}}: the inputs by name.';
comment on column public.node_run.output is 'One value, {"M": {…}}; null when the node failed before any output.';
comment on column public.node_run.is_taken_over is
  'It was not executed in this run: a redriven run takes it over, with its times, from the run that it goes on from.';

alter table public.node_run enable row level security;
create policy node_run_select_owner on public.node_run for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.node_run to authenticated;
grant select on public.node_run to service_role;
