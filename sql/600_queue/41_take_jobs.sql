create function private.take_jobs(
  max_runs integer, lease_seconds integer, max_lost_claims integer, owners_with_slots uuid[]
)
returns uuid[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_after uuid := private.last_owner_at(pg_sequence_last_value('private.last_owner'));
  v_left integer := take_jobs.max_runs;
  -- The owners who give this claim no further run.
  v_left_out uuid[] := take_jobs.owners_with_slots;
  v_owners uuid[];
  v_runs_per_owner integer;
  v_ids uuid[];
  v_last_owner uuid;
  v_givers uuid[];
  v_has_suspect boolean;
  v_failed_ids uuid[];
  v_taken uuid[] := '{}';
begin
  perform private.make_due_jobs_ready();
  while v_left <> 0 loop
    -- The owners after the last one, and then the first owners, up to the last one.
    v_owners := private.ready_owners(v_after, null, v_left, v_left_out);
    if cardinality(v_owners) < v_left and v_after is not null then
      v_owners := v_owners || private.ready_owners(null, v_after, v_left - cardinality(v_owners), v_left_out);
    end if;
    exit when v_owners = '{}';
    v_runs_per_owner := case
      when take_jobs.owners_with_slots is null then ceil(v_left::double precision / cardinality(v_owners))
      -- A claim for reserved slots gives each owner only one run, so that slots are left for other owners.
      else 1
    end;
    -- Lock the jobs in rounds: the first job of each owner in the order of owners, then the second of each, and so on.
    -- If another transaction has just changed a job and committed, Postgres reads the job again. If it still has the
    -- lock, the job is skipped. If a suspect crashes its worker, all runs that were claimed with it lose the worker. So
    -- a claim ends before a suspect, and takes a suspect only if it comes first, and then alone.
    select
      array_agg(c.flow_run_id order by c.place) filter (where c.is_taken),
      (array_agg(c.user_id order by c.place desc) filter (where c.is_taken))[1],
      array_agg(c.user_id) filter (where c.round = v_runs_per_owner),
      bool_or(c.is_suspect)
    into v_ids, v_last_owner, v_givers, v_has_suspect
    from (
      select p.*, not bool_or(p.is_suspect) over (order by p.place) or p.place = 1 and v_taken = '{}' as is_taken
      from (
        select own.*, o.user_id, row_number() over (order by own.round, o.position) as place
        from unnest(v_owners) with ordinality as o (user_id, position)
        cross join lateral (
          select free.flow_run_id, free.is_suspect, row_number() over (order by free.turn) as round
          from (
            select j.flow_run_id, j.turn, j.lost_claim_count + (j.state = 'lost')::integer >= 2 as is_suspect
            from private.flow_run_jobs as j
            where j.user_id = o.user_id and j.state in ('ready', 'lost')
            order by j.turn
            limit v_runs_per_owner
            for no key update skip locked
          ) as free
        ) as own
        order by own.round, o.position
        limit v_left
      ) as p
    ) as c;
    if v_ids is not null then
      perform setval('private.last_owner', private.owner_position(v_last_owner));
      v_after := v_last_owner;
      with held as (
        update private.flow_run_jobs as j
        set
          state = 'held', due_at = clock_timestamp() + make_interval(secs => take_jobs.lease_seconds),
          claim_number = j.claim_number + 1,
          lost_claim_count = j.lost_claim_count + (j.state = 'lost')::integer
        where j.flow_run_id = any (v_ids)
        returning j.flow_run_id, j.lost_claim_count
      )
      select array_agg(h.flow_run_id) into v_failed_ids
      from held as h where h.lost_claim_count > take_jobs.max_lost_claims;
      if v_failed_ids is not null then
        perform private.end_flow_run(j.flow_run_id, 'failed', errors => array[format(
          'worker_lost: %s workers in a row were lost while they executed this run', j.lost_claim_count
        )])
        from private.flow_run_jobs as j where j.flow_run_id = any (v_failed_ids);
        v_ids := array(
          select t.flow_run_id from unnest(v_ids) with ordinality as t (flow_run_id, place)
          where t.flow_run_id <> all (v_failed_ids) order by t.place
        );
      end if;
      v_taken := v_taken || v_ids;
    end if;
    exit when v_has_suspect and v_taken <> '{}';
    -- Other owners may have runs if this pass found as many owners as it asked for. Of its owners, only those who gave
    -- v_runs_per_owner runs may have more.
    exit when cardinality(v_owners) < v_left and (v_givers is null or take_jobs.owners_with_slots is not null);
    v_left := take_jobs.max_runs - cardinality(v_taken);
    v_left_out := v_left_out || case
      when take_jobs.owners_with_slots is not null then v_owners
      else array(select o.user_id from unnest(v_owners) as o (user_id) where (o.user_id = any (v_givers)) is not true)
    end;
  end loop;
  return v_taken;
end;
$$;
-- Owners take turns: a claim begins with the owner after the one whose run was taken last. The runs of one owner are
-- taken in the order of `turn`. If owners_with_slots is given, these owners get no run, and each other owner gets at
-- most one. A run that lost more workers in a row than max_lost_claims fails instead. Several claims may take jobs at
-- the same time: each skips the jobs that the others have locked.
comment on function private.take_jobs(integer, integer, integer, uuid[]) is
  'Chooses at most max_runs runs to claim next, and holds their jobs for lease_seconds. Returns the runs in the order in which they are claimed. Definer, because no API role may access jobs.';
