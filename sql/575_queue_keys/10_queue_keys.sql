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
