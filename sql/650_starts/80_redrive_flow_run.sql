create function private.executions_of_unknown_outcome(root_run public.flow_run)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with tree as materialized (
    select t.id from private.earlier_run_tree(array[(executions_of_unknown_outcome.root_run).id]) as t
  ), unknown as (
    -- Select executions that lost their worker or exceeded their time limit, because the node may have had effects. The
    -- second pattern matches the message of AttemptTimeout, the class of the runner.
    select n.flow_run_id, n.node_id, n.times
    from tree cross join lateral (
      select e.flow_run_id, e.node_id, e.times, e.retry_at, e.end_time, e.output is not null as has_output, e.errors
      -- Leave out failures that the flow handled: a redrive takes them over and does not repeat their nodes.
      from public.node_run as e where e.flow_run_id = tree.id and not e.error_handled offset 0
    ) as n
    where n.errors[1] like 'outcome\_unknown:%'
      or n.errors[1] like 'node\_timeout:%what it does outside may have happened'
      -- Also select executions that began but never ended, because the run ended without a worker. Three kinds of such
      -- executions are left out. An execution with an output has only returned instructions. An execution that waited
      -- for its next attempt or for an input has had no effect. If an execution called a flow, the executions of the
      -- called run are checked instead.
      or n.end_time is null and not n.has_output and n.retry_at is null and not exists (
        select from public.flow_run as c
        where c.parent_flow_run_id = n.flow_run_id and c.parent_node_id = n.node_id and c.parent_times = n.times
      ) and not exists (
        select from private.api_inputs as i
          where (i.flow_run_id, i.node_id, i.times) = (n.flow_run_id, n.node_id, n.times)
      )
    union
    -- Also select transactions of unknown outcome. A transaction without an outcome is selected if it is signed, or if
    -- the action signer has received it. All these transactions may have been executed, or may be executed later.
    select (m.member ->> 'flow_run_id')::uuid, (m.member ->> 'node_id')::uuid, (m.member ->> 'times')::integer
    from private.flow_run_transactions as t
    cross join lateral jsonb_array_elements(t.members) as m (member)
    where t.root_flow_run_id = (executions_of_unknown_outcome.root_run).id
      and (t.outcome = 'unknown' or t.outcome is null and (t.wire is not null or exists (
        select from public.signature_requests as s
        where (s.flow_run_id, s.node_id, s.times) = (t.flow_run_id, t.node_id, t.times)
          and s.pubkey = (executions_of_unknown_outcome.root_run).action_signer
      ))
      -- Also select a transaction if an unanswered signature request contains the signatures of the other signers: the
      -- asked signer may have added the missing signature and sent the transaction. Leave out runs with an action
      -- signer: only the action signer could have sent the transaction, and the outcome says whether this happened.
      or t.outcome is distinct from 'confirmed' and t.wire is null
        and (executions_of_unknown_outcome.root_run).action_signer is null
        and exists (
          select from public.signature_requests as s
          where (s.flow_run_id, s.node_id, s.times) = (t.flow_run_id, t.node_id, t.times) and s.signature is null
            and s.signatures is not null
        ))
  )
  select coalesce(jsonb_agg(to_jsonb(u) order by u.flow_run_id, u.node_id, u.times), '[]')
  from (select n.* from unknown as n order by n.flow_run_id, n.node_id, n.times limit 100) as u;
$$;
comment on function private.executions_of_unknown_outcome(public.flow_run) is
  'The node executions in a root run''s tree that may have had effects outside the system, [{flow_run_id, node_id, times}], at most 100. Definer, because it reads runs of any user. Its callers check the user.';

create function private.lock_run_to_redrive(flow_run_id uuid, owner_id uuid)
returns public.flow_run
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run;
begin
  select r.* into v_run from public.flow_run as r
  where r.id = private.root_run_id(lock_run_to_redrive.flow_run_id) and r.user_id = lock_run_to_redrive.owner_id;
  -- Lock the user first, then the flow, then the run. Deletions lock in the same order, so there is no deadlock.
  perform from auth.users as u where u.id = v_run.started_by for key share;
  perform from public.flows as f where f.id = v_run.flow_id for key share;
  -- While this lock is held, no other transaction can redrive the run, and no sweep deletes it. Read the run again,
  -- because it may have changed before the lock.
  select r.* into v_run from public.flow_run as r where r.id = v_run.id for no key update;
  if not found then
    perform private.fail('flow_run_not_found', 'There is no such run.');
  end if;
  return v_run;
end;
$$;
comment on function private.lock_run_to_redrive(uuid, uuid) is
  'Locks and returns the root run of this run''s tree, if it belongs to this owner. Until the transaction ends, no other transaction can redrive or delete the run, or delete its flow or its starter. 404 flow_run_not_found. Definer, because the query itself checks the owner, so it needs no policy.';

