-- The steps of sweep_runner. Each skips rows that other transactions have locked, which the next sweep deletes: a sweep waits for nobody, so
-- nobody waits for a waiting sweep. `offset 0` makes a `not exists` one look at an index for each row; a join would read the whole table.
-- The steps are planned with the settings of sweep_runner.

create function private.delete_old_runs(max_age interval, max_runs integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
begin
  delete from public.flow_run as r
  where r.id = any (array(
    select old.id from public.flow_run as old
    -- An id holds the time at which its run was made, which is before its end. So the search needs no index on the ends, which would cost
    -- every start.
    where old.id < (select private.uuid_v7(greatest(now() - delete_old_runs.max_age, 'epoch')))
      and old.parent_flow_run_id is null and old.end_time < now() - delete_old_runs.max_age
    order by old.id limit delete_old_runs.max_runs
    for update skip locked
  ));
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_old_runs(interval, integer) is
  'Deletes root runs that ended longer than max_age ago with all that is theirs, and returns how many. Definer: only functions write runs.';

create function private.delete_old_idempotency_keys(max_keys integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
begin
  delete from private.idempotency_keys as k
  where k.key_hash = any (array(
    select old.key_hash from private.idempotency_keys as old
    where old.created_at < now() - interval '24 hours'
    order by old.created_at limit delete_old_idempotency_keys.max_keys
    for update skip locked
  ));
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_old_idempotency_keys(integer) is
  'Deletes idempotency keys of more than 24 hours, and returns how many. Definer: the keys are private.';

create function private.delete_stray_messages(max_messages integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (
    select count(*)
    from unnest(array(
      select m.msg_id from pgmq.q_flow_runs as m
      where not exists (
          select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.message_id is not null and j.sleeps_until is null
        )
        and not exists (select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.sleeps_until is not null)
      limit delete_stray_messages.max_messages
      for update skip locked
    )) as stray (id)
    where pgmq.delete('flow_runs', stray.id)
  );
end;
$$;
comment on function private.delete_stray_messages(integer) is
  'Deletes messages that belong to no run, and returns how many. Definer: queue and jobs are private.';

create function private.delete_idle_usage(max_shares integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_idle bigint;
begin
  with idle as (
    select u.deployment_id, u.share
    from private.deployment_usage as u
    where u.share <> 'all'
    group by u.deployment_id, u.share
    having sum(u.in_flight) = 0 and max(u.minute) < now() - interval '1 minute'
    limit delete_idle_usage.max_shares
  ), locked as (
    select u.deployment_id, u.share, u.slot, u.in_flight, u.minute
    from private.deployment_usage as u join idle as i on (i.deployment_id, i.share) = (u.deployment_id, u.share)
    for update of u skip locked
  ), forgotten as (
    -- Checked again with the values that the locked rows have now. Rows that add up to 0 change no sum, so they may go although rows of
    -- the same share that were locked or are new stay.
    delete from private.deployment_usage as u
    where (u.deployment_id, u.share, u.slot) in (
      select l.deployment_id, l.share, l.slot
      from locked as l join (
        select l.deployment_id, l.share from locked as l group by l.deployment_id, l.share
        having sum(l.in_flight) = 0 and max(l.minute) < now() - interval '1 minute'
      ) as unused on (unused.deployment_id, unused.share) = (l.deployment_id, l.share)
    )
  )
  select count(*) into v_idle from idle;
  return v_idle;
end;
$$;
comment on function private.delete_idle_usage(integer) is
  'Deletes the usage of shares, other than all, that have no run in flight and started none within the last minute: of max_shares at most. Returns how many such shares it found. Definer: the usage is private.';

create function private.delete_usage_of_deleted_deployments(max_rows integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- The end of a run writes such a row, or keeps it locked, while its deployment is being deleted.
  delete from private.deployment_usage as u
  where (u.deployment_id, u.share, u.slot) in (
    select old.deployment_id, old.share, old.slot from private.deployment_usage as old
    where not exists (select from public.flow_deployments as d where d.id = old.deployment_id offset 0)
    limit delete_usage_of_deleted_deployments.max_rows
    for update skip locked
  );
end;
$$;
comment on function private.delete_usage_of_deleted_deployments(integer) is
  'Deletes what is left of the usage of deleted deployments. Definer: the usage is private.';
