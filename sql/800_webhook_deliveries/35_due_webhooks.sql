-- Which deliveries of one owner are claimed next. Turns go by deployment, apart for runs that the owner started and for runs that others
-- started: strangers who start a public deployment hold up no message about other runs.

create function private.tried_webhooks(user_id uuid, is_started_by_owner boolean, deployment_id uuid, enough bigint)
returns bigint
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
-- Where an argument is null, its column bounds no range of the index.
set plan_cache_mode = force_custom_plan
as $$
begin
  return (select count(*) from (
    select from public.webhook_deliveries as d
    where d.user_id = tried_webhooks.user_id and d.status = 'pending' and least(d.attempts, 1) = 1
      and (tried_webhooks.is_started_by_owner is null or d.is_started_by_owner = tried_webhooks.is_started_by_owner)
      and (tried_webhooks.deployment_id is null or d.deployment_id = tried_webhooks.deployment_id)
    limit tried_webhooks.enough
  ) as tried);
end;
$$;
comment on function private.tried_webhooks(uuid, boolean, uuid, bigint) is
  'Counts the deliveries of an owner that were tried and are pending, at most up to enough; of one deployment and kind of start where they are given. Definer: it sees all of them.';

create function private.has_webhook_room(user_id uuid, is_started_by_owner boolean, deployment_id uuid, picked bigint)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_quota constant bigint := private.quota('pending_webhooks');
  v_share constant bigint := (v_quota + 9) / 10;
  v_of_others bigint;
begin
  if not has_webhook_room.is_started_by_owner then
    v_of_others := private.tried_webhooks(has_webhook_room.user_id, false, has_webhook_room.deployment_id, v_share);
    if v_of_others + has_webhook_room.picked >= (v_share + 1) / 2
      or private.tried_webhooks(has_webhook_room.user_id, false, null, v_quota) + has_webhook_room.picked >= (v_quota + 1) / 2 then
      return false;
    end if;
  end if;
  return private.tried_webhooks(has_webhook_room.user_id, true, has_webhook_room.deployment_id, v_share)
      + coalesce(v_of_others, private.tried_webhooks(has_webhook_room.user_id, false, has_webhook_room.deployment_id, v_share))
      + has_webhook_room.picked < v_share
    and private.tried_webhooks(has_webhook_room.user_id, null, null, v_quota) + has_webhook_room.picked < v_quota;
end;
$$;
comment on function private.has_webhook_room(uuid, boolean, uuid, bigint) is
  'Whether another delivery of a deployment may be tried for the first time: an owner may have the quota pending_webhooks of tried ones, a deployment a tenth of it, and runs that others started half of either. picked of the same are about to be tried. Definer: the quotas are private.';

create function private.due_webhook_of(user_id uuid, is_started_by_owner boolean, deployment_id uuid, at timestamptz, picked uuid[])
returns uuid
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_tried public.webhook_deliveries;
  v_new public.webhook_deliveries;
begin
  select d.* into v_tried from public.webhook_deliveries as d
  where d.user_id = due_webhook_of.user_id and least(d.attempts, 1) = 1 and d.is_started_by_owner = due_webhook_of.is_started_by_owner
    and d.deployment_id = due_webhook_of.deployment_id and d.status = 'pending' and d.next_attempt_at <= due_webhook_of.at
    and d.id <> all (due_webhook_of.picked)
  order by d.next_attempt_at, d.id limit 1;
  select d.* into v_new from public.webhook_deliveries as d
  where d.user_id = due_webhook_of.user_id and least(d.attempts, 1) = 0 and d.is_started_by_owner = due_webhook_of.is_started_by_owner
    and d.deployment_id = due_webhook_of.deployment_id and d.status = 'pending' and d.next_attempt_at <= due_webhook_of.at
    and d.id <> all (due_webhook_of.picked)
  order by d.next_attempt_at, d.id limit 1;
  if v_new.id is not null and not private.has_webhook_room(
    due_webhook_of.user_id, due_webhook_of.is_started_by_owner, due_webhook_of.deployment_id, (
      select count(*) from public.webhook_deliveries as p
      where p.id = any (due_webhook_of.picked) and p.deployment_id = due_webhook_of.deployment_id
        and p.is_started_by_owner = due_webhook_of.is_started_by_owner
    )
  ) then
    v_new := null;
  end if;
  return (
    select d.id from public.webhook_deliveries as d
    where d.id = case when v_new.next_attempt_at < v_tried.next_attempt_at or v_tried.id is null then v_new.id else v_tried.id end
      and d.status = 'pending'
    for no key update skip locked
  );
