-- Limits by key. A deployment may limit how many of its runs are under way at the same time for each key, and how
-- often runs of a key begin. The settings name the key: an input, or the caller. Runs over a limit wait.
--
--   start   take_queue_place locks the key. If a place is free and nobody waits, the run gets the place, and its job is
--           ready. If the run comes too early, its job sleeps until its time. Otherwise its job is blocked. If the
--           deployment debounces its starts and the key has a sleeping run, the start replaces the inputs of that run.
--           A change of a row that starts a run never waits for a key, because it is part of a user's transaction. Its
--           job is blocked and has no key. The next claim or sweep takes a place for it (take_places_of_row_starts).
--   due     When the time of a sleeping job has come, make_due_jobs_ready blocks the job until it gets a place.
--   end     When a run has ended or was deleted, settle_queue_key frees its place at the commit, and gives places to
--           the next blocked runs.
--
-- The order of locks is: job, run, key. Only starts and changes by their own transaction wait for a key. All other
-- transactions skip a key that is locked. They leave a note (private.queue_key_notes), and the next claim or sweep
-- settles the key. While a transaction has locked a key, it locks only jobs that nobody else has locked. So no
-- transaction that holds a job waits for a key, and no start delays the results of a worker.
create table private.queue_keys (
  id bigint generated always as identity,
  deployment_id uuid not null,
  key_hash bytea not null,
  pending integer not null,
  running integer not null,
  max_running integer,
  next_start_at timestamptz,
  debounced_run_id uuid,
  constraint queue_keys_pkey primary key (id),
  constraint queue_keys_deployment_id_key_hash_key unique (deployment_id, key_hash),
  constraint queue_keys_running_at_most_pending check (running between 0 and pending),
  constraint queue_keys_key_hash_length check (octet_length(key_hash) = 32)
) with (fillfactor = 50);
comment on table private.queue_keys is
  'The keys by which deployments limit their runs. A row exists while a run with the key has not ended, and until next_start_at. There is no foreign key: the runs of a deleted deployment keep their places.';
comment on column private.queue_keys.key_hash is
  'SHA-256 of the settings'' queue_key, the caller if callers have keys of their own, and the value of the input.';
comment on column private.queue_keys.pending is
  'The runs with this key that have not ended. While private.queue_key_notes has rows for the key, too many.';
comment on column private.queue_keys.running is
  'The runs that have a place: those of the pending runs that are neither blocked nor sleep before their first claim.';
comment on column private.queue_keys.max_running is
  'max_running_per_key at the newest start. Used if the deployment has been deleted; otherwise its present value counts.';
comment on column private.queue_keys.next_start_at is
  'The time at which the next run of this key may begin; null if the deployment does not limit the starts of a key.';
comment on column private.queue_keys.debounced_run_id is
  'The newest run whose inputs later starts of this key may replace, as long as its job sleeps before its first claim.';
-- The sweep reads this index. Keys without a limit of starts are not in it, so most updates need no index entries.
create index queue_keys_next_start_at_idx on private.queue_keys (next_start_at) where next_start_at is not null;

create table private.queue_key_notes (
  id bigint generated always as identity,
  queue_key_id bigint not null,
  ended integer not null,
  freed integer not null,
  constraint queue_key_notes_pkey primary key (id)
);
comment on table private.queue_key_notes is
  'Changes of keys that were locked by other transactions. The next claim or sweep that can lock the key reads and deletes its rows. Nearly always empty.';
comment on column private.queue_key_notes.ended is 'How many runs of the key have ended.';
comment on column private.queue_key_notes.freed is
  'How many of the ended runs had a place. A row with 0 in both columns says only that blocked runs may get a place.';
create index queue_key_notes_queue_key_id_idx on private.queue_key_notes (queue_key_id);

