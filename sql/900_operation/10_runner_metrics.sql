create function private.runner_metrics()
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  -- clock_timestamp() is in sub-selects, because a volatile function in a condition prevents the use of an index.
  -- Runs that sleep and runs that do not sleep have different indexes, so they are read separately.
  with job as not materialized (
    select j.* from private.flow_run_jobs as j where j.message_id is not null and j.sleeps_until is null
    union all
    select j.* from private.flow_run_jobs as j where j.sleeps_until is not null
  ),
  queue as (
    select count(*) as length, (select clock_timestamp()) - min(m.vt) as age
    from pgmq.q_flow_runs as m
    where m.vt <= (select clock_timestamp())
  ),
  hidden as (
    select count(*) filter (where j.is_held) as running,
      count(*) filter (where not j.is_held and r.status <> 'waiting') as delayed
    from pgmq.q_flow_runs as m
    join job as j on j.message_id = m.msg_id
    join public.flow_run as r on r.id = j.flow_run_id
    where m.vt > (select clock_timestamp())
  )
  select jsonb_build_object(
    'queue_length', queue.length,
    'oldest_queued_seconds', round(extract(epoch from queue.age), 3),
    'delayed', hidden.delayed,
    'running', hidden.running,
    'waiting', (
      -- The sub-select searches an index for each run that has not ended. A join could read all runs.
      select count(*) from job as j
      where (select r.status from public.flow_run as r where r.id = j.flow_run_id) = 'waiting'
    ),
    'failed_last_hour', (
      select count(*) from private.flow_run_jobs as j where j.failed_at > (select clock_timestamp()) - interval '1 hour'
    ),
    'pending_webhooks', (select count(*) from public.webhook_deliveries as d where d.status = 'pending')
  )
  from queue cross join hidden;
$$;
comment on function private.runner_metrics() is
  'Implements public.runner_metrics. Definer, because no API role may access the queue.';
grant execute on function private.runner_metrics() to service_role;

create function public.runner_metrics()
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.runner_metrics();
$$;
--   queue_length           the runs that may be claimed now, including those of lost workers
--   oldest_queued_seconds  how long the oldest of these runs has waited; null if no run may be claimed now
--   delayed                the runs that no worker may claim before a later time
--   running                the runs that a worker holds
--   waiting                the runs that wait for a signature or an input
--   failed_last_hour       the runs that failed in the last hour
--   pending_webhooks       the deliveries that have not been made yet
comment on function public.runner_metrics() is
  'For operators: {queue_length, oldest_queued_seconds, delayed, running, waiting, failed_last_hour, pending_webhooks}. Only root runs are counted. pending_webhooks counts the deliveries that have not been made yet.';
grant execute on function public.runner_metrics() to service_role;
