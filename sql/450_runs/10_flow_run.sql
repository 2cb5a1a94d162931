create function private.error_code(error text)
returns text
language sql immutable strict security invoker
begin atomic
  -- The error of a node begins with the node's name and id. The message follows. It may begin with a code, but also
  -- with another word and a colon, such as the name of an input. So only the codes in private.run_error_codes() count.
  -- Errors may be long, so only the first 1,000 characters are searched.
  select substring(left(error_code.error, 1000) from
    '^(?:.* [0-9a-f-]{36}(?:#[0-9]+)?: )?(' || array_to_string(private.run_error_codes(), '|') || '): '
  );
end;
comment on function private.error_code(text) is 'The code in a line of flow_run.errors; null if the line has no code.';

create table public.flow_run (
  id uuid primary key default private.uuid_v7(),
  user_id uuid not null,
  flow_id integer not null,
  deployment_id uuid,
  schedule_id uuid,
  webhook_id uuid,
  row_start_id uuid,
  status text not null default 'queued',
  started_by uuid,
  started_by_public_key text,
  started_by_run_id uuid,
  inputs jsonb not null,
  output jsonb,
  errors text[],
  -- The code is stored separately, so that queries over thousands of runs need not read `errors`, which may have 64
  -- KiB. The column is not a generated column: Postgres would plan its expression again for each statement, which would
  -- slow starts.
  error_code text,
  not_run uuid[],
  created_at timestamptz not null default clock_timestamp(),
  start_time timestamptz,
  end_time timestamptz,
  stopped_by text,
  parent_flow_run_id uuid references public.flow_run (id) on delete cascade,
  parent_node_id uuid,
  parent_times integer,
  redriven_from uuid references public.flow_run (id) on delete set null,
  output_instructions boolean not null default false,
  action_identity text,
  action_signer text,
  fees jsonb not null default '[]',
  chain_network jsonb not null,
  usage jsonb not null default '{}'
) with (fillfactor = 70);
comment on table public.flow_run is
  'Runs of flows. Only functions write them. The flow''s owner reads all its runs. The starter reads the started run. With the function called_flow_runs, the starter also reads the states of the runs that this run called. Settings are copied from the deployment, where they were checked.';
comment on column public.flow_run.user_id is
  'The owner of the flow. There is no foreign key, because it would slow every start. It is not needed: the deletion of the owner deletes the flow, and the deletion of the flow deletes its runs.';
comment on column public.flow_run.deployment_id is
  'The deployment that was started. Null for a run of a flow without a deployment, and for a called run. There is no foreign key, so that the id stays when the deployment is deleted.';
comment on column public.flow_run.schedule_id is
  'The schedule that started the run. Null for all other runs, also redrives. There is no foreign key, so that the id stays when the schedule is deleted.';
comment on column public.flow_run.webhook_id is
  'The incoming webhook that started the run. Null for all other runs, also redrives. There is no foreign key, so that the id stays when the webhook is deleted.';
comment on column public.flow_run.row_start_id is
  'The row start by which a change of a row started the run. Null for all other runs, also redrives. There is no foreign key, so that the id stays when the row start is deleted.';
comment on column public.flow_run.started_by is
  'The user who started the run; null if the starter sent only a public key, or has been deleted. No foreign key is needed: each start locks the user''s row, and a trigger sets this column to null when the user is deleted.';
comment on column public.flow_run.started_by_public_key is
  'The public key that an unauthenticated caller sent. Nothing proves that the caller owns the key.';
comment on column public.flow_run.started_by_run_id is
  'The run whose node started this run. Null for all other runs, also redrives and called runs. There is no foreign key, so that the id stays when that run is deleted.';
comment on column public.flow_run.inputs is 'One value, {"M": {…}}: the inputs of the start.';
comment on column public.flow_run.output is
  'One value, {"M": {…}}, whose members have the labels of the flow''s outputs; null until the run has ended.';
comment on column public.flow_run.errors is
  'One line for each failed node execution, "<name> <node id>: <message>"; null if no node failed. For a node that runs several times, # and the number of the execution, from 0, may follow the id. At most 100 lines, and 65,536 characters in total.';
comment on column public.flow_run.error_code is
  'The code in the first line of errors; null if there are no errors, or if that line has no code.';
comment on column public.flow_run.not_run is 'Ids of the nodes that never started; null until the run has ended.';
comment on column public.flow_run.created_at is 'The time that the id contains.';
comment on column public.flow_run.stopped_by is
  'owner or starter: the caller who first requested the stop of the run. The holder of the run token counts as the starter. Null if nobody has requested a stop.';
comment on column public.flow_run.parent_flow_run_id is
  'For a called run: the run whose node called it. parent_node_id and parent_times name the node execution that made the call.';
comment on column public.flow_run.redriven_from is
  'For a redrive: the run that it continues. The redrive takes over that run''s succeeded node executions. Null for all other runs, and if the continued run has been deleted.';
comment on column public.flow_run.action_signer is
  'For a deployment with an action identity: the public key of the wallet that signs and sends the run''s transactions.';
comment on column public.flow_run.usage is
  'What the models cost that the run and its called runs have asked: {"<model>": {requests, input_tokens, output_tokens}}. {} for a called run. A request whose worker was lost is not counted.';
