create function private.finish_flow_runs(results jsonb)
returns uuid[]
language plpgsql volatile security definer
set search_path = ''
-- Without these settings, Postgres could make a plan with sequential scans while the tables are empty, and reuse it
-- when they are full.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_run_ids uuid[];
  v_user_ids uuid[];
  v_progresses jsonb[];
  v_positions bigint[];
  v_numbers_events boolean[];
  v_results jsonb := finish_flow_runs.results;
begin
  select array_agg(held.flow_run_id), array_agg(held.user_id), array_agg(held.progress),
    array_agg(held.position), array_agg(held.numbers_events)
  into v_run_ids, v_user_ids, v_progresses, v_positions, v_numbers_events
  from (
    select j.flow_run_id, j.user_id, f.progress, f.position,
      -- False if the run's events need not be stored, because private.unnumbered_events can compute them later. This is
      -- so if this result has all events of the run in their order, and the run is short and has no called runs,
      -- executions of earlier runs, or inputs.
      (
        (f.progress -> 'is_in_order')::boolean is not true
        or jsonb_array_length(f.progress -> 'node_runs') + jsonb_array_length(f.progress -> 'logs') > 100
        or f.progress -> 'children' <> '[]' or f.progress -> 'taken_over' <> '[]' or f.progress -> 'inputs' <> '[]'
        -- If this were an `exists`, Postgres could keep a plan that it made while the table was empty, and read the
        -- whole table.
        or coalesce((select true from private.flow_run_events as e where e.root_flow_run_id = j.flow_run_id limit 1), false)
      ) is not false as numbers_events
    from rows from (
      jsonb_to_recordset(finish_flow_runs.results) as (flow_run_id uuid, claim_number integer, progress jsonb)
    ) with ordinality as f (flow_run_id, claim_number, progress, position)
    -- This lateral query searches an index for each result. For a plain join, Postgres could keep a plan that reads all
    -- jobs. Skip jobs that other transactions have locked. If this transaction waited for a job while it holds locks on
    -- other jobs, it could cause a deadlock. If a transaction has just changed the job, Postgres reads the job again, so
    -- this query sees the newest claim.
    cross join lateral (
      select job.flow_run_id, job.user_id, job.counted_deployment_id, job.counted_shares
      from private.flow_run_jobs as job
      where job.flow_run_id = f.flow_run_id and job.claim_number = f.claim_number and job.state <> 'ended'
      for no key update skip locked
    ) as j
    -- At the commit, a trigger subtracts each ended run from its deployment's usage, in the order of these rows. To
    -- prevent deadlocks, all transactions use the same order.
    order by j.counted_deployment_id, j.counted_shares
  ) as held;
  if v_run_ids is not null then
    -- Keep only the results that are stored here, by their positions. Run ids are not enough: a worker whose lease has
    -- ended may claim its own run again, and report both claims in one call.
    if cardinality(v_run_ids) < jsonb_array_length(v_results) then
      -- Build the list as text, because jsonb_agg takes quadratic time for an object with many members, such as an
      -- output.
      v_results := (
        select json_agg(v_results -> (p.position - 1)::integer)::jsonb from unnest(v_positions) as p (position)
      );
    end if;
    perform private.store_progress_of(v_run_ids, v_user_ids, v_progresses, v_numbers_events);
    perform private.end_flow_runs(v_run_ids, v_results);
  end if;
  return coalesce(v_run_ids, '{}');
end;
$$;
comment on function private.finish_flow_runs(jsonb) is
  'Implements public.finish_flow_runs. Definer, because no API role may write runs or access jobs.';
grant execute on function private.finish_flow_runs(jsonb) to service_role;

create function private.finish_flow_run(
  flow_run_id uuid, claim_number integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.lock_claimed_run(finish_flow_run.flow_run_id, finish_flow_run.claim_number);
  perform private.finish_flow_runs(jsonb_build_array(jsonb_build_object(
    'flow_run_id', finish_flow_run.flow_run_id, 'claim_number', finish_flow_run.claim_number,
    'status', finish_flow_run.status, 'output', finish_flow_run.output, 'errors', finish_flow_run.errors,
    'not_run', finish_flow_run.not_run, 'progress', finish_flow_run.progress
  )));
end;
$$;
comment on function private.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) is
  'Implements public.finish_flow_run. Definer, because no API role may write runs or access jobs.';
grant execute on function private.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) to service_role;

create function public.finish_flow_run(
  flow_run_id uuid, claim_number integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.finish_flow_run(flow_run_id, claim_number, status, output, errors, not_run, progress);
end;
$$;
-- progress is {children, node_runs, taken_over, transactions, inputs, logs, is_in_order, work_ms, is_complete}. If
-- not_run is null, it is set to all nodes without a node run.
comment on function public.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) is
  'For the runner: stores the last progress of a claimed run and ends the run with its result, in one transaction. 409 claim_lost if a newer claim exists or the run has ended.';
grant execute on function public.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) to service_role;

create function public.finish_flow_runs(results jsonb)
returns uuid[]
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.finish_flow_runs(results);
end;
$$;
-- results: [{flow_run_id, claim_number, status, output, errors, not_run, progress}]. Skips results of older claims, and
-- results of runs that another transaction has locked. If one result can't be stored, raises the error and finishes no
-- run at all.
comment on function public.finish_flow_runs(jsonb) is
  'For the runner: finishes several runs in one transaction, each as finish_flow_run does. Returns the ids of the finished runs. Skips results of older claims and of locked runs.';
grant execute on function public.finish_flow_runs(jsonb) to service_role;
