create table public.node_run (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  user_id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz,
  input jsonb not null,
  output jsonb,
  errors text[],
  primary key (flow_run_id, node_id, times),
  constraint node_run_times_natural check (times >= 0),
  constraint node_run_errors_not_empty check (cardinality(errors) > 0)
);
comment on table public.node_run is
  'Executions of nodes: one row per run, node and iteration. Read by the flow''s owner only, since it shows the flow''s constants.';
comment on column public.node_run.times is '0 for the first execution; counts up inside a loop.';
comment on column public.node_run.user_id is
  'The owner of the flow, repeated from flow_run so that the policy needs no join; no foreign key, since the run''s own row carries it.';
comment on column public.node_run.input is 'One value, {"M": {…}}: the inputs by name.';
comment on column public.node_run.output is 'One value, {"M": {…}}; null when the node failed before any output.';

alter table public.node_run enable row level security;
create policy node_run_select_owner on public.node_run for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.node_run to authenticated;
grant select on public.node_run to service_role;
