-- Counts the use of each deployment by callers other than the owner. Each start counts for two shares: for the group of
-- the caller (guests or others), and for the caller. The use of a share is the sum over its slots; the use of all
-- callers is the sum over both groups. The process id of a database connection selects the slot that the connection
-- writes, so that starts do not wait for each other. There is no foreign key. Instead, a deferred trigger deletes the
-- rows when the deletion of the deployment commits.
create table private.deployment_usage (
  deployment_id uuid not null,
  share text collate "C" not null,
  slot integer not null,
  minute timestamptz not null default '-infinity',
  starts integer not null default 0,
  in_flight integer not null default 0,
  constraint deployment_usage_pkey primary key (deployment_id, share, slot)
) with (fillfactor = 50);
comment on table private.deployment_usage is
  'The use of each deployment by callers other than the owner, for its limits of starts. Each share has several slots. Starts at the same time write different slots, so they do not wait for each other. The use of a share is the sum over its slots.';
comment on column private.deployment_usage.share is
  'The group or the caller whose use is counted. Groups: ''guests'' (callers who have not signed up) and ''others''. Callers: ''user:<id>'', ''key:<public key>'', ''webhook:<id>''. Each start counts for its group and for its caller; private.start_shares() returns both.';
comment on column private.deployment_usage.slot is
  'pg_backend_pid() % 32 for the start of a run, and -1 - pg_backend_pid() % 32 for its end. Starts write slots from 0 up, and ends write negative slots, so an end never waits for a start.';
comment on column private.deployment_usage.minute is 'The minute of the counted starts.';
comment on column private.deployment_usage.starts is 'The number of runs started in that minute.';
comment on column private.deployment_usage.in_flight is
  'The runs started in this slot minus the runs ended in this slot, which may be negative. Only the sum over all slots is the number of runs in flight.';

create function private.tg_flow_deployments__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- The end of a run locks several of these rows in another order, so waiting for locks here could cause a
  -- deadlock. Skip locked rows; the next sweep deletes them.
  delete from private.deployment_usage as u
  where u.deployment_id = old.id and (u.share, u.slot) in (
    select free.share, free.slot from private.deployment_usage as free
      where free.deployment_id = old.id for update skip locked
  );
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_delete() is
  'Deletes the usage of a deleted deployment. Definer, because no API role may access the usage.';
-- The trigger is deferred to the commit, to avoid a deadlock. At the commit, this transaction needs no other lock. So
-- while it holds these rows, it waits for no other transaction.
create constraint trigger flow_deployments_delete_usage after delete on public.flow_deployments
  deferrable initially deferred
  for each row execute function private.tg_flow_deployments__after_delete();

-- Returns the two shares for which a start counts in private.deployment_usage: first the caller's group, then the
-- caller. Each caller belongs to one of two groups, and all callers together may use the whole limit. Guests are
-- callers who have not signed up. With made-up public keys or anonymous sign-ins, anybody can be many guests. So all
-- guests together may use only a part of the limit, which leaves room for users. Each webhook counts as one caller,
-- because anybody who has its URL may use it.
create function private.start_shares(caller private.caller)
returns text[]
language sql immutable security invoker
begin atomic
  select case
    when start_shares.caller.webhook_id is not null
      then array['others', 'webhook:' || start_shares.caller.webhook_id::text]
    when start_shares.caller.user_id is null then array['guests', 'key:' || start_shares.caller.public_key]
    when start_shares.caller.is_anonymous then array['guests', 'user:' || start_shares.caller.user_id::text]
    else array['others', 'user:' || start_shares.caller.user_id::text]
  end;
end;
comment on function private.start_shares(private.caller) is
  'The shares of private.deployment_usage for which a start counts: the caller''s group, ''guests'' or ''others'', and then the caller.';

