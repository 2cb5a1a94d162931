create table public.flow_run_logs (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  log_index integer not null,
  user_id uuid not null,
  node_id uuid,
  times integer,
  time timestamptz not null,
  log_level text not null,
  module text,
  content text not null,
  primary key (flow_run_id, log_index),
  constraint flow_run_logs_log_index_natural check (log_index >= 0),
  constraint flow_run_logs_log_level_known check (log_level in ('Trace', 'Debug', 'Info', 'Warn', 'Error')),
  constraint flow_run_logs_node_complete check ((node_id is null) = (times is null))
);
comment on table public.flow_run_logs is
  'Log lines of a run and its nodes, in order. Only the flow''s owner reads the lines.';
comment on column public.flow_run_logs.log_index is 'The number of the line in its run, from 0.';
comment on column public.flow_run_logs.user_id is
  'The owner of the flow, copied from flow_run so that the policy needs no join.';
comment on column public.flow_run_logs.node_id is
  'The node that wrote the line; times names its execution. Both are null for a line of the run itself.';

alter table public.flow_run_logs enable row level security;
create policy flow_run_logs_select_owner on public.flow_run_logs for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.flow_run_logs to authenticated;
grant select on public.flow_run_logs to service_role;
