create function private.owners_in_turn(last_id uuid, max_owners integer, passed_over uuid[])
returns table (user_id uuid, turn bigint, suspect_id uuid)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  c_last_turn constant bigint := 9223372036854775807;
  v_after_id uuid := coalesce(owners_in_turn.last_id, c_first_id);
  v_after_turn bigint := case when owners_in_turn.last_id is null then 0 else c_last_turn end;
  v_until_id uuid := c_last_id;
  v_is_anew boolean := owners_in_turn.last_id is null;
  v_count integer := 0;
begin
  while v_count < owners_in_turn.max_owners loop
    select j.user_id, j.turn, case when j.lost_claim_count + j.is_held::integer >= 2 then j.flow_run_id end
    into user_id, turn, suspect_id
    from private.flow_run_jobs as j
    -- A look for each job by itself: a join might be planned, and its plan kept, as one that reads the whole queue for each.
    cross join lateral (select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() offset 0) as m
    where j.message_id is not null and j.sleeps_until is null and (j.user_id, j.turn) > (v_after_id, v_after_turn) and j.user_id <= v_until_id
    order by j.user_id, j.turn
    limit 1;
    if found then
      if (user_id = any (owners_in_turn.passed_over)) is not true then
        return next;
        v_count := v_count + 1;
      end if;
      v_after_id := user_id;
      v_after_turn := c_last_turn;
    else
      -- Behind the last of all owners come the first ones, up to the one that was begun after.
      exit when v_is_anew;
      v_is_anew := true;
      v_after_id := c_first_id;
      v_after_turn := 0;
      v_until_id := owners_in_turn.last_id;
    end if;
  end loop;
end;
$$;
comment on function private.owners_in_turn(uuid, integer, uuid[]) is
  'The owners who have a run whose message is visible, but for those passed over, in the order of their ids from the one after last_id on (null: from the first), each with the turn of the first such run, and its id when it lost two workers. Definer: queue and jobs are private.';

create function private.pick_suspect(flow_run_id uuid, out user_id uuid, out lost_claim_count integer)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  select j.user_id, j.lost_claim_count + j.is_held::integer into pick_suspect.user_id, pick_suspect.lost_claim_count
  from private.flow_run_jobs as j
  cross join lateral (
    select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() for no key update skip locked
  ) as m
  join public.flow_run as r on r.id = j.flow_run_id
  where j.flow_run_id = pick_suspect.flow_run_id and j.lost_claim_count + j.is_held::integer >= 2
  for no key update of j, r skip locked;
end;
$$;
comment on function private.pick_suspect(uuid) is
  'Locks a run that lost two workers, as pick_flow_runs does; null when it is none any more, is not there to be claimed, or somebody is changing it. Definer: queue and jobs are private.';

create function private.pick_flow_runs(
  max_runs integer, passed_over uuid[], out run_ids uuid[], out lost_claim_counts integer[], out last_user_id uuid, out suspect_id uuid
)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_last private.last_claim;
  v_wanted integer := pick_flow_runs.max_runs;
  v_owner_ids uuid[];
  v_turns bigint[];
  v_suspect_ids uuid[];
  v_tried_ids uuid[];
  v_tried_id uuid;
  v_suspect record;
  v_noted_id uuid;
  v_share integer;
  v_rounds integer;
  v_places integer;