create function private.queue_starter(deployment public.flow_deployments, caller private.caller)
returns text
language sql immutable security invoker
begin atomic
  select case
    when queue_starter.caller.webhook_id is null and queue_starter.caller.user_id = queue_starter.deployment.user_id then ''
    -- Null if the user who started a run has been deleted, and the run is now redriven.
    else coalesce((private.start_shares(queue_starter.caller))[2], '')
  end;
end;
comment on function private.queue_starter(public.flow_deployments, private.caller) is
  'The part of a key that names the caller: empty for the owner, otherwise the caller''s share (private.start_shares).';

create function private.refuse_start(limit_name text, share text, value bigint, retry_after_seconds integer)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(
    'start_limit_reached',
    format(
      case refuse_start.share
        when 'all' then 'This deployment has reached its %s: %s.'
        when 'guests'
          then 'Callers who have not signed up have used up their share of this deployment''s %s. The share is %s.'
        else 'You have used up your share of this deployment''s %s. The share is %s.'
      end,
      refuse_start.limit_name, refuse_start.value
    ),
    jsonb_build_object(
      'limit', refuse_start.limit_name, 'value', refuse_start.value,
      'of', case when refuse_start.share in ('all', 'guests') then refuse_start.share else 'caller' end
    ),
    'Try again after as many seconds as Retry-After says.',
    jsonb_build_object('Retry-After', refuse_start.retry_after_seconds::text)
  );
end;
$$;
comment on function private.refuse_start(text, text, bigint, integer) is
  'Refuses a start: 429 start_limit_reached with the limit, the share that is used up, and the size of the share.';

create function private.check_share(deployment public.flow_deployments, share text, minute timestamptz)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_limits constant private.limits_of_starts := private.start_limits(check_share.deployment);
  v_max_starts constant bigint := private.share_of_limit(check_share.share, v_limits.max_starts_per_minute);
  v_max_runs constant bigint := private.share_of_limit(check_share.share, v_limits.max_runs_in_flight);
  v_starts bigint;
  v_runs bigint;
begin
  select sum(u.starts) filter (where u.minute = check_share.minute), sum(u.in_flight) into v_starts, v_runs
  from private.deployment_usage as u
  where u.deployment_id = check_share.deployment.id
    and u.share = any (
      case check_share.share when 'all' then array['guests', 'others'] else array[check_share.share] end
    );

  if v_starts > v_max_starts then
    perform private.refuse_start('max_starts_per_minute', check_share.share, v_max_starts,
      greatest(ceil(extract(epoch from check_share.minute + interval '1 minute' - clock_timestamp())), 1)::integer);
  end if;
  if v_runs > v_max_runs then
    perform private.refuse_start('max_runs_in_flight', check_share.share, v_max_runs, 5);
  end if;
end;
$$;
comment on function private.check_share(public.flow_deployments, text, timestamptz) is
  'Refuses a start that is already counted, if its share now has too many starts in this minute or too many runs in flight: 429 start_limit_reached. Definer, because no API role may access the usage.';

