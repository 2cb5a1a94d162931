-- These functions select the deliveries of an owner that are claimed next. Deployments take turns. Each deployment has
-- separate turns for runs that the owner started and for runs that others started. So strangers who often start a
-- public deployment do not delay the messages about other runs.

create function private.tried_webhooks(user_id uuid, is_started_by_owner boolean, turn_id uuid, enough bigint)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (select count(*) from (
    select from public.webhook_deliveries as d
    where d.user_id = tried_webhooks.user_id and d.status = 'pending' and least(d.attempts, 1) = 1
      and (tried_webhooks.is_started_by_owner is null or d.is_started_by_owner = tried_webhooks.is_started_by_owner)
      and (tried_webhooks.turn_id is null or d.turn_id = tried_webhooks.turn_id)
    limit tried_webhooks.enough
  ) as tried);
end;
$$;
comment on function private.tried_webhooks(uuid, boolean, uuid, bigint) is
  'Counts the pending deliveries of an owner that have had an attempt, up to `enough`. If turn_id or is_started_by_owner is not null, counts only deliveries with this value. Definer, because it reads deliveries of all users.';

-- The quota pending_webhooks limits the number of an owner's pending deliveries that have had an attempt. Each
-- deployment may use at most a tenth of the quota. Deliveries about runs that others started may use at most half of
-- the quota, and at most half of each deployment's tenth. `picked` is the number of deliveries with the same turn_id
-- and is_started_by_owner that this claim has already selected.
create function private.has_webhook_room(user_id uuid, is_started_by_owner boolean, turn_id uuid, picked bigint)
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
    v_of_others := private.tried_webhooks(has_webhook_room.user_id, false, has_webhook_room.turn_id, v_share);
    if v_of_others + has_webhook_room.picked >= (v_share + 1) / 2
      or private.tried_webhooks(has_webhook_room.user_id, false, null, v_quota)
        + has_webhook_room.picked >= (v_quota + 1) / 2 then
      return false;
    end if;
  end if;
  return private.tried_webhooks(has_webhook_room.user_id, true, has_webhook_room.turn_id, v_share)
      + coalesce(
        v_of_others, private.tried_webhooks(has_webhook_room.user_id, false, has_webhook_room.turn_id, v_share)
      )
      + has_webhook_room.picked < v_share
    and private.tried_webhooks(has_webhook_room.user_id, null, null, v_quota) + has_webhook_room.picked < v_quota;
end;
$$;
comment on function private.has_webhook_room(uuid, boolean, uuid, bigint) is
  'Whether the owner''s quota of pending deliveries has room for the first attempt of a further delivery of this deployment. Definer, because no API role may access the quotas.';

create function private.due_webhook_of(
  user_id uuid, is_started_by_owner boolean, turn_id uuid, at timestamptz, picked uuid[]
)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_tried public.webhook_deliveries;
  v_new public.webhook_deliveries;
begin
  select d.* into v_tried from public.webhook_deliveries as d
  where d.user_id = due_webhook_of.user_id and least(d.attempts, 1) = 1
    and d.is_started_by_owner = due_webhook_of.is_started_by_owner
    and d.turn_id = due_webhook_of.turn_id and d.status = 'pending'
      and d.next_attempt_at <= due_webhook_of.at
    and d.id <> all (due_webhook_of.picked)
  order by d.next_attempt_at, d.id limit 1;
  select d.* into v_new from public.webhook_deliveries as d
  where d.user_id = due_webhook_of.user_id and least(d.attempts, 1) = 0
    and d.is_started_by_owner = due_webhook_of.is_started_by_owner
    and d.turn_id = due_webhook_of.turn_id and d.status = 'pending'
      and d.next_attempt_at <= due_webhook_of.at
    and d.id <> all (due_webhook_of.picked)
  order by d.next_attempt_at, d.id limit 1;
  if v_new.id is not null and not private.has_webhook_room(
    due_webhook_of.user_id, due_webhook_of.is_started_by_owner, due_webhook_of.turn_id, (
      select count(*) from public.webhook_deliveries as p
      where p.id = any (due_webhook_of.picked) and p.turn_id = due_webhook_of.turn_id
        and p.is_started_by_owner = due_webhook_of.is_started_by_owner
    )
  ) then
    v_new := null;
  end if;
  return (
    select d.id from public.webhook_deliveries as d
    where d.id = case when v_new.next_attempt_at < v_tried.next_attempt_at or v_tried.id is null then v_new.id
      else v_tried.id end
      and d.status = 'pending'
    for no key update skip locked
  );