begin
  select l.* into v_last from private.last_claim as l where l.id;
  loop
    select array_agg(o.user_id), array_agg(o.turn), array_agg(o.suspect_id) into v_owner_ids, v_turns, v_suspect_ids
    from private.owners_in_turn(v_last.user_id, v_wanted, pick_flow_runs.passed_over) as o;
    if v_tried_ids is null and v_owner_ids is not null then
      -- A run that lost two workers may be what ended them: it goes alone, so that it takes no others along. One that had to wait
      -- comes before all others, and after it the owners go on where they were.
      v_tried_ids := array_remove(array[v_last.suspect_id, v_suspect_ids[1]], null);
      foreach v_tried_id in array v_tried_ids loop
        v_suspect := private.pick_suspect(v_tried_id);
        if v_suspect.user_id = any (pick_flow_runs.passed_over) then
          -- Its owner has a place: it waits on, noted as it is.
          v_noted_id := v_tried_id;
        elsif v_suspect.user_id is not null then
          suspect_id := v_noted_id;
          run_ids := array[v_tried_id];
          lost_claim_counts := array[v_suspect.lost_claim_count];
          last_user_id := case when v_tried_id = v_last.suspect_id then v_last.user_id else v_suspect.user_id end;
          return;
        end if;
      end loop;
    end if;

    v_share := case
      when pick_flow_runs.passed_over is null then ceil(v_wanted::double precision / cardinality(v_owner_ids))
      -- Those who have no place get one each, so that the next who comes finds some left.
      else 1
    end;
    select array_agg(picked.flow_run_id order by picked.round, picked.place),
      array_agg(picked.lost_claim_count order by picked.round, picked.place),
      (array_agg(picked.user_id order by picked.round desc, picked.place desc))[1], max(picked.round), max(picked.place)
    into run_ids, lost_claim_counts, last_user_id, v_rounds, v_places
    from (
      select own.*, o.user_id, o.place
      from unnest(v_owner_ids, v_turns) with ordinality as o (user_id, turn, place)
      cross join lateral (
        select free.flow_run_id, free.lost_claim_count, row_number() over (order by free.turn) as round
        from (
          select j.flow_run_id, j.turn, j.lost_claim_count + j.is_held::integer as lost_claim_count
          from private.flow_run_jobs as j
          -- All three rows: what an older claim, a stop or a heartbeat has just changed is looked at anew, and whom one of them is
          -- changing now is no worker's to take over.
          cross join lateral (
            select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() for no key update skip locked
          ) as m
          join public.flow_run as r on r.id = j.flow_run_id
          where j.message_id is not null and j.sleeps_until is null and j.user_id = o.user_id and j.turn >= o.turn and j.lost_claim_count + j.is_held::integer < 2
          order by j.turn
          limit v_share
          for no key update of j, r skip locked
        ) as free
      ) as own
      order by own.round, o.place
      limit pick_flow_runs.max_runs
    ) as picked;
    -- Again with twice as many, as long as those that are missing may be more of the same owners, or of others: some had fewer than
    -- their share, or such as somebody is changing.
    exit when (
      coalesce(cardinality(run_ids), 0) < pick_flow_runs.max_runs
      and ((pick_flow_runs.passed_over is null and v_rounds = v_share) or cardinality(v_owner_ids) = v_wanted)
    ) is not true;
    v_wanted := 2 * v_wanted;
  end loop;
  -- Others have taken the place of one that had to wait.
  suspect_id := coalesce(v_noted_id, (
    select s.id from unnest(v_suspect_ids) with ordinality as s (id, place)
    where s.place <= v_places and s.id is not null and s.id <> all (v_tried_ids)
    order by s.place limit 1
  ));
end;
$$;
comment on function private.pick_flow_runs(integer, uuid[]) is
  'Locks the runs to claim next, in their order: those whose message is visible, one of each owner after the other, each owner''s by their turns; where owners are passed over, one of each other; a run that lost two workers alone. With them what private.last_claim has to note. Definer: queue and jobs are private; called under the lock of claim_flow_runs.';

create function private.wake_due_flow_runs()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Whom somebody is changing is being woken, or comes with the next claim.
  update private.flow_run_jobs as j set sleeps_until = null
  where j.flow_run_id = any (array(
    select due.flow_run_id from private.flow_run_jobs as due
    where due.sleeps_until <= (select clock_timestamp())
    order by due.sleeps_until limit 1000
    for no key update skip locked
  ));
end;
$$;
comment on function private.wake_due_flow_runs() is
  'Lets claims look at runs whose time has come, a thousand at a time. Definer: jobs are private; called under the lock of claim_flow_runs.';

create function private.claim_flow_runs(
  max_runs integer, lease_seconds integer, known_snapshots text[], max_lost_claims integer, wait_millies integer,
  passed_over uuid[] default null
)
returns table (
  flow_run_id uuid, attempt integer, lost_claim_count integer, flow_id integer, user_id uuid, started_by text, inputs jsonb, settings jsonb,
  snapshot_hash text, snapshot text, work_ms bigint, stop jsonb, output_bytes bigint
)
language plpgsql volatile security definer
set search_path = ''
-- Planning would take longer than all the rest: the first plan is kept. It must not be one that was made while the queue was empty:
-- along the index of turns, and by keys. What is off costs more than anything that is worth being compiled.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $$
declare
  v_began timestamptz := clock_timestamp();
  v_waited double precision;
  v_picked record;
  v_run_ids uuid[];
  v_lost_id uuid;
  v_lost_claim_count integer;
  v_message_ids bigint[];