-- Concurrent starts do not see each other's counts, so together they may exceed a limit. No start is refused before the
-- limit is reached.
create function private.count_start(deployment public.flow_deployments, shares text[], runs integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_minute timestamptz := date_bin('1 minute', clock_timestamp(), 'epoch');
  v_limits constant private.limits_of_starts := private.start_limits(count_start.deployment);
  v_share text;
  v_starts bigint;
  v_runs bigint;
begin
  -- Count the group before the caller. A transaction that waits for the slot of a caller already holds the slot of
  -- its group, so two such transactions can't deadlock.
  insert into private.deployment_usage as u (deployment_id, share, slot, minute, starts, in_flight)
  select count_start.deployment.id, s.share, pg_backend_pid() % 32, v_minute, 1, count_start.runs
  from unnest(count_start.shares) as s (share)
  on conflict on constraint deployment_usage_pkey do update
  set
    minute = greatest(u.minute, excluded.minute),
    starts = case when u.minute >= excluded.minute then u.starts else 0 end + 1,
    in_flight = u.in_flight + excluded.in_flight;

  -- The share of one caller is a tenth of the limit. So if all callers together use at most a tenth of the limit, no
  -- caller can exceed a share. Nearly every start needs no further check for this reason.
  select coalesce(sum(u.starts) filter (where u.minute = v_minute), 0), sum(u.in_flight) into v_starts, v_runs
  from private.deployment_usage as u
  where u.deployment_id = count_start.deployment.id and u.share in ('guests', 'others');
  if v_starts > v_limits.max_starts_per_minute / 10 or v_runs > v_limits.max_runs_in_flight / 10 then
    -- Skip the group `others`: of the two groups, only `guests` has a limited share.
    foreach v_share in array array['all'] || array_remove(count_start.shares, 'others') loop
      perform private.check_share(count_start.deployment, v_share, v_minute);
    end loop;
  end if;
end;
$$;
comment on function private.count_start(public.flow_deployments, text[], integer) is
  'Counts a start of so many new runs (1, or 0 if it joins a run) against the limits of the deployment, for the groups and the caller in `shares` (see private.start_shares). Called for starts by webhooks, and by callers other than the owner. 429 start_limit_reached if the start exceeds a limit. Definer, because no API role may access the usage.';

create function private.tg_flow_run_jobs__after_end()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into private.deployment_usage as u (deployment_id, share, slot, in_flight)
  select old.counted_deployment_id, s.share, -1 - pg_backend_pid() % 32, -1
  from unnest(old.counted_shares) as s (share)
  -- For a deleted deployment, count nothing. If the deployment is just being deleted, the next sweep removes the
  -- row that this statement writes.
  where exists (select from public.flow_deployments as d where d.id = old.counted_deployment_id)
  on conflict on constraint deployment_usage_pkey do update set in_flight = u.in_flight - 1;
  return null;
end;
$$;
comment on function private.tg_flow_run_jobs__after_end() is
  'Subtracts an ended or deleted run from the runs in flight of its deployment. Definer, because no API role may access the usage.';

-- The triggers are deferred to the commit, because the transaction takes no further locks then. While it holds these
-- rows, it never waits for a transaction that waits for them, so a deadlock is impossible. A constraint trigger is a
-- constraint, so its name follows the rule for constraints.
create constraint trigger flow_run_jobs_count_end after update of state on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.counted_deployment_id is not null and old.state <> 'ended' and new.state = 'ended')
  execute function private.tg_flow_run_jobs__after_end();
create constraint trigger flow_run_jobs_count_delete after delete on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.counted_deployment_id is not null and old.state <> 'ended')
  execute function private.tg_flow_run_jobs__after_end();

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
    where u.share not in ('guests', 'others')
    group by u.deployment_id, u.share
    having sum(u.in_flight) = 0 and max(u.minute) < now() - interval '1 minute'
    limit delete_idle_usage.max_shares
  ), locked as (
    select u.deployment_id, u.share, u.slot, u.in_flight, u.minute
    from private.deployment_usage as u join idle as i on (i.deployment_id, i.share) = (u.deployment_id, u.share)
    for update of u skip locked
  ), forgotten as (
    -- Check the locked rows again with their present values. Other rows of the share may be locked or new, and stay.
    -- Rows whose in_flight adds up to 0 may still be deleted, because the sum of the share does not change.
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
  'Deletes the usage of at most max_shares callers who have no run in flight and no start within the last minute. Returns the number of such callers that it found. Definer, because no API role may access the usage.';

create function private.delete_usage_of_deleted_deployments(max_rows integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Such rows remain if a run ends while its deployment is being deleted. The end of the run may write a row after the
  -- deletion has read the rows, or lock a row, which the deletion then skips.
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
  'Deletes at most max_rows usage rows of deleted deployments. Definer, because no API role may access the usage.';
