create function private.store_called_runs(run public.flow_run, children jsonb)
returns private.new_run_event[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_events private.new_run_event[];
begin
  with stored as (
    insert into public.flow_run as r (
      id, created_at, user_id, flow_id, status, started_by, started_by_public_key, inputs, output, errors, error_code,
      not_run, start_time, end_time, parent_flow_run_id, parent_node_id, parent_times, chain_network
    )
    select
      c.id, private.uuid_v7_time(c.id), run.user_id, c.flow_id, c.status, run.started_by, run.started_by_public_key,
      c.inputs, c.output, c.errors, private.error_code(c.errors[1]), c.not_run, c.start_time, c.end_time,
      c.parent_flow_run_id, c.parent_node_id, c.parent_times, run.chain_network
    from jsonb_to_recordset(store_called_runs.children) as c (
      id uuid, flow_id integer, status text, inputs jsonb, output jsonb, errors text[], not_run uuid[],
      start_time timestamptz, end_time timestamptz, parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
    )
    on conflict on constraint flow_run_pkey do update
    set status = excluded.status, output = excluded.output, errors = excluded.errors,
      error_code = excluded.error_code, not_run = excluded.not_run, end_time = excluded.end_time
    -- A late request must not change a run that has ended.
    where r.end_time is null
    returning r.id, r.start_time, r.end_time, r.xmax = 0 as is_new
  )
  select array_agg((
    run.id, e.position, e.time, (e.event, s.id, null, null, null, null, null)::private.run_event
  )::private.new_run_event) into v_events
  from stored as s
  join jsonb_to_recordset(store_called_runs.children)
    as c (id uuid, start_position integer, end_position integer) on c.id = s.id
  cross join lateral (
    values ('run_start', s.is_new, c.start_position, s.start_time),
      ('run_finish', s.end_time is not null, c.end_position, s.end_time)
  ) as e (event, is_stored, position, "time")
  where e.is_stored;
  return v_events;
end;
$$;
comment on function private.store_called_runs(public.flow_run, jsonb) is
  'Stores the called runs of a run''s tree, with the owner, starter and network of the root run. Returns the resulting events. Definer, because no API role may write runs.';

create function private.store_transaction_outcomes(transactions jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update private.flow_run_transactions as t
  set outcome = p.outcome, signature = p.signature
  from jsonb_to_recordset(store_transaction_outcomes.transactions) as p (
    flow_run_id uuid, node_id uuid, times integer, outcome text, signature text
  )
  where t.flow_run_id = p.flow_run_id and t.node_id = p.node_id and t.times = p.times and t.outcome is null;
  -- End the open requests of these transactions, because their signatures are not needed any more. For example, the
  -- signer of an action may have sent the transaction. If the requests stayed open, pending_signature_request would
  -- return them before the requests of the next transaction, and the run would wait for their answers.
  update public.signature_requests as s
  set expires_at = clock_timestamp()
  from jsonb_to_recordset(store_transaction_outcomes.transactions) as p (flow_run_id uuid, node_id uuid, times integer)
  where s.flow_run_id = p.flow_run_id and s.node_id = p.node_id and s.times = p.times
    and s.signature is null and s.expires_at > clock_timestamp();
end;
$$;
comment on function private.store_transaction_outcomes(jsonb) is
  'Stores the outcomes of transactions in a run''s tree, and ends their open signature requests. Definer, because no API role may write these tables.';

create function private.store_taken_over(run_id uuid, user_id uuid, executions jsonb)
returns private.new_run_event[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_events private.new_run_event[];
begin
  with stored as (
    -- The worker sends only the keys of the executions. So copy the values from the rows of the earlier runs.
    insert into public.node_run as n (
      flow_run_id, node_id, times, user_id, attempt, start_time, end_time, input, output, errors, error_handled,
      is_pinned, answered_at, answered_by, is_taken_over
    )
    select
      t.flow_run_id, t.node_id, t.times, e.user_id, e.attempt, e.start_time, e.end_time, e.input, e.output, e.errors,
      e.error_handled, e.is_pinned, e.answered_at, e.answered_by, true
    from jsonb_to_recordset(store_taken_over.executions) as t (
      flow_run_id uuid, node_id uuid, times integer, from_flow_run_id uuid, from_times integer
    )
    cross join lateral (
      select o.* from public.node_run as o
      where o.flow_run_id = t.from_flow_run_id and o.node_id = t.node_id and o.times = t.from_times
      offset 0
    ) as e
    where e.user_id = store_taken_over.user_id
    on conflict on constraint node_run_pkey do nothing
    returning n.flow_run_id, n.node_id, n.times, n.start_time, n.end_time
  )
  select array_agg((
    store_taken_over.run_id, e.position, e.time,
    (e.event, s.flow_run_id, s.node_id, s.times, null, null, null)::private.run_event
  )::private.new_run_event) into v_events
  from stored as s
  join jsonb_to_recordset(store_taken_over.executions) as t (
    flow_run_id uuid, node_id uuid, times integer, start_position integer, end_position integer
  ) on (t.flow_run_id, t.node_id, t.times) = (s.flow_run_id, s.node_id, s.times)
  cross join lateral (
    values ('node_start', t.start_position, s.start_time), ('node_finish', t.end_position, s.end_time)
  ) as e (event, position, "time");
  return v_events;
end;
$$;
-- executions: [{flow_run_id, node_id, times, from_flow_run_id, from_times, start_position, end_position}].
-- Executions of other owners' runs are skipped.
comment on function private.store_taken_over(uuid, uuid, jsonb) is
  'Copies the node executions that a redrive takes over, and returns the resulting events. Definer, because no API role may write runs.';

create function private.store_progress_of(run_ids uuid[], user_ids uuid[], progresses jsonb[], numbers_events boolean[])
returns void
language plpgsql volatile security definer
set search_path = ''
-- Force generic plans. Otherwise Postgres would plan the statements again for the arrays of each call, and planning
-- takes longer than executing.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
-- Some callers turn hash joins off. Without hash joins, Postgres would join the rows of a large progress by nested
-- loops, which would take longer than storing the rows.
set enable_hashjoin = on
as $$
declare
  v_has_children boolean;
  v_has_taken_over boolean;
  v_has_transactions boolean;
  v_has_inputs boolean;
  v_has_logs boolean;
  v_called_events private.new_run_event[];
  v_node_events private.new_run_event[];
  v_taken_over_events private.new_run_event[];
  v_input_events private.new_run_event[];
  v_log_events private.new_run_event[];
begin
  select
    bool_or(p.progress -> 'children' <> '[]'), bool_or(p.progress -> 'taken_over' <> '[]'),
    bool_or(p.progress -> 'transactions' <> '[]'),
    bool_or(p.progress -> 'inputs' <> '[]'), bool_or(p.progress -> 'logs' <> '[]')
  into v_has_children, v_has_taken_over, v_has_transactions, v_has_inputs, v_has_logs
  from unnest(store_progress_of.progresses) as p (progress);

  if v_has_children then
    select array_agg(e) into v_called_events
    from unnest(store_progress_of.run_ids, store_progress_of.progresses) as p (run_id, progress)
    cross join lateral (select run.* from public.flow_run as run where run.id = p.run_id offset 0) as r
    cross join lateral unnest(private.store_called_runs(r, p.progress -> 'children')) as e
    where p.progress -> 'children' <> '[]';
  end if;

  with stored as (
    insert into public.node_run as n (
      flow_run_id, node_id, times, user_id, attempt, retry_at, start_time, attempt_start_time, end_time, input,
      output, errors, error_handled, is_pinned
    )
    select
      e.flow_run_id, e.node_id, e.times, p.user_id, coalesce(e.attempt, 1), e.retry_at, e.start_time,
      e.attempt_start_time, e.end_time, e.input, e.output, e.errors, coalesce(e.error_handled, false),
      coalesce(e.is_pinned, false)
    from unnest(store_progress_of.user_ids, store_progress_of.progresses) as p (user_id, progress)
    cross join lateral jsonb_to_recordset(p.progress -> 'node_runs') as e (
      flow_run_id uuid, node_id uuid, times integer, attempt integer, retry_at timestamptz, start_time timestamptz,
      attempt_start_time timestamptz, end_time timestamptz, input jsonb, output jsonb,
      errors text[], error_handled boolean, is_pinned boolean
    )
    on conflict on constraint node_run_pkey do update
    set
      attempt = excluded.attempt, retry_at = excluded.retry_at, attempt_start_time = excluded.attempt_start_time,
      end_time = excluded.end_time, output = excluded.output,
      errors = excluded.errors, error_handled = excluded.error_handled
    -- A late request must not change a node run that has ended, and must not set a node run back to an earlier attempt.
    -- A report that a node has begun changes no stored row, because the row may already have output values.
    where n.end_time is null and (
      excluded.end_time is not null
      or (excluded.attempt, excluded.retry_at is not null) > (n.attempt, n.retry_at is not null)
      or (excluded.attempt, excluded.retry_at is not null) = (n.attempt, n.retry_at is not null)
        and excluded.output is not null
    )
    -- xmax is 0 only for a new row. If the row existed, this statement has locked it for the update, and the lock has
    -- set xmax.
    returning n.flow_run_id, n.node_id, n.times, n.start_time, n.end_time, n.xmax = 0 as is_new
  )
  select array_agg((
    g.run_id, e.position, e.time, (e.event, s.flow_run_id, s.node_id, s.times, null, null, null)::private.run_event
  )::private.new_run_event) into v_node_events
  from stored as s
  join (
    select p.run_id, k.*
    from unnest(store_progress_of.run_ids, store_progress_of.progresses, store_progress_of.numbers_events)
      as p (run_id, progress, numbers_events)
    cross join lateral jsonb_to_recordset(p.progress -> 'node_runs') as k (
      flow_run_id uuid, node_id uuid, times integer, start_position integer, end_position integer
    )
    where p.numbers_events
  ) as g on (g.flow_run_id, g.node_id, g.times) = (s.flow_run_id, s.node_id, s.times)
  cross join lateral (
    values ('node_start', s.is_new, g.start_position, s.start_time),
      ('node_finish', s.end_time is not null, g.end_position, s.end_time)
  ) as e (event, is_stored, position, "time")
  where e.is_stored;

  if v_has_taken_over then
    select array_agg(e) into v_taken_over_events
    from unnest(store_progress_of.run_ids, store_progress_of.user_ids, store_progress_of.progresses)
      as p (run_id, user_id, progress)
    cross join lateral unnest(private.store_taken_over(p.run_id, p.user_id, p.progress -> 'taken_over')) as e
    where p.progress -> 'taken_over' <> '[]';
  end if;

  if v_has_transactions then
    perform private.store_transaction_outcomes(p.progress -> 'transactions')
    from unnest(store_progress_of.progresses) as p (progress);
  end if;

  if v_has_inputs then
    select array_agg(e) into v_input_events
    from unnest(store_progress_of.run_ids, store_progress_of.progresses) as p (run_id, progress)
    cross join lateral (select run.* from public.flow_run as run where run.id = p.run_id offset 0) as r
    cross join lateral unnest(private.store_api_inputs(r, p.progress -> 'inputs')) as e
    where p.progress -> 'inputs' <> '[]';
  end if;

  if v_has_logs then
    with stored as (
      insert into public.flow_run_logs as l (
        flow_run_id, log_index, user_id, node_id, times, time, log_level, module, content
      )
      select g.flow_run_id, g.log_index, p.user_id, g.node_id, g.times, g.time, g.log_level, g.module, g.content
      from unnest(store_progress_of.user_ids, store_progress_of.progresses) as p (user_id, progress)
      cross join lateral jsonb_to_recordset(p.progress -> 'logs') as g (
        flow_run_id uuid, log_index integer, node_id uuid, times integer, time timestamptz, log_level text,
        module text, content text
      )
      on conflict on constraint flow_run_logs_pkey do nothing
      returning l.flow_run_id, l.log_index, l.node_id, l.times, l.time
    )
    select array_agg((
      g.run_id, g.position, s.time,
      ('log', s.flow_run_id, s.node_id, s.times, s.log_index, null, null)::private.run_event
    )::private.new_run_event) into v_log_events
    from stored as s
    join (
      select p.run_id, k.*
      from unnest(store_progress_of.run_ids, store_progress_of.progresses, store_progress_of.numbers_events)
        as p (run_id, progress, numbers_events)
      cross join lateral jsonb_to_recordset(p.progress -> 'logs')
        as k (flow_run_id uuid, log_index integer, position integer)
      where p.numbers_events
    ) as g on (g.flow_run_id, g.log_index) = (s.flow_run_id, s.log_index);
  end if;

  perform private.add_run_events(
    v_called_events || v_node_events || v_taken_over_events || v_input_events || v_log_events
  );
end;
$$;
-- The progress of each run is {children, node_runs, taken_over, transactions, inputs, logs}. user_ids are the owners of
-- the runs. numbers_events is false if the run ends with this report and its events need not be stored, because
-- private.unnumbered_events can compute them. Storing the same progress twice changes nothing.
comment on function private.store_progress_of(uuid[], uuid[], jsonb[], boolean[]) is
  'Stores the progress of runs whose jobs the caller has locked. Definer, because no API role may write these tables.';

create function private.store_progress(flow_run_id uuid, claim_number integer, progress jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.lock_claimed_run(store_progress.flow_run_id, store_progress.claim_number);
begin
  perform private.store_progress_of(array[v_run.id], array[v_run.user_id], array[store_progress.progress], array[true]);
end;
$$;
comment on function private.store_progress(uuid, integer, jsonb) is
  'Stores the progress of a claimed run, {children, node_runs, taken_over, transactions, inputs, logs}. Storing the same progress twice changes nothing. 409 claim_lost if a newer claim exists or the run has ended. Definer, because no API role may write these tables.';

create function private.store_job_progress(
  flow_run_id uuid, progress jsonb, next_state private.job_state, seconds integer
)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (store_job_progress.progress ->> 'work_ms')::bigint),
    output_bytes = greatest(j.output_bytes, (store_job_progress.progress ->> 'output_bytes')::bigint),
    state = store_job_progress.next_state,
    due_at = case
      when store_job_progress.next_state <> 'ready'
        then clock_timestamp() + make_interval(secs => store_job_progress.seconds)
    end,
    -- The next turn of a released run comes after the other runs of its owner, including new runs. In this way, a long
    -- run takes turns with new runs.
    turn = case
      when store_job_progress.next_state = 'held' then j.turn else clock_timestamp() - make_interval(secs => j.priority)
    end,
    -- If a node has ended, the run makes progress, so the count of lost workers begins again. A worker that releases
    -- the run was not lost, either. Perhaps another run crashed the earlier workers. Without the reset, this run would
    -- stay a suspect, and would be executed alone after every release.
    lost_claim_count = case
      when store_job_progress.next_state <> 'held'
        or jsonb_path_exists(store_job_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0
      else j.lost_claim_count
    end
  -- A checkpoint may arrive after the release, and a release may be repeated. Both must change nothing.
  where j.flow_run_id = store_job_progress.flow_run_id and j.state in ('held', 'lost');
  return found;
end;
$$;
comment on function private.store_job_progress(uuid, jsonb, private.job_state, integer) is
  'Stores the part {work_ms, output_bytes} of the progress in the job of a held run, and its next state, which lasts for so many seconds. Returns false if the claim was already released. The caller has locked the job. Definer, because no API role may access jobs.';