-- Returns the runs from which a redrive of `run` takes executions over, the newest first. The first element is `run`.
-- If `run` is itself a redrive, and ended before it had taken over all earlier results, the runs in its redriven_from
-- follow.
create function private.runs_to_take_over(run public.flow_run)
returns uuid[]
language plpgsql stable security definer
set search_path = ''
as $$
declare
  -- A worker needs memory for the outputs of each of these runs, so their number is limited.
  c_max_runs constant integer := 4;
  v_run_ids uuid[];
begin
  select runs_to_take_over.run.id || case when not j.is_complete then j.redriven_from end into v_run_ids
  from private.flow_run_jobs as j where j.flow_run_id = runs_to_take_over.run.id;
  if cardinality(v_run_ids) > c_max_runs then
    perform private.fail('run_not_redrivable',
      format('%s redrives in a row ended before they had taken over all earlier results.', c_max_runs),
      jsonb_build_object('reason', 'cut_short'), 'Start a new run.');
  end if;
  if (select count(*) from public.flow_run as r where r.id = any (v_run_ids)) < cardinality(v_run_ids) then
    perform private.fail('run_not_redrivable',
      'This run continued an earlier run, which has been deleted with its results.',
      jsonb_build_object('reason', 'deleted'), 'Start a new run.');
  end if;
  return v_run_ids;
end;
$$;
comment on function private.runs_to_take_over(public.flow_run) is
  'The runs from which a redrive of this run takes executions over, the newest first. 409 run_not_redrivable. Definer, because it reads runs of any user.';

create function private.check_redrivable(run public.flow_run, accept_unknown boolean)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_unknown jsonb;
begin
  if check_redrivable.run.end_time is null then
    perform private.fail('run_not_ended', 'This run has not ended.', hint => 'Wait for its end, or stop it.');
  end if;
  if check_redrivable.run.status = 'succeeded' then
    perform private.fail(
      'run_succeeded', 'This run has succeeded, so there is nothing to continue.', hint => 'Start a new run.'
    );
  end if;
  if not check_redrivable.accept_unknown then
    v_unknown := private.executions_of_unknown_outcome(check_redrivable.run);
    if v_unknown <> '[]' then
      perform private.fail('outcome_unknown',
        format(
          'Node %s may have had effects before it failed, and a redrive may repeat them.', v_unknown -> 0 ->> 'node_id'
        ),
        v_unknown,
        'Find out whether the effects happened. If they did not, or if it does no harm to repeat them, '
          'redrive with accept_unknown=true.');
    end if;
  end if;
end;
$$;
comment on function private.check_redrivable(public.flow_run, boolean) is
  'Refuses to redrive a run that has not ended or that succeeded: 409 run_not_ended, run_succeeded. If accept_unknown is false, also refuses a run with executions of unknown outcome: 409 outcome_unknown. Definer, because no API role may read transactions.';

create function private.deployment_to_redrive_on(id uuid, run public.flow_run, settings jsonb)
returns public.flow_deployments
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_deployment public.flow_deployments;
begin
  -- The lock keeps the deployment and its snapshot from being deleted until the transaction ends.
  select d.* into v_deployment from public.flow_deployments as d
  where d.id = deployment_to_redrive_on.id and d.user_id = deployment_to_redrive_on.run.user_id
    and d.entrypoint = deployment_to_redrive_on.run.flow_id
  for key share;
  if not found then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  if deployment_to_redrive_on.settings ?| '{partial_config,pins}' then
    perform private.fail('run_not_redrivable',
      'This run executed only some nodes of the flow, or used pinned outputs. Such a run can''t be redriven on a deployment.',
      jsonb_build_object('reason', 'partial'), 'Redrive the run without a deployment, or start a new run.');
  end if;
  return v_deployment;
end;
$$;
comment on function private.deployment_to_redrive_on(uuid, public.flow_run, jsonb) is
  'Locks and returns the deployment with this id, if it belongs to the run''s flow and owner. `settings` has the settings of the run. 404 deployment_not_found; 409 run_not_redrivable. Definer, because the query itself checks the owner, so it needs no policy.';

