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