comment on column public.flow_run.chain_network is
  'The Solana network of this run, {cluster}; only the runner gets its address.';

create index flow_run_deployment_id_idx on public.flow_run (deployment_id, id desc);
create index flow_run_user_id_idx on public.flow_run (user_id, id desc);
create index flow_run_flow_id_idx on public.flow_run (flow_id, id desc);
create index flow_run_started_by_idx on public.flow_run (started_by, id desc) where started_by is not null;
create index flow_run_schedule_id_idx on public.flow_run (schedule_id, id desc) where schedule_id is not null;
create index flow_run_webhook_id_idx on public.flow_run (webhook_id, id desc) where webhook_id is not null;
create index flow_run_row_start_id_idx on public.flow_run (row_start_id, id desc) where row_start_id is not null;
create index flow_run_parent_flow_run_id_idx on public.flow_run (parent_flow_run_id)
  where parent_flow_run_id is not null;
-- Unique, because a second redrive of a run would repeat the effects of the first one.
create unique index flow_run_redriven_from_key on public.flow_run (redriven_from) where redriven_from is not null;
-- When a run is claimed or ends, no indexed column changes. Such an update needs no new index entries if the new
-- row fits into the same page (heap-only tuples). fillfactor leaves room for the new row.

create function private.tg_flow_run__after_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_is_consistent boolean;
begin
  case new.status
    when 'queued' then
      v_is_consistent := num_nonnulls(new.start_time, new.end_time, new.output, new.errors) = 0;
    when 'running', 'waiting' then
      v_is_consistent := new.start_time is not null and num_nonnulls(new.end_time, new.output, new.errors) = 0;
    when 'succeeded' then
      v_is_consistent := num_nonnulls(new.start_time, new.end_time) = 2 and new.errors is null;
    when 'failed' then
      v_is_consistent := new.end_time is not null and coalesce(cardinality(new.errors) > 0, false);
    when 'stopped' then
      v_is_consistent := new.end_time is not null and coalesce(cardinality(new.errors) > 0, true);
    else
      v_is_consistent := false;
  end case;
  if not v_is_consistent
    or num_nonnulls(new.parent_flow_run_id, new.parent_node_id, new.parent_times) not in (0, 3)
    or num_nonnulls(new.parent_flow_run_id, new.deployment_id) > 1
  then
    raise check_violation using
      message = format(
        'A run with the status %s can''t have this combination of times, output, errors and parent.', new.status
      ),
      schema = tg_table_schema, table = tg_table_name, constraint = tg_name;
  end if;
  return null;
end;
$$;
comment on function private.tg_flow_run__after_write() is
  'Checks that times, output and errors of a run match its status, and that a called run has all parent columns and no deployment. It is not a check constraint: Postgres plans check constraints again for each statement, which would take more time at each start than all indexes of the table.';
-- A constraint trigger is a constraint, so its name follows the rule for constraints.
create constraint trigger flow_run_consistent after insert or update on public.flow_run
  for each row execute function private.tg_flow_run__after_write();

create function private.tg_flows__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Lock the jobs before the runs, as every transaction does that writes runs that have not ended. So claims and this
  -- deletion can't deadlock.
  perform from private.flow_run_jobs as j
  where j.flow_run_id = any (array(
    select r.id from public.flow_run as r
    where r.flow_id = old.id and r.parent_flow_run_id is null and r.end_time is null
  ))
  order by j.flow_run_id
  for no key update;
  -- A called run must stay as long as its parent run, even if the called flow is deleted. A foreign key would delete it
  -- with the called flow.
  delete from public.flow_run as r where r.flow_id = old.id and r.parent_flow_run_id is null;
  return null;
end;
$$;
comment on function private.tg_flows__after_delete() is
  'Deletes the runs of a deleted flow. Definer, because no role may delete runs directly.';
create trigger _100_delete_runs after delete on public.flows
  for each row execute function private.tg_flows__after_delete();

create function private.tg_users__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Lock the jobs before the runs, as every transaction does that writes runs that have not ended. From here on, no
  -- worker adds called runs, which have the same starter.
  perform from private.flow_run_jobs as j
  where j.flow_run_id = any (array(
    select r.id from public.flow_run as r where r.started_by = old.id and r.end_time is null
  ))
  order by j.flow_run_id
  for no key update;
  update public.flow_run as r set started_by = null where r.started_by = old.id;
  return null;
end;
$$;
comment on function private.tg_users__after_delete() is
  'Sets started_by to null in the runs of other users'' flows that a deleted user started. Definer, because roles that delete users may not write runs.';
create trigger _500_forget_starter after delete on auth.users
  for each row execute function private.tg_users__after_delete();

grant select on public.flow_run to anon, authenticated;
grant select on public.flow_run to service_role;

create function public.deployment(flow_run public.flow_run)
returns setof public.flow_deployments
rows 1
language sql stable security invoker
set search_path = ''
as $$
  select d.* from public.flow_deployments as d where d.id = deployment.flow_run.deployment_id;
$$;
comment on function public.deployment(public.flow_run) is
  'The deployment that a run was started from, for embedding: select=*,deployment(*). Empty if the deployment has been deleted.';
grant execute on function public.deployment(public.flow_run) to authenticated, service_role;
