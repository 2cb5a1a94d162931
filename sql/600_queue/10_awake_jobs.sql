-- The steps of a run in the queue. Files are named after the main function of each step:
--
--   start       enqueue_run stores the run, its job (private.flow_run_jobs) and its message (pgmq). A run can be
--               claimed while its message is visible.
--   claim       claim_flow_runs claims the next runs. next_owners decides which owners have their turn, and
--               lock_next_flow_runs takes the runs of each owner in the order of the column `turn`. A claim gets a
--               claim_number, and hides the message until the lease ends.
--   heartbeat   heartbeat_flow_runs hides the message for another lease. If a worker is lost, the messages of its runs
--               become visible while their jobs are still held. The next claim of such a run counts the lost worker.
--               A run that lost two workers in a row is a suspect, and is claimed alone. The view awake_jobs computes
--               lost workers and suspects.
--   checkpoint  checkpoint_flow_run stores progress (store_progress) and keeps the claim.
--   release     release_flow_run stores progress and ends the claim (end_claim). The run then comes after the other
--               runs of its owner, and can be claimed at once. If a node waits for a time, the run sleeps until that
--               time, and can be claimed only then.
--   suspend     suspend_flow_run releases the run until its signatures arrive (answer_signature_request) or a request
--               expires. A run that waits for an answer to an input (sql/500_pending_inputs/) sleeps until the input
--               is answered or expires.
--   finish      finish_flow_runs stores the last progress of runs and ends the runs (end_flow_runs). The end of a run
--               deletes its message.
--
-- A worker may write only with the newest claim of a run. lock_claimed_run refuses older claims, and finish_flow_runs
-- skips their results.
create view private.awake_jobs with (security_invoker = true) as
select
  j.flow_run_id, j.user_id, j.message_id, j.turn,
  -- If the message is visible although the job is held, the worker that held the job is lost. So a held job counts
  -- one more lost worker.
  j.lost_claim_count + j.is_held::integer as lost_claims,
  j.lost_claim_count + j.is_held::integer >= 2 as is_suspect
from private.flow_run_jobs as j
where j.message_id is not null and j.sleeps_until is null;
comment on view private.awake_jobs is
  'The jobs of runs that have not ended and do not sleep. Claims read only these jobs. lost_claims and is_suspect are valid only if the job''s message is visible.';
comment on column private.awake_jobs.lost_claims is 'How many workers in a row were lost while they held the run.';
comment on column private.awake_jobs.is_suspect is
  'True if the run has lost two workers in a row. The run may have crashed the workers, so it is claimed alone.';
