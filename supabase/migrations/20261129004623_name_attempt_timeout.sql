SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.executions_of_unknown_outcome (
  root_run public.flow_run
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;
