create table private.idempotency_keys (
  key_hash bytea primary key,
  request_hash bytea not null,
  flow_run_id uuid not null references public.flow_run (id) on delete cascade deferrable initially deferred,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_key_hash_length check (octet_length(key_hash) = 32),
  constraint idempotency_keys_request_hash_length check (octet_length(request_hash) = 32)
);
comment on table private.idempotency_keys is
  'Starts that carried an Idempotency-Key. For limit_idempotency_hours() hours, the same request of the same caller with the same key returns the same run.';
comment on column private.idempotency_keys.key_hash is
  'SHA-256 of caller and key. The key itself is not stored. If a caller has only a public key, the idempotency key may be the caller''s only secret, and prove who the caller is.';
comment on column private.idempotency_keys.request_hash is 'SHA-256 of the request as it was sent.';

create index idempotency_keys_flow_run_id_idx on private.idempotency_keys (flow_run_id);
create index idempotency_keys_created_at_idx on private.idempotency_keys (created_at);

-- Returns the run of an earlier start by the same caller with the same key and request within 24 hours. If there is
-- no such run, returns null and stores the key for the given new run.
create function private.claim_idempotency_key(caller private.caller, key text, request jsonb, flow_run_id uuid)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller text := coalesce(
    'webhook:' || claim_idempotency_key.caller.webhook_id, 'user:' || claim_idempotency_key.caller.user_id,
    'key:' || claim_idempotency_key.caller.public_key
  );
  v_key_hash bytea := sha256(convert_to(jsonb_build_array(v_caller, claim_idempotency_key.key)::text, 'UTF8'));
  v_request_hash bytea := sha256(convert_to(claim_idempotency_key.request::text, 'UTF8'));
  v_stored private.idempotency_keys;
begin
  if length(claim_idempotency_key.key) not between (
    case when claim_idempotency_key.caller.user_id is null
      then private.limit_min_guest_idempotency_key_characters() else 1 end
  ) and private.limit_idempotency_key_characters() then
    perform private.fail('idempotency_key_invalid',
      format(
        'Idempotency-Key must have 1 to %s characters, and at least %s from a caller '
        'with only a public key: use a random UUID.',
        private.limit_idempotency_key_characters(), private.limit_min_guest_idempotency_key_characters()
      ));
  end if;
  -- This insert waits for a concurrent start with the same key, and replaces a key that is too old.
  insert into private.idempotency_keys as k (key_hash, request_hash, flow_run_id)
  values (v_key_hash, v_request_hash, claim_idempotency_key.flow_run_id)
  on conflict (key_hash) do update
  set request_hash = excluded.request_hash, flow_run_id = excluded.flow_run_id, created_at = excluded.created_at
  where k.created_at < now() - make_interval(hours => private.limit_idempotency_hours());
  if found then
    return null;
  end if;

  select k.* into strict v_stored from private.idempotency_keys as k where k.key_hash = v_key_hash;
  if v_stored.request_hash <> v_request_hash then
    perform private.fail('idempotency_key_reused',
      format(
        'This Idempotency-Key was used for another request within the last %s hours.', private.limit_idempotency_hours()
      ),
      hint => 'Use a new key for a new request. To repeat a request, send it unchanged.');
  end if;
  return v_stored.flow_run_id;
end;
$$;
comment on function private.claim_idempotency_key(private.caller, text, jsonb, uuid) is
  'The run that this caller started with this key and request in the last 24 hours. If there is no such run, returns null, and stores the key for the given new run. 400 idempotency_key_invalid; 409 idempotency_key_reused. Definer, because no API role may access the keys.';