create function private.check_repeat_effects(nodes jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_position bigint;
begin
  if check_repeat_effects.nodes is null then
    return;
  end if;
  if jsonb_typeof(check_repeat_effects.nodes) <> 'array'
    or jsonb_array_length(check_repeat_effects.nodes) > private.limit_repeated_nodes()
  then
    perform private.fail('request_invalid', format(
      'repeat_effects: must be a list of at most %s nodes, [{flow_id, node_id}].', private.limit_repeated_nodes()
    ));
  end if;
  select n.position - 1 into v_position
  from jsonb_array_elements(check_repeat_effects.nodes) with ordinality as n (node, position)
  where jsonb_typeof(n.node) <> 'object' or private.integer_or_null(n.node ->> 'flow_id') is null
    or not pg_input_is_valid(n.node ->> 'node_id', 'uuid') or n.node - '{flow_id,node_id}'::text[] <> '{}'
  order by n.position limit 1;
  if found then
    perform private.fail('request_invalid', format('repeat_effects[%s]: must be {flow_id, node_id}.', v_position));
  end if;
end;
$$;
comment on function private.check_repeat_effects(jsonb) is
  'Refuses repeat_effects of a redrive in another form than [{flow_id, node_id}]: 400 request_invalid. Null is none.';

create function private.repeat_effects(nodes jsonb, flow_id integer, snapshot jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_node jsonb;
  v_id jsonb;
  v_keys text[];
  v_key text;
  v_result jsonb := '{}';
begin
  for v_node in select n.node from jsonb_array_elements(repeat_effects.nodes) as n (node) loop
    v_id := to_jsonb((v_node ->> 'node_id')::uuid);
    v_keys := array(
      select k.key
      from (values
        ('entry', repeat_effects.flow_id, repeat_effects.snapshot -> 'entry'),
        (v_node ->> 'flow_id', (v_node ->> 'flow_id')::integer, repeat_effects.snapshot -> 'flows' -> (v_node ->> 'flow_id'))
      ) as k (key, flow_id, graph)
      where k.flow_id = (v_node ->> 'flow_id')::integer
        and k.graph -> 'nodes' @> jsonb_build_array(jsonb_build_object('id', v_id))
    );
    if v_keys = '{}' then
      perform private.fail('request_invalid', format(
        'repeat_effects: the graph of the run has no flow %s with a node %s.', v_node ->> 'flow_id', v_id #>> '{}'
      ));
    end if;
    foreach v_key in array v_keys loop
      v_result := v_result || jsonb_build_object(v_key, coalesce(v_result -> v_key, '[]') || v_id);
    end loop;
  end loop;
  return v_result;
end;
$$;
comment on function private.repeat_effects(jsonb, integer, jsonb) is
  'The nodes that a redrive allows to repeat their effects, by flow: {"entry" | "<flow id>": [node id]}. `nodes` is what the caller sent, [{flow_id, node_id}]; flow_id is the flow of the root run. 400 request_invalid for a node that the snapshot does not have.';

create function private.redrive_flow_run(
  flow_run_id uuid, accept_unknown boolean, idempotency_key text, deployment uuid, repeat_effects jsonb
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller;
  v_run public.flow_run;
  v_job private.flow_run_jobs;
  v_run_ids uuid[];
  v_redrive_id uuid;
  v_as_started public.flow_deployments;
  v_request jsonb := jsonb_build_object(
    'redrive', redrive_flow_run.flow_run_id, 'accept_unknown', coalesce(redrive_flow_run.accept_unknown, false)
  ) || case when redrive_flow_run.deployment is null then '{}'
    else jsonb_build_object('deployment', redrive_flow_run.deployment)
  end || case when redrive_flow_run.repeat_effects is null then '{}'
    else jsonb_build_object('repeat_effects', redrive_flow_run.repeat_effects) end;
  v_snapshot jsonb;
  -- The starter of the run that is redriven, because the redrive has the same key.
  v_starter private.caller;
  v_started jsonb;
  v_changes jsonb;
begin
  perform private.check_repeat_effects(redrive_flow_run.repeat_effects);
  v_caller.user_id := private.lock_user();
  v_run := private.lock_run_to_redrive(redrive_flow_run.flow_run_id, v_caller.user_id);
  v_redrive_id := (select r.id from public.flow_run as r where r.redriven_from = v_run.id);
  if v_redrive_id is not null then
    if redrive_flow_run.idempotency_key is not null
      and private.claim_idempotency_key(
        v_caller, redrive_flow_run.idempotency_key, v_request, v_redrive_id
      ) = v_redrive_id
    then
      return jsonb_build_object('flow_run_id', v_redrive_id, 'token', private.run_token(v_redrive_id));
    end if;
    perform private.fail('run_redriven', format('This run has already been redriven: the new run is %s.', v_redrive_id),
      jsonb_build_object('flow_run_id', v_redrive_id), 'If the new run has failed too, redrive the new run.');
  end if;
  perform private.check_redrivable(v_run, coalesce(redrive_flow_run.accept_unknown, false));

  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = v_run.id;
  v_run_ids := private.runs_to_take_over(v_run);
  if redrive_flow_run.deployment is null then
    -- Rebuild the deployment as it was when the run started.
    v_as_started.id := v_run.deployment_id;
    v_as_started.user_id := v_run.user_id;
    v_as_started.entrypoint := v_run.flow_id;
    v_as_started.snapshot_hash := v_job.snapshot_hash;
    -- The start of the run has checked the inputs, so accept exactly their names.
    v_as_started.input_names := array(select jsonb_object_keys(v_run.inputs -> 'M'));
    v_as_started.fees := v_run.fees;
  else
    v_as_started := private.deployment_to_redrive_on(redrive_flow_run.deployment, v_run, v_job.settings);
    v_job.settings := private.run_settings(v_as_started) || jsonb_build_object('action_signer', v_run.action_signer);
  end if;
  select s.data into v_snapshot
  from private.flow_snapshots as s where s.hash = v_as_started.snapshot_hash for key share;
  if not found then
    perform private.fail('run_not_redrivable', 'The graph of this run is no longer stored.',
      jsonb_build_object('reason', 'snapshot_deleted'), 'Start a new run.');
  end if;
  v_job.settings := v_job.settings - 'repeat_effects' || case
    when redrive_flow_run.repeat_effects is null then '{}'
    else jsonb_build_object(
      'repeat_effects', private.repeat_effects(redrive_flow_run.repeat_effects, v_run.flow_id, v_snapshot)
    )
  end;
  v_changes := private.changes_since(v_run_ids, v_as_started.snapshot_hash);
  -- If the fees of the run are paid, the redrive must not charge them again.
  if exists (
    select from private.flow_run_transactions as t
    where t.root_flow_run_id = v_run.id and t.has_fees and t.outcome = 'confirmed'
  ) then
    v_as_started.fees := '[]';
    v_job.settings := v_job.settings || '{"fees": []}';
  end if;
  v_starter.user_id := v_run.started_by;
  v_starter.public_key := v_run.started_by_public_key;
  v_starter.webhook_id := v_run.webhook_id;
  v_started := private.enqueue_run(
    v_as_started, v_caller, v_run.inputs -> 'M', null, v_run.action_signer, redrive_flow_run.idempotency_key, v_request,
    settings => v_job.settings, starter => v_starter
  );
  v_redrive_id := v_started ->> 'flow_run_id';
  update public.flow_run as r
  set redriven_from = v_run.id, started_by = v_run.started_by, started_by_public_key = v_run.started_by_public_key,
    started_by_run_id = null
  where r.id = v_redrive_id;
  update private.flow_run_jobs as j set redriven_from = v_run_ids, redrive_changes = v_changes
  where j.flow_run_id = v_redrive_id;
  return v_started;
end;
$$;
comment on function private.redrive_flow_run(uuid, boolean, text, uuid, jsonb) is
  'Implements public.redrive_flow_run. Definer, because no API role may insert runs.';
grant execute on function private.redrive_flow_run(uuid, boolean, text, uuid, jsonb) to anon, authenticated, service_role;

-- Continues a failed or stopped run of the caller's flow as a new run, and returns {flow_run_id, token}. The new run
-- has the same graph, inputs, settings and starter. If `deployment` names another deployment of the same flow, the new
-- run has the graph and the settings of that deployment.
--
-- The new run takes over each successful node execution and its outputs, if the node would get the same inputs again.
-- It executes all other nodes. A run can be redriven only once; if the new run fails, redrive the new run. If
-- flow_run_id names a called run, the root run of its tree is redriven.
--
-- A node with effects that succeeded is not executed again, even if its inputs are others now: it fails with
-- effect_already_done. `repeat_effects` lists the nodes that may be executed again, [{flow_id, node_id}].
--
-- If a node or a transaction may already have had its effect, the redrive is refused. With accept_unknown=true, the
-- caller accepts that the effect may happen again. With an idempotency_key, the same request within 24 hours returns
-- the same run.
--
-- 400 idempotency_key_invalid, request_invalid; 401; 404 flow_run_not_found, also for callers who see the run but do
-- not own it; 409 run_not_ended, run_succeeded, run_redriven, outcome_unknown, run_not_redrivable,
-- idempotency_key_reused. With `deployment` also 400 inputs_invalid if the deployment lacks an input of the run, 404
-- deployment_not_found, 409 redrive_graph_changed.
create function public.redrive_flow_run(
  flow_run_id uuid, accept_unknown boolean default false, idempotency_key text default null,
  deployment uuid default null, repeat_effects jsonb default null
)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.redrive_flow_run(flow_run_id, accept_unknown, idempotency_key, deployment, repeat_effects);
end;
$$;
comment on function public.redrive_flow_run(uuid, boolean, text, uuid, jsonb) is
  'Continues a failed or stopped run of the caller''s flow as a new run, {flow_run_id, token}. The new run takes over successful node executions, and executes the other nodes. With `deployment`, the new run has the graph and the settings of this deployment of the flow.';
grant execute on function public.redrive_flow_run(uuid, boolean, text, uuid, jsonb) to anon, authenticated, service_role;
