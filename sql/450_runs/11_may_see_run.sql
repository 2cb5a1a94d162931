create function private.may_see_run(run public.flow_run, caller private.caller)
returns boolean
language sql immutable security invoker
begin atomic
  select coalesce(
    -- The owner of the flow.
    may_see_run.run.user_id = may_see_run.caller.user_id
    -- Only the owner sees a called run, because its inputs and output contain the owner's constants.
    or may_see_run.run.parent_flow_run_id is null and (
      -- The starter.
      may_see_run.run.started_by = may_see_run.caller.user_id
      -- The holder of the run's token.
      or may_see_run.run.id = may_see_run.caller.run_id
    ),
    false
  );
end;
comment on function private.may_see_run(public.flow_run, private.caller) is
  'True if the caller may see a run. The owner of the flow sees all its runs. The starter and the holder of the run''s token see the run only if no other run called it. The policies of flow_run repeat this rule in a form that can use an index; a test compares the two.';

alter table public.flow_run enable row level security;
-- This policy repeats the rule of private.may_see_run instead of calling the function. In a call, the caller would be a
-- sub-select. The function uses the caller more than once, so the planner would not inline the call. Without inlining,
-- no index can be used, and the query would read all runs.
create policy flow_run_select_owner_starter_token on public.flow_run for select to authenticated
  using (
    user_id = (select auth.uid())
    or parent_flow_run_id is null and (started_by = (select auth.uid()) or id = (select private.token_run_id()))
  );
create policy flow_run_select_token on public.flow_run for select to anon
  using (parent_flow_run_id is null and id = (select private.token_run_id()));