end;
$$;
comment on function private.due_webhook_of(uuid, boolean, uuid, timestamptz, uuid[]) is
  'Locks the most overdue delivery with this turn_id and is_started_by_owner that is not in `picked`, and returns its id. A delivery without an attempt counts only if the quota has room. Null if none is due, or if another transaction has locked it. Definer, because it reads deliveries of all users.';

create function private.next_webhook_turn(turn private.webhook_turns)
returns private.webhook_turns
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_turn private.webhook_turns := next_webhook_turn.turn;
begin
  -- The index is searched twice: for new deliveries, and for deliveries that were tried.
  select n.is_started_by_owner, n.turn_id into v_turn.is_started_by_owner, v_turn.turn_id
  from unnest('{0,1}'::integer[]) as t (tried)
  cross join lateral (
    select d.is_started_by_owner, d.turn_id from public.webhook_deliveries as d
    where d.user_id = v_turn.user_id and d.status = 'pending' and least(d.attempts, 1) = t.tried
      and (d.is_started_by_owner, d.turn_id) > (v_turn.is_started_by_owner, v_turn.turn_id)
    order by d.is_started_by_owner, d.turn_id limit 1
  ) as n
  order by n.is_started_by_owner, n.turn_id limit 1;
  return v_turn;
end;
$$;
comment on function private.next_webhook_turn(private.webhook_turns) is
  'The turn that follows this turn among the owner''s deployments with pending deliveries. turn_id is null after the last turn. Definer, because it reads deliveries of all users.';

create function private.due_webhooks_of(user_id uuid, max_deliveries integer, at timestamptz)
returns uuid[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_none constant uuid := '00000000-0000-0000-0000-000000000000';
  -- An owner has at most four concurrent posts, counted over all workers. So an address that never answers can't occupy
  -- more than four posts. One of the four is reserved for messages about runs that the owner started.
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
  select t.* into v_turn from private.webhook_turns as t
    where t.user_id = due_webhooks_of.user_id for no key update skip locked;
  v_turn := (
    due_webhooks_of.user_id, coalesce(v_turn.is_started_by_owner, false), coalesce(v_turn.turn_id, v_none)
  );

  -- Search at most 200 turns in one claim. The next claim continues after the last of these turns.
  for v_step in 1..200 loop
    exit when cardinality(v_ids) >= v_places;
    v_turn := private.next_webhook_turn(v_turn);
    if v_turn.turn_id is null then
      exit when v_is_round_empty;
      v_is_round_empty := true;
      v_turn := (due_webhooks_of.user_id, false, v_none);
    elsif v_turn.is_started_by_owner or v_places_of_others > 0 then
      v_id := private.due_webhook_of(
        v_turn.user_id, v_turn.is_started_by_owner, v_turn.turn_id, due_webhooks_of.at, v_ids
      );
      if v_id is not null then
        v_is_round_empty := false;
        v_places_of_others := v_places_of_others - (not v_turn.is_started_by_owner)::integer;
        v_ids := v_ids || v_id;
      end if;
    end if;
  end loop;
  update private.webhook_turns as t
  set is_started_by_owner = coalesce(v_turn.is_started_by_owner, false),
    turn_id = coalesce(v_turn.turn_id, v_none)
  where t.user_id = (
    select free.user_id from private.webhook_turns as free
      where free.user_id = v_turn.user_id for no key update skip locked
  )
    and (t.is_started_by_owner, t.turn_id) is distinct from (v_turn.is_started_by_owner, v_turn.turn_id);
  return v_ids;
end;
$$;
comment on function private.due_webhooks_of(uuid, integer, timestamptz) is
  'Locks and returns the due deliveries of an owner, within the owner''s limit of concurrent posts. Deployments take turns. Runs that the owner started and runs that others started have separate turns. Definer, because it reads deliveries of all users.';