create function private.refuse_many_keys(deployment_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  -- Count only the keys whose hash begins with six bits that are chosen by chance: a sixty-fourth of all keys. A count
  -- of all keys would take milliseconds, and a stranger can't fill a slice that nobody can foresee.
  v_slice constant integer := floor(random() * 64) * 4;
  v_most constant integer := ceil(private.limit_queue_keys() / 64.0);
  v_count integer;
begin
  select count(*) into v_count
  from (
    select from private.queue_keys as k
    where k.deployment_id = refuse_many_keys.deployment_id
      and k.key_hash between set_byte('\x00', 0, v_slice) and set_byte('\x00', 0, v_slice + 3) || decode(repeat('ff', 31), 'hex')
    limit v_most
  ) as slice;
  if v_count >= v_most then
    perform private.fail('queue_full', 'Runs of this deployment use too many keys at the same time.',
      jsonb_build_object('limit', 'queue_keys', 'value', private.limit_queue_keys()),
      'Try again after as many seconds as Retry-After says.', '{"Retry-After": "10"}');
  end if;
end;
$$;
comment on function private.refuse_many_keys(uuid) is
  'Refuses a start that needs a new key, if the deployment has about limit_queue_keys() keys: 429 queue_full. Definer, because no API role may access keys.';

create function private.queue_key_hash(queue jsonb, inputs jsonb, starter text)
returns bytea
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_key constant text := queue_key_hash.queue ->> 'key';
  v_is_input constant boolean := v_key <> 'caller';
  v_value constant jsonb := case when v_is_input then queue_key_hash.inputs -> v_key end;
  v_starter constant text := case
    when v_key = 'caller' or queue_key_hash.queue ? 'debounce_seconds'
      or v_is_input and (queue_key_hash.queue -> 'is_shared')::boolean is not true
      then queue_key_hash.starter
  end;
begin
  if length(v_value::text) > private.limit_queue_key_characters() then
    perform private.refuse_faults('inputs_invalid', jsonb_build_array(jsonb_build_object(
      'path', 'inputs.' || private.shorten(v_key), 'message', format(
        'is the queue_key of the deployment, so its JSON must have at most %s characters',
        private.limit_queue_key_characters()
      )
    )));
  end if;
  return sha256(convert_to(jsonb_build_array(v_key, v_starter, v_value)::text, 'UTF8'));
end;
$$;
-- If an input is the key, each caller but the owner has keys of its own, unless the deployment has queue_key_shared.
-- Otherwise a stranger could choose another caller's key, and take all its places. If starts are debounced, each caller
-- has keys of its own. Otherwise a starter would get the run of another caller, and its token.
comment on function private.queue_key_hash(jsonb, jsonb, text) is
  'The key of a run. `starter` is the caller, or an empty text for the owner. 400 inputs_invalid if the value of the input is too long.';

create function private.queue_key_lock(deployment_id uuid, key_hash bytea)
returns bigint
language sql immutable security invoker
begin atomic
  select hashtextextended(queue_key_lock.deployment_id::text || encode(queue_key_lock.key_hash, 'hex'), 0);
end;
comment on function private.queue_key_lock(uuid, bytea) is
  'The number of the advisory lock that each transaction takes before it inserts this key.';

create function private.lock_queue_key(deployment_id uuid, key_hash bytea)
returns boolean
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
begin
  perform from private.queue_keys as k
  where k.deployment_id = lock_queue_key.deployment_id and k.key_hash = lock_queue_key.key_hash
  for no key update skip locked;
  if found then
    return true;
  end if;
  if not pg_try_advisory_xact_lock(private.queue_key_lock(lock_queue_key.deployment_id, lock_queue_key.key_hash)) then
    return false;
  end if;
  -- Now nobody else inserts the key. If it exists, another transaction has locked it.
  return not exists (
    select from private.queue_keys as k
    where k.deployment_id = lock_queue_key.deployment_id and k.key_hash = lock_queue_key.key_hash
  );
end;
$$;
comment on function private.lock_queue_key(uuid, bytea) is
  'Locks a key, or locks it against insertion if it does not exist, so that private.take_queue_place() does not wait for it. False if another transaction has locked or is inserting the key. Definer, because no API role may access keys.';

create function private.lock_debounced_run(run_id uuid, key_id bigint)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from private.flow_run_jobs as j
  where j.flow_run_id = lock_debounced_run.run_id and j.queue_key_id = lock_debounced_run.key_id
    and j.state = 'sleeping' and j.claim_number = 0
  for no key update skip locked;
  return found;
end;
$$;
comment on function private.lock_debounced_run(uuid, bigint) is
  'Locks the job of a run that sleeps before its first claim. False if it does not, belongs to another key, or another transaction has locked it, because its time has come or it is stopped. Definer, because no API role may access jobs.';

create function private.take_queue_place(
  deployment_id uuid, queue jsonb, inputs jsonb, starter text, is_limited boolean, is_redrive boolean,
  token_run_id uuid, inout run_id uuid, out queue_key_id bigint, out state private.job_state, out due_at timestamptz
)
returns record
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  v_hash constant bytea := private.queue_key_hash(
    take_queue_place.queue, take_queue_place.inputs, take_queue_place.starter
  );
  v_max_running constant integer := take_queue_place.queue -> 'max_running';
  v_gap constant interval := make_interval(secs =>
    (take_queue_place.queue -> 'period_seconds')::double precision
      / (take_queue_place.queue -> 'max_starts')::double precision
  );
  v_debounce constant interval := case
    when not take_queue_place.is_redrive
      then make_interval(secs => (take_queue_place.queue -> 'debounce_seconds')::double precision)
  end;
  v_now timestamptz;
  v_key private.queue_keys;
  v_joined_run_id uuid;
begin
  loop
    select k.* into v_key from private.queue_keys as k
    where k.deployment_id = take_queue_place.deployment_id and k.key_hash = v_hash
    for no key update;
    -- The time is read after the lock, because the start may have waited for it.
    v_now := clock_timestamp();
    state := 'ready';
    due_at := null;
    if v_debounce is not null then
      state := 'sleeping';
      due_at := v_now + v_debounce;
      -- A guest shows only a public key, which proves nothing. So a guest joins the run whose token the request carries.
      v_joined_run_id := case
        when take_queue_place.starter like 'key:%' then take_queue_place.token_run_id else v_key.debounced_run_id
      end;
      if private.lock_debounced_run(v_joined_run_id, v_key.id) then
        run_id := v_joined_run_id;
        queue_key_id := v_key.id;
        due_at := least(due_at, private.uuid_v7_time(run_id) + make_interval(
          secs => (take_queue_place.queue -> 'debounce_max_seconds')::double precision
        ));
        return;
      end if;
      v_key.debounced_run_id := run_id;
    end if;
    if v_gap is not null then
      v_key.next_start_at := greatest(v_key.next_start_at, v_now);
      if v_key.next_start_at > v_now then
        state := 'sleeping';
        due_at := v_key.next_start_at;
      end if;
      v_key.next_start_at := v_key.next_start_at + v_gap;
    end if;
    -- If other runs of the key wait, this run waits, too, even if a place is free: they come first.
    if state = 'ready' and (v_key.running >= v_max_running or v_key.pending > v_key.running) then
      state := 'blocked';
    end if;
    v_key.pending := coalesce(v_key.pending, 0) + 1;
    v_key.running := coalesce(v_key.running, 0) + (state = 'ready')::integer;
    if v_key.id is not null then
      update private.queue_keys as k
      set pending = v_key.pending, running = v_key.running, max_running = v_max_running,
        next_start_at = v_key.next_start_at, debounced_run_id = v_key.debounced_run_id
      where k.id = v_key.id;
      queue_key_id := v_key.id;
      -- A place is free only if runs ended while the key was locked, or if a limit was raised.
      if state = 'blocked' and (v_key.running < v_max_running) is not false then
        insert into private.queue_key_notes (queue_key_id, ended, freed) values (v_key.id, 0, 0);
      end if;
      return;
    end if;
    if take_queue_place.is_limited then
      perform private.refuse_many_keys(take_queue_place.deployment_id);
    end if;
    -- Starts that would insert the same key wait for each other here. Because of this lock, private.lock_queue_key can
    -- find out whether it would have to wait.
    perform pg_advisory_xact_lock(private.queue_key_lock(take_queue_place.deployment_id, v_hash));
    insert into private.queue_keys as k (
      deployment_id, key_hash, pending, running, max_running, next_start_at, debounced_run_id
    ) values (
      take_queue_place.deployment_id, v_hash, v_key.pending, v_key.running, v_max_running, v_key.next_start_at,
      v_key.debounced_run_id
    )
    on conflict on constraint queue_keys_deployment_id_key_hash_key do nothing
    returning k.id into queue_key_id;
    if queue_key_id is not null then
      return;
    end if;
  end loop;
end;
$$;
-- queue is the member of private.run_settings. Runs of a key begin at least period_seconds / max_starts apart, so no
-- period contains more than max_starts. If is_limited is true, the start may be refused because of too many keys.
comment on function private.take_queue_place(uuid, jsonb, jsonb, text, boolean, boolean, uuid, uuid) is
  'Counts a new run for its key, and returns the key, and the state and due_at of the run''s job. If the start is debounced, may return the sleeping run that the start joins, and its new due_at, instead. Locks the key until the transaction ends. 400 inputs_invalid; 429 queue_full. Definer, because no API role may access keys.';

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
