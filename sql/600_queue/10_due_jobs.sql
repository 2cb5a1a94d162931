-- The steps of a run in the queue. The table private.flow_run_jobs is the queue; `state` and `due_at` of a job say
-- whether a worker may claim the run. Files are named after the main function of each step:
--
--   start       enqueue_run stores the run and its job, which is ready. If the deployment has limits by key, the job
--               may also sleep or be blocked: see sql/575_queue_keys/10_queue_keys.sql.
--   claim       claim_flow_runs claims the next runs. ready_owners names the owners who have their turn, and take_jobs
--               takes the jobs of each owner in the order of the column `turn`. A claim gets a claim_number, and the
--               job is held until the lease ends.
--   heartbeat   heartbeat_flow_runs holds the job for another lease. If a worker is lost, its leases end, and its jobs
--               are lost (make_due_jobs_ready). The next claim of a lost job counts the lost worker. A run that lost
--               two workers in a row is a suspect, and is claimed alone.
--   checkpoint  checkpoint_flow_run stores progress (store_progress) and keeps the claim.
--   release     release_flow_run stores progress and ends the claim (end_claim). The run then comes after the other
--               runs of its owner, and can be claimed at once. If a node waits for a time, the run sleeps until that
--               time, and can be claimed only then.
--   suspend     suspend_flow_run releases the run until its signatures arrive (answer_signature_request) or a request
--               expires. A run that waits for an answer to an input (sql/500_pending_inputs/) waits until the input is
--               answered or expires.
--   finish      finish_flow_runs stores the last progress of runs and ends the runs (end_flow_runs).
--
-- Every step locks the job before it reads or writes the run. A step that locks several jobs skips the jobs that others
-- have locked, so no two steps wait for each other. A worker may write only with the newest claim of a run:
-- lock_claimed_run refuses older claims, and finish_flow_runs skips their results.
create function private.make_due_jobs_ready()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key_ids bigint[];
begin
  perform private.settle_queue_keys();
  -- Nearly always, no job is due. Then this function reads one entry of the index, and locks nothing.
  if (
    select j.due_at from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') order by j.due_at limit 1
  ) <= clock_timestamp() is not true then
    return;
  end if;
  -- Skip locked jobs: the transaction that holds the lock changes the state, or the next call does.
  with due_job as (
    update private.flow_run_jobs as j
    set
      state = case
        when j.state = 'held' then 'lost'
        when j.queue_key_id is not null and j.claim_number = 0 then 'blocked'
        else 'ready'
      end::private.job_state,
      turn = case when j.state = 'held' then j.turn else j.due_at - make_interval(secs => j.priority) end,
      due_at = case when j.state = 'held' then j.due_at end
    where j.flow_run_id = any (array(
      select due.flow_run_id from private.flow_run_jobs as due
      where due.state in ('held', 'sleeping', 'waiting') and due.due_at <= (select clock_timestamp())
      order by due.due_at limit 1000
      for no key update skip locked
    ))
    returning j.queue_key_id, j.state
  )
  select array_agg(distinct d.queue_key_id) filter (where d.state = 'blocked') into v_key_ids from due_job as d;
  -- The time of these runs has come, but they have no place yet.
  if v_key_ids is not null then
    perform private.settle_queue_key(k.id, 0, 0) from unnest(v_key_ids) as k (id);
  end if;
end;
$$;
comment on function private.make_due_jobs_ready() is
  'Changes the state of at most a thousand jobs whose time has come: held jobs are lost, sleeping and waiting jobs are ready, or blocked if they have no place of their key. First settles the keys that have notes. Definer, because no API role may access jobs.';
