create function private.runner_metrics()
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  -- clock_timestamp() is in sub-selects, because a volatile function in a condition prevents the use of an index.
  -- Runs that may be claimed and runs whose state ends later have different indexes, so they are read separately.
  with queued as not materialized (
    select j.* from private.flow_run_jobs as j where j.state in ('ready', 'lost')
    union all
    select j.* from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at <= (select clock_timestamp())
  ),
  queue as (
    select count(*) as length, (select clock_timestamp()) - min(private.claimable_since(q)) as age from queued as q
  ),
  undue as (
    select count(*) filter (where j.state = 'held') as running, count(*) filter (where j.state = 'sleeping') as delayed,
      count(*) filter (where j.state = 'waiting') as waiting
    from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at > (select clock_timestamp())
  )
  select jsonb_build_object(
    'queue_length', queue.length,
    'oldest_queued_seconds', round(extract(epoch from queue.age), 3),
    'delayed', undue.delayed,
    'running', undue.running,
    'waiting', undue.waiting,
    'blocked', (select count(*) from private.flow_run_jobs as j where j.state = 'blocked'),
    'failed_last_hour', (
      select count(*) from private.flow_run_jobs as j where j.failed_at > (select clock_timestamp()) - interval '1 hour'
    ),
    'pending_webhooks', (select count(*) from public.webhook_deliveries as d where d.status = 'pending')
  )
  from queue cross join undue;
$$;
comment on function private.runner_metrics() is
  'Implements public.runner_metrics. Definer, because no API role may access jobs.';
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
--   blocked                the runs that wait for a place of their key
--   failed_last_hour       the runs that failed in the last hour
--   pending_webhooks       the deliveries that have not been made yet
comment on function public.runner_metrics() is
  'For operators: {queue_length, oldest_queued_seconds, delayed, running, waiting, blocked, failed_last_hour, pending_webhooks}. Only root runs are counted. pending_webhooks counts the deliveries that have not been made yet.';
grant execute on function public.runner_metrics() to service_role;