end;
$$;
comment on function private.due_webhook_of(uuid, boolean, uuid, timestamptz, uuid[]) is
  'Locks and returns the delivery of a deployment that is most overdue and not picked yet: one that was never tried only if there is room for it. Null without one, and where another transaction has locked it. Definer: it sees all of them.';

create function private.next_webhook_turn(turn private.webhook_turns)
returns private.webhook_turns
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_turn private.webhook_turns := next_webhook_turn.turn;
begin
  -- One look at the index for those that were never tried, one for those that were.
  select n.is_started_by_owner, n.deployment_id into v_turn.is_started_by_owner, v_turn.deployment_id
  from unnest('{0,1}'::integer[]) as t (tried)
  cross join lateral (
    select d.is_started_by_owner, d.deployment_id from public.webhook_deliveries as d
    where d.user_id = v_turn.user_id and d.status = 'pending' and least(d.attempts, 1) = t.tried
      and (d.is_started_by_owner, d.deployment_id) > (v_turn.is_started_by_owner, v_turn.deployment_id)
    order by d.is_started_by_owner, d.deployment_id limit 1
  ) as n
  order by n.is_started_by_owner, n.deployment_id limit 1;
  return v_turn;
end;
$$;
comment on function private.next_webhook_turn(private.webhook_turns) is
  'Returns the turn behind this one, of a deployment of the same owner with pending deliveries; deployment_id is null behind the last. Definer: it sees all of them.';

create function private.due_webhooks_of(user_id uuid, max_deliveries integer, at timestamptz)
returns uuid[]
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  v_none constant uuid := '00000000-0000-0000-0000-000000000000';
  -- So many posts of one owner are under way at a time, whoever sends them: an address that never answers holds no more places. One of
  -- them is kept for messages about runs that the owner started.
  v_places bigint;
  v_places_of_others bigint;
  v_turn private.webhook_turns;
  v_is_round_empty boolean := false;
  v_id uuid;
  v_ids uuid[] := '{}';
begin
  select 4 - count(*), 3 - count(*) filter (where not d.is_started_by_owner) into v_places, v_places_of_others
  from public.webhook_deliveries as d
  where d.user_id = due_webhooks_of.user_id and d.is_held and d.next_attempt_at > due_webhooks_of.at;
  v_places := least(v_places, due_webhooks_of.max_deliveries);
  select t.* into v_turn from private.webhook_turns as t where t.user_id = due_webhooks_of.user_id for no key update skip locked;
  v_turn := (due_webhooks_of.user_id, coalesce(v_turn.is_started_by_owner, false), coalesce(v_turn.deployment_id, v_none));

  -- Deployments without a due delivery are stepped over. Where there are more, the next claim goes on behind them.
  for v_step in 1..200 loop
    exit when cardinality(v_ids) >= v_places;
    v_turn := private.next_webhook_turn(v_turn);
    if v_turn.deployment_id is null then
      exit when v_is_round_empty;
      v_is_round_empty := true;
      v_turn := (due_webhooks_of.user_id, false, v_none);
    elsif v_turn.is_started_by_owner or v_places_of_others > 0 then
      v_id := private.due_webhook_of(v_turn.user_id, v_turn.is_started_by_owner, v_turn.deployment_id, due_webhooks_of.at, v_ids);
      if v_id is not null then
        v_is_round_empty := false;
        v_places_of_others := v_places_of_others - (not v_turn.is_started_by_owner)::integer;
        v_ids := v_ids || v_id;
      end if;
    end if;
  end loop;
  update private.webhook_turns as t
  set is_started_by_owner = coalesce(v_turn.is_started_by_owner, false), deployment_id = coalesce(v_turn.deployment_id, v_none)
  where t.user_id = (select free.user_id from private.webhook_turns as free where free.user_id = v_turn.user_id for no key update skip locked)
    and (t.is_started_by_owner, t.deployment_id) is distinct from (v_turn.is_started_by_owner, v_turn.deployment_id);
  return v_ids;
end;
$$;
comment on function private.due_webhooks_of(uuid, integer, timestamptz) is
  'Locks and returns the deliveries of an owner that are due, as far as the owner may have more under way: deployments take turns, apart for runs that the owner started and for others. Definer: it sees all of them.';
