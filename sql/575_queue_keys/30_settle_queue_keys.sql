create function private.settle_queue_key(key_id bigint, ended integer, freed integer)
returns void
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  v_key private.queue_keys;
  v_ended integer;
  v_freed integer;
  v_max_running integer;
  v_places integer;
  v_admitted integer := 0;
  v_is_told boolean;
begin
  select k.* into v_key from private.queue_keys as k where k.id = settle_queue_key.key_id
  for no key update skip locked;
  if not found then
    insert into private.queue_key_notes (queue_key_id, ended, freed)
    select settle_queue_key.key_id, settle_queue_key.ended, settle_queue_key.freed
    where settle_queue_key.ended > 0
      or not exists (select from private.queue_key_notes as n where n.queue_key_id = settle_queue_key.key_id);
    return;
  end if;
  with note as (
    delete from private.queue_key_notes as n where n.queue_key_id = v_key.id returning n.ended, n.freed
  )
  select coalesce(sum(n.ended), 0) + settle_queue_key.ended, coalesce(sum(n.freed), 0) + settle_queue_key.freed
  into v_ended, v_freed from note as n;
  v_key.pending := v_key.pending - v_ended;
  v_key.running := v_key.running - v_freed;
  if v_key.pending > v_key.running then
    select d.max_running_per_key into v_max_running
    from public.flow_deployments as d where d.id = v_key.deployment_id;
    if not found then
      v_max_running := v_key.max_running;
    end if;
    -- `least` ignores null, which stands for no limit.
    v_places := greatest(least(1000, v_max_running - v_key.running), 0);
    update private.flow_run_jobs as j set state = 'ready'
    where j.flow_run_id = any (array(
      select b.flow_run_id from private.flow_run_jobs as b
      where b.queue_key_id = v_key.id and b.state = 'blocked'
      order by b.turn limit v_places
      for no key update skip locked
    ));
    get diagnostics v_admitted = row_count;
    v_key.running := v_key.running + v_admitted;
    -- If a blocked run was left although a place is free, another transaction had locked its job. Try again later.
    if v_admitted < v_places or v_places = 1000 then
      insert into private.queue_key_notes (queue_key_id, ended, freed)
      select v_key.id, 0, 0
      where exists (select from private.flow_run_jobs as b where b.queue_key_id = v_key.id and b.state = 'blocked');
    end if;
  end if;
  if v_key.pending = 0 and (v_key.next_start_at > clock_timestamp()) is not true then
    delete from private.queue_keys as k where k.id = v_key.id;
  else
    update private.queue_keys as k set pending = v_key.pending, running = v_key.running where k.id = v_key.id;
  end if;
  if v_admitted > 0 then
    v_is_told := private.announce_claimable_run();
  end if;
end;
$$;
comment on function private.settle_queue_key(bigint, integer, integer) is
  'Subtracts ended runs and freed places from a key, gives free places to the blocked runs that have waited longest, and deletes an unused key. If another transaction has locked the key, writes a note instead. Definer, because no API role may access keys.';

create function private.take_places_of_row_starts()
returns void
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  v_job record;
  v_place record;
  v_is_told boolean := false;
begin
  for v_job in
    select j.flow_run_id, j.settings -> 'queue' as queue, r.deployment_id, r.inputs -> 'M' as inputs
    from private.flow_run_jobs as j join public.flow_run as r on r.id = j.flow_run_id
    where j.state = 'blocked' and j.queue_key_id is null
    order by j.queue_key_id, j.turn limit 200
    for no key update of j skip locked
  loop
    continue when not private.lock_queue_key(
      v_job.deployment_id, private.queue_key_hash(v_job.queue, v_job.inputs, '')
    );
    select p.* into v_place
    from private.take_queue_place(
      v_job.deployment_id, v_job.queue, v_job.inputs, '', false, false, null, v_job.flow_run_id
    ) as p;
    if v_place.run_id <> v_job.flow_run_id then
      perform private.join_debounced_run(v_job.flow_run_id, v_place.run_id, v_place.due_at);
      continue;
    end if;
    update private.flow_run_jobs as j
    set queue_key_id = v_place.queue_key_id, state = v_place.state, due_at = v_place.due_at
    where j.flow_run_id = v_job.flow_run_id;
    v_is_told := v_is_told or v_place.state = 'ready';
  end loop;
  if v_is_told then
    v_is_told := private.announce_claimable_run();
  end if;
end;
$$;
comment on function private.take_places_of_row_starts() is
  'Takes places for at most 200 runs that changes of rows have started, in the order of their starts. Skips runs whose job or key is locked. Definer, because no API role may access keys and jobs.';

create function private.settle_queue_keys()
returns boolean
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  v_key_ids bigint[];
begin
  -- Nearly always, there is neither a note nor a run without a key.
  if not exists (select from private.queue_key_notes) and not exists (
    select from private.flow_run_jobs as j where j.state = 'blocked' and j.queue_key_id is null
  ) then
    return false;
  end if;
  perform private.take_places_of_row_starts();
  v_key_ids := array(select distinct n.queue_key_id from private.queue_key_notes as n limit 1000);
  perform private.settle_queue_key(k.id, 0, 0) from private.queue_keys as k where k.id = any (v_key_ids);
  -- A note that only says that blocked runs may get a place may outlive its key.
  delete from private.queue_key_notes as n
  where n.queue_key_id = any (v_key_ids)
    and not exists (select from private.queue_keys as k where k.id = n.queue_key_id);
  return true;
end;
$$;
-- The caller has locked the keys until its transaction ends, so it must end soon: starts wait for it.
comment on function private.settle_queue_keys() is
  'Takes places for runs of row starts, and settles at most 1,000 keys that have notes. Returns false if there is nothing to do. Definer, because no API role may access keys.';

create function private.tg_flow_run_jobs__after_end_settle()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.settle_queue_key(
    old.queue_key_id, 1,
    -- Before the first claim, a run that is blocked or sleeps has no place.
    case when old.claim_number = 0 and old.state in ('blocked', 'sleeping') then 0 else 1 end
  );
  return null;
end;
$$;
comment on function private.tg_flow_run_jobs__after_end_settle() is
  'Frees the place of a run that has ended or was deleted. Definer, because no API role may access keys.';
-- The triggers are deferred, so that the key is locked for a short time, and a deletion of many runs gives no place to
-- a run that it deletes, too.
create constraint trigger flow_run_jobs_settle_end after update of state on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.queue_key_id is not null and old.state <> 'ended' and new.state = 'ended')
  execute function private.tg_flow_run_jobs__after_end_settle();
create constraint trigger flow_run_jobs_settle_delete after delete on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.queue_key_id is not null and old.state <> 'ended')
  execute function private.tg_flow_run_jobs__after_end_settle();

create function private.tg_flow_deployments__after_update_limit()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_is_told boolean;
begin
  insert into private.queue_key_notes (queue_key_id, ended, freed)
  select k.id, 0, 0 from private.queue_keys as k where k.deployment_id = new.id and k.pending > k.running;
  if found then
    v_is_told := private.announce_claimable_run();
  end if;
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_update_limit() is
  'Lets the next claim give places to blocked runs if their limit was changed. Definer, because no API role may access keys.';
create trigger _600_settle_keys after update of max_running_per_key on public.flow_deployments
  for each row when (old.max_running_per_key is distinct from new.max_running_per_key)
  execute function private.tg_flow_deployments__after_update_limit();
