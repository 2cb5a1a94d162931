create function private.lock_queued_run(flow_run_id uuid, out user_id uuid, out lost_claims integer)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  select j.user_id, j.lost_claims into lock_queued_run.user_id, lock_queued_run.lost_claims
  from private.awake_jobs as j
  cross join lateral (
    select from pgmq.q_flow_runs as m
    where m.msg_id = j.message_id and m.vt <= clock_timestamp()
    for no key update skip locked
  ) as m
  join public.flow_run as r on r.id = j.flow_run_id
  where j.flow_run_id = lock_queued_run.flow_run_id
  for no key update of j, r skip locked;
end;
$$;
comment on function private.lock_queued_run(uuid) is
  'Locks one run in the same way as lock_next_flow_runs. Returns its owner and its number of lost workers. Returns nulls if the run is not claimable, or if another transaction has locked it. Definer, because no API role may access queue and jobs.';

create function private.lock_next_flow_runs(
  max_runs integer, owners_with_slots uuid[], only_run_id uuid,
  out run_ids uuid[], out lost_claims integer[], out last_user_id uuid, out suspect_id uuid
)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_last private.last_claim;
  v_max_owners integer := lock_next_flow_runs.max_runs;
  v_owner_ids uuid[];
  v_turns bigint[];
  v_suspect_ids uuid[];
  v_tried_ids uuid[];
  v_tried_id uuid;
  v_tried record;
  v_postponed_id uuid;
  v_runs_per_owner integer;
  v_rounds integer;
  v_owner_count integer;
begin
  select l.* into v_last from private.last_claim as l where l.id;
  -- If only one run in the queue is visible, choose this run, whichever owner has the turn.
  if lock_next_flow_runs.only_run_id is not null and lock_next_flow_runs.max_runs > 0 then
    v_tried := private.lock_queued_run(lock_next_flow_runs.only_run_id);
    if v_tried.user_id is not null
      and (v_tried.user_id = any (lock_next_flow_runs.owners_with_slots)) is not true
    then
      run_ids := array[lock_next_flow_runs.only_run_id];
      lost_claims := array[v_tried.lost_claims];
      last_user_id := case
        when lock_next_flow_runs.only_run_id = v_last.suspect_id then v_last.user_id else v_tried.user_id
      end;
      return;
    end if;
  end if;

  perform private.wake_due_flow_runs();
  loop
    select array_agg(o.user_id), array_agg(o.turn), array_agg(o.suspect_id) into v_owner_ids, v_turns, v_suspect_ids
    from private.next_owners(v_last.user_id, v_max_owners, lock_next_flow_runs.owners_with_slots) as o;
    if v_tried_ids is null and v_owner_ids is not null then
      -- If a suspect crashes its worker, all runs that were claimed with the suspect lose the worker. So a suspect is
      -- claimed alone. A suspect that an earlier claim skipped comes before all owners, and does not change whose turn
      -- it is. Any other suspect is claimed if it is the first run of the first owner.
      v_tried_ids := array_remove(array[v_last.suspect_id, v_suspect_ids[1]], null);
      foreach v_tried_id in array v_tried_ids loop
        v_tried := private.lock_queued_run(v_tried_id);
        -- A run that has made progress meanwhile is no longer a suspect.
        continue when (v_tried.lost_claims >= 2) is not true;
        if v_tried.user_id = any (lock_next_flow_runs.owners_with_slots) then
          -- This claim excludes the suspect's owner, so keep the suspect for the next claim.
          v_postponed_id := v_tried_id;
        else
          suspect_id := v_postponed_id;
          run_ids := array[v_tried_id];
          lost_claims := array[v_tried.lost_claims];
          last_user_id := case when v_tried_id = v_last.suspect_id then v_last.user_id else v_tried.user_id end;
          return;
        end if;
      end loop;
    end if;

    v_runs_per_owner := case
      when lock_next_flow_runs.owners_with_slots is null
        then ceil(v_max_owners::double precision / cardinality(v_owner_ids))
      -- A claim for reserved slots gives each owner only one run, so that slots are left for other owners.
      else 1
    end;
    -- Take the runs in rounds: the first run of each owner in the order of owners, then the second run of each, and
    -- so on.
    select array_agg(chosen.flow_run_id order by chosen.round, chosen.owner_position),
      array_agg(chosen.lost_claims order by chosen.round, chosen.owner_position),
      (array_agg(chosen.user_id order by chosen.round desc, chosen.owner_position desc))[1],
      max(chosen.round), max(chosen.owner_position)
    into run_ids, lost_claims, last_user_id, v_rounds, v_owner_count
    from (
      select own.*, o.user_id, o.owner_position
      from unnest(v_owner_ids, v_turns) with ordinality as o (user_id, turn, owner_position)
      cross join lateral (
        select free.flow_run_id, free.lost_claims, row_number() over (order by free.turn) as round
        from (
          select j.flow_run_id, j.turn, j.lost_claims
          from private.awake_jobs as j
          -- Lock the message, the job and the run. If a claim, a stop or a heartbeat has just changed one of these rows
          -- and committed, Postgres reads the row again. If another transaction still has a lock on one of them, the
          -- run is skipped.
          cross join lateral (
            select from pgmq.q_flow_runs as m
            where m.msg_id = j.message_id and m.vt <= clock_timestamp()
            for no key update skip locked
          ) as m
          join public.flow_run as r on r.id = j.flow_run_id
          where j.user_id = o.user_id and j.turn >= o.turn and not j.is_suspect
          order by j.turn
          limit v_runs_per_owner
          for no key update of j, r skip locked
        ) as free
      ) as own
      order by own.round, o.owner_position
      limit lock_next_flow_runs.max_runs
    ) as chosen;
    -- The search may find too few runs, because some owners have few runs, or because runs are locked or are suspects.
    -- More runs may be claimable if an owner has given v_runs_per_owner runs, or if there may be further owners. In
    -- these two cases, double v_max_owners and search again.
    exit when (
      coalesce(cardinality(run_ids), 0) < lock_next_flow_runs.max_runs
      and (
        (lock_next_flow_runs.owners_with_slots is null and v_rounds = v_runs_per_owner)
        or cardinality(v_owner_ids) = v_max_owners
      )
    ) is not true;
    v_max_owners := 2 * v_max_owners;
  end loop;
  -- Remember the first suspect that this claim skips. The next claim takes it alone.
  suspect_id := coalesce(v_postponed_id, (
    select s.id from unnest(v_suspect_ids) with ordinality as s (id, owner_position)
    where s.owner_position <= v_owner_count and s.id is not null and s.id <> all (v_tried_ids)
    order by s.owner_position limit 1
  ));
end;
$$;
-- Owners take turns. The runs of one owner are taken in the order of `turn`. A suspect is taken alone. If
-- owners_with_slots is given, these owners get no run, and each other owner gets at most one. only_run_id is the id
-- of the only visible run; null if more runs are visible. last_user_id and suspect_id are the new values of
-- private.last_claim. The caller holds the lock of claim_flow_runs.
comment on function private.lock_next_flow_runs(integer, uuid[], uuid) is
  'Chooses at most max_runs runs to claim next, locks them, and returns them in the order in which they are claimed. Definer, because no API role may access queue and jobs.';
