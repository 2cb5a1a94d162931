create table private.idempotency_keys (
  key_hash bytea primary key,
  request_hash bytea not null,
  flow_run_id uuid not null references public.flow_run (id) on delete cascade deferrable initially deferred,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_key_hash_length check (octet_length(key_hash) = 32),
  constraint idempotency_keys_request_hash_length check (octet_length(request_hash) = 32)
);
comment on table private.idempotency_keys is
  'Starts that carried an Idempotency-Key: for 24 hours the same caller, key and request give the same run.';
comment on column private.idempotency_keys.key_hash is 'SHA-256 of caller and key: the keys of public-key callers are a proof, and so not stored.';
comment on column private.idempotency_keys.request_hash is 'SHA-256 of the request as it was sent.';

create index idempotency_keys_flow_run_id_idx on private.idempotency_keys (flow_run_id);
create index idempotency_keys_created_at_idx on private.idempotency_keys (created_at);
