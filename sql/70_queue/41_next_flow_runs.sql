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
