create table private.api_key_hashes (
  hash bytea primary key,
  api_key_id uuid not null references public.api_keys (id) on delete cascade,
  constraint api_key_hashes_hash_length check (octet_length(hash) = 32),
  constraint api_key_hashes_api_key_id_key unique (api_key_id)
);
comment on table private.api_key_hashes is 'SHA-256 of each API key. The keys have 256 random bits, so a plain hash is enough.';