begin
  -- Idle workers neither wait for each other nor look at runs that are due later.
  while not private.has_queued_run() loop
    v_waited := date_part('epoch', clock_timestamp() - v_began);
    if (v_waited * 1000 < claim_flow_runs.wait_millies) is not true
      -- Each that waits keeps a connection from those who start runs: one at a time.
      or not pg_try_advisory_xact_lock(hashtext('private.claim_flow_runs'), 1)
    then
      return;
    end if;
    perform pg_sleep(greatest(v_waited / 20, 0.001));
  end loop;
  -- One claim at a time: each sees what the others left, and none comes back empty-handed while there is work.
  perform pg_advisory_xact_lock(hashtext('private.claim_flow_runs'));
  perform private.wake_due_flow_runs();
  loop
    v_picked := private.pick_flow_runs(claim_flow_runs.max_runs, claim_flow_runs.passed_over);
    select p.id, p.lost_claim_count into v_lost_id, v_lost_claim_count
    from unnest(v_picked.run_ids, v_picked.lost_claim_counts) as p (id, lost_claim_count)
    where p.lost_claim_count > claim_flow_runs.max_lost_claims
    limit 1;
    exit when not found;
    perform private.end_flow_run(v_lost_id, 'failed', null, array[format(
      'worker_lost: %s workers in a row were lost while they executed this run', v_lost_claim_count
    )], null);
  end loop;
  v_run_ids := v_picked.run_ids;
  if v_run_ids is null then
    return;
  end if;

  insert into private.last_claim as l (user_id, suspect_id) values (v_picked.last_user_id, v_picked.suspect_id)
  on conflict (id) do update set user_id = excluded.user_id, suspect_id = excluded.suspect_id
  where (l.user_id, l.suspect_id) is distinct from (excluded.user_id, excluded.suspect_id);
  update public.flow_run as r
  set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
  where r.id = any (v_run_ids) and r.status <> 'running';
  with claimed as (
    update private.flow_run_jobs as j
    set attempt = j.attempt + 1, lost_claim_count = j.lost_claim_count + j.is_held::integer, is_held = true
    where j.flow_run_id = any (v_run_ids)
    returning j.message_id
  )
  select array_agg(claimed.message_id) into v_message_ids from claimed;
  perform private.hide_messages(v_message_ids, claim_flow_runs.lease_seconds);

  return query
  select
    r.id, j.attempt, j.lost_claim_count, r.flow_id, r.user_id, coalesce(r.started_by::text, r.started_by_public_key), r.inputs,
    jsonb_build_object(
      'output_instructions', r.output_instructions, 'action_identity', r.action_identity, 'action_signer', r.action_signer,
      -- As text: no amount passes through a JavaScript float.
      'fees', (
        select coalesce(jsonb_agg(jsonb_build_array(fee.pair -> 0, fee.pair ->> 1) order by fee.position), '[]')
        from jsonb_array_elements(r.fees) with ordinality as fee (pair, position)
      ),
      'chain_network', r.chain_network || jsonb_build_object('url', j.chain_url)
    ),
    encode(j.snapshot_hash, 'hex'),
    case when encode(j.snapshot_hash, 'hex') = any (claim_flow_runs.known_snapshots) then null else s.data::text end,
    j.work_ms,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end,
    j.output_bytes
  from private.flow_run_jobs as j
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  where j.flow_run_id = any (v_run_ids)
  order by array_position(v_run_ids, r.id);
end;
$$;
comment on function private.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) is
  'Does what public.claim_flow_runs says. Definer: queue, jobs and snapshots are private.';
grant execute on function private.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) to service_role;

create function public.claim_flow_runs(
  max_runs integer, lease_seconds integer, known_snapshots text[] default '{}', max_lost_claims integer default 5,
  wait_millies integer default 0, passed_over uuid[] default null
)
returns table (
  flow_run_id uuid, attempt integer, lost_claim_count integer, flow_id integer, user_id uuid, started_by text, inputs jsonb, settings jsonb,
  snapshot_hash text, snapshot text, work_ms bigint, stop jsonb, output_bytes bigint
)
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return query
  select * from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots, claim_flow_runs.max_lost_claims,
    claim_flow_runs.wait_millies, claim_flow_runs.passed_over
  );
end;
$$;
comment on function public.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) is
  'For the runner: claims up to max_runs queued runs, or runs whose claim has run out, for lease_seconds; owners take turns. A snapshot comes as its JSON text, or null when its hash (hex) is in known_snapshots. A run that lost more than max_lost_claims workers in a row fails (null: none does); one that lost two comes alone. Where none is there, wait_millies are waited for one, by one caller at a time. passed_over: owners who have a place already, of whom none is claimed; then each other owner gets one at the most. output_bytes: what flow_run_history and its pages hold of node outputs, about.';
grant execute on function public.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) to service_role;
