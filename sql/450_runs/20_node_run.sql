create table public.node_run (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  attempt integer not null default 1,
  retry_at timestamptz,
  user_id uuid not null,
  start_time timestamptz not null,
  attempt_start_time timestamptz,
  end_time timestamptz,
  input jsonb not null,
  output jsonb,
  errors text[],
  error_handled boolean not null default false,
  is_taken_over boolean not null default false,
  is_pinned boolean not null default false,
  answered_at timestamptz,
  answered_by text,
  primary key (flow_run_id, node_id, times),
  constraint node_run_times_natural check (times >= 0),
  constraint node_run_attempt_positive check (attempt >= 1),
  constraint node_run_retry_at_before_end check (retry_at is null or end_time is null),
  constraint node_run_errors_not_empty check (cardinality(errors) > 0),
  constraint node_run_handled_has_errors check (not error_handled or (end_time is not null and errors is not null)),
  constraint node_run_taken_over_is_done
    check (not is_taken_over or (end_time is not null and (errors is null or error_handled)))
);
comment on table public.node_run is
  'Executions of nodes: one row for each run, node and iteration. Only the flow''s owner reads the rows, because they contain the flow''s constants.';
comment on column public.node_run.times is
  'The number of the execution: 0 for the node''s first execution in the run, and one more for each further execution in a loop.';
comment on column public.node_run.attempt is
  'For a node with data.retry: the number of its present or last attempt. 1 for every other node.';
comment on column public.node_run.retry_at is
  'The time at which the next attempt begins. Set only between a failed attempt and the next one.';
comment on column public.node_run.attempt_start_time is
  'The time at which the present attempt began. Null for the first attempt, which begins at start_time. data.timeout_ms limits the time since the attempt began.';
comment on column public.node_run.user_id is
  'The owner of the flow, copied from flow_run so that the policy needs no join. user_id needs no foreign key: the flow is deleted with its owner, its runs with the flow, and these rows with their run.';
comment on column public.node_run.input is 'One value, {"M": {…}}: the inputs by name.';
comment on column public.node_run.output is
  'One value, {"M": {…}}: the outputs by name. Null if the node failed before it had an output.';
comment on column public.node_run.error_handled is
  'True if the node passed its errors to its output "error" (data.on_error), so the run does not fail because of them.';
comment on column public.node_run.is_taken_over is
  'True if this run is a redrive that did not execute the node. Instead, the redrive copied this row, with start_time and end_time, from an earlier run.';
comment on column public.node_run.is_pinned is
  'True if the node was not executed, because flow_pins had outputs for the node when the run was started.';
comment on column public.node_run.answered_at is
  'For a node api_input: the time at which its input was answered or cancelled. Null while it is open, and if it expired.';
comment on column public.node_run.answered_by is
  'The person who answered or cancelled the input: a confirmed e-mail address, `user <id>`, or `a guest`. Null if the request had no credential.';

alter table public.node_run enable row level security;
create policy node_run_select_owner on public.node_run for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.node_run to authenticated;
grant select on public.node_run to service_role;
