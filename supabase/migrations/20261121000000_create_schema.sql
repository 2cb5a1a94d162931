-- Written by npm run db:squash from the files in sql/, in which changes are made.

-- Functions may name tables of later files.
set check_function_bodies = off;

-- sql/00_platform/10_platform.sql

-- Extensions come first: what they make keeps the privileges that it has on every Supabase project.
create extension if not exists pgmq;

create schema private;
comment on schema private is
  'Storage and rules. PostgREST does not expose it, and API roles execute only those of its functions that are granted to them by name.';
grant usage on schema private to anon, authenticated, service_role;

-- Closed doors: from here on nothing is granted to anybody unless a file says so.
alter default privileges for role postgres revoke execute on functions from public;
alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;

-- The queue of runs to execute; the runner claims its messages.
select pgmq.create('flow_runs');

-- sql/00_platform/20_fail.sql

create function private.shorten(value text, longest integer default 100)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select case when length(shorten.value) > shorten.longest then left(shorten.value, shorten.longest) || '…' else shorten.value end;
$$;
comment on function private.shorten(text, integer) is
  'A text from outside in the form in which a message may quote it: cut after `longest` characters, with … at its end if it was longer.';
grant execute on function private.shorten(text, integer) to anon, authenticated, service_role;

create function private.fail(
  status integer, code text, message text, details jsonb default null, hint text default null, headers jsonb default '{}'
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- PostgREST passes details on as text only; the Edge Functions turn that text back into JSON.
  raise sqlstate 'PGRST' using
    message = json_build_object(
      'code', fail.code, 'message', private.shorten(fail.message, 2000), 'details', fail.details::text,
      'hint', private.shorten(fail.hint, 2000)
    )::text,
    detail = json_build_object('status', fail.status, 'headers', fail.headers)::text;
end;
$$;
comment on function private.fail(integer, text, text, jsonb, text, jsonb) is
  'The one way to raise an error that a caller sees: PostgREST answers with `status`, the body {code, message, details, hint}, and `headers`, an object of strings. The codes are listed in types/errors.ts. Source: PostgREST documentation, "Raise errors with HTTP status codes".';
grant execute on function private.fail(integer, text, text, jsonb, text, jsonb) to anon, authenticated, service_role;

-- sql/00_platform/30_uuid_v7.sql

create function private.uuid_v7(at timestamptz default clock_timestamp())
returns uuid
language sql volatile security invoker
begin atomic
  -- In a random UUID the second half already starts with the variant bits, and stays. The first half is, from the left, 48 bits of
  -- milliseconds, the version 7, and 12 bits of the millisecond's fraction. As a number: 65536 * milliseconds + 28672 (the 7) +
  -- 4.096 * microseconds of the millisecond, which of all microseconds (512 / 125) and milliseconds (65536 - 4096 = 61440) is this sum.
  select encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing int8send(
        (date_part('epoch', uuid_v7.at) * 1000000)::bigint * 512 / 125 + (date_part('epoch', uuid_v7.at) * 1000000)::bigint / 1000 * 61440 + 28672
      ) from 1 for 8
    ),
    'hex'
  )::uuid;
end;
comment on function private.uuid_v7(timestamptz) is
  'A UUID version 7 of the given time, with the fraction of the millisecond in rand_a (RFC 9562, section 6.2, method 3), so that ids sort by microsecond. The planner puts its one expression in place of a call.';

create function private.uuid_v7_time(id uuid)
returns timestamptz
language plpgsql immutable strict security invoker
set search_path = ''
as $$
declare
  v_hex text := replace(uuid_v7_time.id::text, '-', '');
  v_milliseconds bigint := ('x' || substr(v_hex, 1, 12))::bit(48)::bigint;
  v_fraction integer := ('x' || substr(v_hex, 14, 3))::bit(12)::integer;
begin
  -- The fraction was rounded down to 1/4096 ms, finer than a microsecond: rounding up gives back the very microsecond.
  return timestamptz '1970-01-01 00:00:00+00'
    + (v_milliseconds * 1000 + (v_fraction * 1000 + 4095) / 4096) * interval '1 microsecond';
end;
$$;
comment on function private.uuid_v7_time(uuid) is 'The time from which private.uuid_v7 made this id, to the microsecond.';

create function private.uuid_v7_after(previous uuid)
returns uuid
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_id uuid := private.uuid_v7();
begin
  if uuid_v7_after.previous is null or v_id > uuid_v7_after.previous then
    return v_id;
  end if;
  -- The clock stood still or went back: go on from the previous id instead.
  return private.uuid_v7(private.uuid_v7_time(uuid_v7_after.previous) + interval '1 microsecond');
end;
$$;
comment on function private.uuid_v7_after(uuid) is
  'A new UUID version 7 that is greater than `previous` (null: any), even when the clock stood still or was set back.';

-- sql/00_platform/40_touch.sql

create function private.tg_any__before_update_touch()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end;
$$;
comment on function private.tg_any__before_update_touch() is 'Sets updated_at at every update of a table that has this trigger.';

-- sql/10_callers/10_caller.sql

create function private.request_header(name text)
returns text
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return nullif(current_setting('request.headers', true), '')::json ->> request_header.name;
end;
$$;
comment on function private.request_header(text) is 'A header of the request, by its lower-case name; null when it has none.';
grant execute on function private.request_header(text) to anon, authenticated, service_role;

create function private.refuse_service_role()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(401, 'token_invalid', 'The service role can''t do this: it needs a user.',
    hint => 'Send the access token of the user on whose behalf you call.');
end;
$$;
comment on function private.refuse_service_role() is 'Raises the refusal of the service role where a user is needed: 401 token_invalid.';

create function private.refuse_deleted_user()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(401, 'token_invalid', 'The user of this access token has been deleted.');
end;
$$;
comment on function private.refuse_deleted_user() is 'Raises the refusal of a user who has been deleted: 401 token_invalid.';

create type private.caller as (user_id uuid, is_anonymous boolean, run_id uuid, public_key text);
comment on type private.caller is
  'Who calls: user_id by access token or API key, is_anonymous for Supabase''s anonymous sign-ins, run_id by a run token; and public_key, which a start may show instead of a user. Null is what nothing proves.';

create function private.caller()
returns private.caller
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_claims jsonb := auth.jwt();
  v_caller private.caller;
begin
  if v_claims ->> 'role' = 'service_role' then
    perform private.refuse_service_role();
  end if;
  v_caller.user_id := v_claims ->> 'sub';
  v_caller.is_anonymous := coalesce((v_claims ->> 'is_anonymous')::boolean, false);
  v_caller.run_id := private.token_run_id();
  if v_caller.user_id is not null
    and not exists (select from auth.users as u where u.id = v_caller.user_id and u.deleted_at is null)
  then
    perform private.refuse_deleted_user();
  end if;
  return v_caller;
end;
$$;
comment on function private.caller() is
  'Who calls, as far as the request proves it. 401 token_invalid for the service role, and for a user who has been deleted, also softly. Definer: the API roles can''t read auth.users, which tells whether a user is deleted.';

create function private.hold_user(user_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from auth.users as u where u.id = hold_user.user_id and u.deleted_at is null for key share;
  if not found then
    perform private.refuse_deleted_user();
  end if;
end;
$$;
comment on function private.hold_user(uuid) is
  'Keeps a user from being deleted until the transaction ends; 401 token_invalid for one who is deleted. Definer for the same reason as private.caller().';

create function private.lock_caller()
returns private.caller
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_claims jsonb := auth.jwt();
  v_caller private.caller;
begin
  if v_claims ->> 'role' = 'service_role' then
    perform private.refuse_service_role();
  end if;
  v_caller.user_id := v_claims ->> 'sub';
  if v_caller.user_id is not null then
    v_caller.is_anonymous := coalesce((v_claims ->> 'is_anonymous')::boolean, false);
    perform private.hold_user(v_caller.user_id);
  end if;
  return v_caller;
end;
$$;
comment on function private.lock_caller() is
  'Who calls, for what is stored in the name of a user: nobody deletes the user until the transaction ends. user_id is null for a caller who is not a user. Definer for the same reason as private.caller().';

create function private.unauthenticated()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(401, 'unauthenticated', 'The request carries no credential that this call accepts.',
    hint => 'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>). A run token is enough for its own run, a public key only for a start.');
end;
$$;
comment on function private.unauthenticated() is 'Raises the refusal of a caller without a credential that counts here: 401 unauthenticated.';

create function private.require_user()
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user_id uuid := (private.caller()).user_id;
begin
  if v_user_id is null then
    perform private.unauthenticated();
  end if;
  return v_user_id;
end;
$$;
comment on function private.require_user() is
  'The id of the calling user; 401 unauthenticated when there is none. Definer for the same reason as private.caller().';

create function private.lock_user()
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := (private.lock_caller()).user_id;
begin
  if v_user_id is null then
    perform private.unauthenticated();
  end if;
  return v_user_id;
end;
$$;
comment on function private.lock_user() is
  'The id of the calling user, who is not deleted until the transaction ends; 401 unauthenticated if the caller is not a user. Definer for the same reason as private.caller().';

create function private.require_caller()
returns private.caller
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.caller();
begin
  if v_caller.user_id is null and v_caller.run_id is null then
    perform private.unauthenticated();
  end if;
  return v_caller;
end;
$$;
comment on function private.require_caller() is
  'Who calls, for what a run token allows too; 401 unauthenticated for a caller with neither a user nor a run. Definer for the same reason as private.caller().';

create function private.whoami()
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.caller();
begin
  if v_caller.user_id is null then
    perform private.unauthenticated();
  end if;
  return jsonb_build_object('user_id', v_caller.user_id, 'is_anonymous', v_caller.is_anonymous);
end;
$$;
comment on function private.whoami() is 'Does what public.whoami says. Definer for the same reason as private.caller().';
grant execute on function private.whoami() to anon, authenticated, service_role;

create function public.whoami()
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.whoami();
$$;
comment on function public.whoami() is 'The calling user, {user_id, is_anonymous}; 401 unauthenticated or token_invalid.';
grant execute on function public.whoami() to anon, authenticated, service_role;

-- sql/10_callers/20_quotas.sql

create table private.quotas (
  name text primary key,
  value bigint not null,
  constraint quotas_value_natural check (value >= 0)
);
comment on table private.quotas is
  'The quotas that an operator has changed. For the others the defaults of private.known_quotas() hold.';
comment on column private.quotas.value is 'How much a user may have at most.';

create function private.known_quotas()
returns table (name text, default_value bigint, noun text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query values
    ('flows', 1000::bigint, 'flows'),
    ('flow_bytes', 1073741824, 'bytes of nodes, edges and environments in flows'),
    ('deployments', 10000, 'deployments'),
    ('deployment_bytes', 4294967296, 'bytes of frozen flows in deployments'),
    ('tags', 10000, 'tags beside latest'),
    ('api_keys', 100, 'API keys'),
    ('wallets', 1000, 'wallets'),
    ('nodes', 1000, 'private node definitions');
end;
$$;
comment on function private.known_quotas() is
  'What each user may have at most, unless an operator has set another value. Bytes are counted as stored, after compression.';

create function private.quota(name text)
returns bigint
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return coalesce(
    (select s.value from private.quotas as s where s.name = quota.name),
    (select k.default_value from private.known_quotas() as k where k.name = quota.name)
  );
end;
$$;
comment on function private.quota(text) is 'How much of something a user may have. Definer: the settings are private.';

create function private.quota_use(name text, user_id uuid)
returns bigint
language plpgsql volatile security definer
set search_path = ''
-- A plan that is kept must not be one that was made while the tables were empty.
set enable_seqscan = off
as $$
begin
  case quota_use.name
    when 'flows' then
      return (select count(*) from public.flows as f where f.user_id = quota_use.user_id);
    when 'flow_bytes' then
      return (
        select sum(pg_column_size(f.nodes)::bigint + pg_column_size(f.edges) + pg_column_size(f.environment))
        from public.flows as f where f.user_id = quota_use.user_id
      );
    when 'deployments' then
      return (select count(*) from public.flow_deployments as d where d.user_id = quota_use.user_id);
    when 'deployment_bytes' then
      return (
        select sum(pg_column_size(s.data)::bigint)
        from (select distinct d.snapshot_hash from public.flow_deployments as d where d.user_id = quota_use.user_id) as own
        join private.flow_snapshots as s on s.hash = own.snapshot_hash
      );
    when 'tags' then
      return (select count(*) from public.flow_deployments_tags as t where t.user_id = quota_use.user_id and t.tag <> 'latest');
    when 'api_keys' then
      return (select count(*) from public.api_keys as k where k.user_id = quota_use.user_id);
    when 'wallets' then
      return (select count(*) from public.wallets as w where w.user_id = quota_use.user_id);
    when 'nodes' then
      return (select count(*) from public.nodes as n where n.user_id = quota_use.user_id and not n.is_public);
  end case;
end;
$$;
comment on function private.quota_use(text, uuid) is
  'How much of a quota a user has used up, including what this transaction has stored. A frozen flow counts once, however many deployments run it. Definer: it must see all rows.';

create function private.check_quota(name text, user_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_limit bigint := private.quota(check_quota.name);
begin
  -- Until the transaction ends. One of the user's transactions at a time, so that each counts what the one before has stored. Nobody
  -- else takes this lock, and who has it needs no row that another one of the user's has locked.
  perform pg_advisory_xact_lock(hashtextextended(format('private.check_quota %s %s', check_quota.name, check_quota.user_id), 0));
  if private.quota_use(check_quota.name, check_quota.user_id) > v_limit then
    perform private.fail(409, 'quota_exceeded',
      format('You have reached the quota of %s: a user may have %s at most.',
        (select k.noun from private.known_quotas() as k where k.name = check_quota.name), v_limit),
      jsonb_build_object('limit', v_limit, 'of', check_quota.name),
      'Delete what you no longer need, or ask the operator of this project for more.');
  end if;
end;
$$;
comment on function private.check_quota(text, uuid) is
  'Refuses what a transaction has stored of a user''s when that is more than a user may have: 409 quota_exceeded. Deletions never wait for it. Definer: it must see all rows.';

create function private.tg_any__after_insert_check_quota()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid;
  v_name text;
begin
  -- Deeper is the trigger of deployments that keeps latest, which counts for no quota.
  if pg_trigger_depth() > 1 then
    return null;
  end if;
  for v_user_id in select distinct i.user_id from inserted as i where i.user_id is not null order by i.user_id loop
    foreach v_name in array tg_argv loop
      perform private.check_quota(v_name, v_user_id);
    end loop;
  end loop;
  return null;
end;
$$;
comment on function private.tg_any__after_insert_check_quota() is
  'Checks the quotas named in its arguments for each user of the inserted rows. An upsert that only updates inserts none. Definer: users can''t call what it calls.';

create function private.set_quota(name text, value bigint)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if not exists (select from private.known_quotas() as k where k.name = set_quota.name) then
    perform private.fail(400, 'request_invalid', format(
      'name must be one of %s.', (select string_agg(k.name, ', ' order by k.name) from private.known_quotas() as k)
    ));
  end if;
  if set_quota.value < 0 then
    perform private.fail(400, 'request_invalid', 'value must be an integer from 0 to 2^63-1, or null for the default.');
  end if;
  if set_quota.value is null then
    delete from private.quotas as q where q.name = set_quota.name;
  else
    insert into private.quotas as q (name, value) values (set_quota.name, set_quota.value)
    on conflict on constraint quotas_pkey do update set value = excluded.value;
  end if;
end;
$$;
comment on function private.set_quota(text, bigint) is 'Does what public.set_quota says. Definer: the settings are private.';
grant execute on function private.set_quota(text, bigint) to service_role;

create function public.set_quota(name text, value bigint)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_quota(set_quota.name, set_quota.value);
$$;
comment on function public.set_quota(text, bigint) is
  'For operators: how much of something each user may have from now on; null sets the default again. What a user already has stays. 400 request_invalid.';
grant execute on function public.set_quota(text, bigint) to service_role;

create function private.quotas()
returns table (name text, value bigint, default_value bigint)
language sql stable security definer
set search_path = ''
as $$
  select k.name, private.quota(k.name), k.default_value from private.known_quotas() as k;
$$;
comment on function private.quotas() is 'Does what public.quotas says. Definer: the settings are private.';
grant execute on function private.quotas() to service_role;

create function public.quotas()
returns table (name text, value bigint, default_value bigint)
language sql stable security invoker
set search_path = ''
as $$
  select * from private.quotas();
$$;
comment on function public.quotas() is
  'For operators: how much of each thing a user may have, and the default that holds unless set_quota has set another value.';
grant execute on function public.quotas() to service_role;

-- sql/10_callers/30_api_keys.sql

create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null,
  prefix text not null,
  created_at timestamptz not null default now(),
  constraint api_keys_name_length check (char_length(name) between 1 and 100),
  constraint api_keys_prefix_form check (prefix ~ '^fk_[A-Za-z0-9_-]{7}$')
);
comment on table public.api_keys is
  'The API keys of a user, without the keys: create_api_key makes one and shows it once; deleting the row revokes it.';
comment on column public.api_keys.prefix is 'The first characters of the key, by which its owner recognises it.';

create index api_keys_user_id_idx on public.api_keys (user_id);

alter table public.api_keys enable row level security;
create policy api_keys_select_owner on public.api_keys for select to authenticated
  using (user_id = (select auth.uid()));
create policy api_keys_delete_owner on public.api_keys for delete to authenticated
  using (user_id = (select auth.uid()));

-- No insert, no update: create_api_key makes the rows, and they never change.
grant select, delete on public.api_keys to authenticated;
grant select, delete on public.api_keys to service_role;

create trigger _800_check_quota after insert on public.api_keys
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('api_keys');

create table private.api_key_hashes (
  hash bytea primary key,
  api_key_id uuid not null references public.api_keys (id) on delete cascade,
  constraint api_key_hashes_hash_length check (octet_length(hash) = 32),
  constraint api_key_hashes_api_key_id_key unique (api_key_id)
);
comment on table private.api_key_hashes is 'SHA-256 of each API key. A key has 256 random bits, so a plain hash protects it.';

create function private.create_api_key(name text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_key text;
  v_row public.api_keys;
begin
  if coalesce((auth.jwt() ->> 'is_anonymous')::boolean, false) or auth.jwt() ? 'api_key_id' then
    perform private.fail(403, 'token_required', 'This needs the access token of a user who has signed up: API keys and anonymous users can''t make API keys.');
  end if;
  if char_length(create_api_key.name) not between 1 and 100 or create_api_key.name is null then
    perform private.fail(400, 'request_invalid', 'name must have 1 to 100 characters.');
  end if;

  -- 32 bytes: their base64 has one = at its end.
  v_key := 'fk_' || translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
  insert into public.api_keys as k (user_id, name, prefix)
  values (v_user_id, create_api_key.name, substr(v_key, 1, 10))
  returning k.* into v_row;
  insert into private.api_key_hashes (hash, api_key_id) values (sha256(convert_to(v_key, 'UTF8')), v_row.id);
  return to_jsonb(v_row) - 'user_id' || jsonb_build_object('key', v_key);
end;
$$;
comment on function private.create_api_key(text) is 'Does what public.create_api_key says. Definer: nobody else makes keys.';
grant execute on function private.create_api_key(text) to anon, authenticated, service_role;

create function public.create_api_key(name text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.create_api_key(create_api_key.name);
$$;
comment on function public.create_api_key(text) is
  'Makes an API key of the calling user and returns {id, name, prefix, created_at, key}; the key is shown this once. 403 token_required for anonymous users and callers with an API key; 409 quota_exceeded.';
grant execute on function public.create_api_key(text) to anon, authenticated, service_role;

create function private.api_key_claims(key text)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_key record;
begin
  select k.id, k.user_id into v_key
  from private.api_key_hashes as h
  join public.api_keys as k on k.id = h.api_key_id
  -- Auth gives a banned user no access tokens either.
  join auth.users as u on u.id = k.user_id and u.deleted_at is null and u.banned_until > now() is not true
  where h.hash = sha256(convert_to(api_key_claims.key, 'UTF8'));
  if not found then
    perform private.fail(401, 'api_key_invalid', 'The API key is not valid: it was never made, it has been deleted, or its user has been deleted or banned.');
  end if;
  return jsonb_build_object('sub', v_key.user_id, 'role', 'authenticated', 'aud', 'authenticated', 'api_key_id', v_key.id);
end;
$$;
comment on function private.api_key_claims(text) is
  'The claims with which the holder of an API key acts, as the key''s owner; 401 api_key_invalid for an unknown key, and for that of a user who is banned or deleted. Definer: the hashes are private, and the keys are others''.';
grant execute on function private.api_key_claims(text) to anon;

-- sql/10_callers/40_run_tokens.sql

create table private.run_token_secrets (
  id boolean primary key default true,
  secret bytea not null default extensions.gen_random_bytes(32),
  previous_secret bytea,
  constraint run_token_secrets_single check (id),
  constraint run_token_secrets_secret_length check (octet_length(secret) = 32)
);
comment on table private.run_token_secrets is
  'The secrets with which run tokens are made, in one row. It is stored when the first token is made, and read by every start.';
comment on column private.run_token_secrets.secret is 'New tokens are made with it.';
comment on column private.run_token_secrets.previous_secret is 'Tokens that were made with it before the last rotation are still valid.';

create function private.run_token(flow_run_id uuid, secret bytea)
returns text
language sql immutable security invoker
begin atomic
  -- 48 bytes: their base64 is one line without padding.
  select 'fr_' || translate(
    encode(uuid_send(run_token.flow_run_id) || extensions.hmac(uuid_send(run_token.flow_run_id), run_token.secret, 'sha256'), 'base64'),
    '+/', '-_'
  );
end;
comment on function private.run_token(uuid, bytea) is
  'The token of a run, made with this secret: fr_ and the base64url of run id and HMAC-SHA256(secret, run id).';

create function private.run_token(flow_run_id uuid)
returns text
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_secret bytea;
begin
  loop
    select s.secret into v_secret from private.run_token_secrets as s;
    exit when found;
    insert into private.run_token_secrets default values on conflict do nothing;
  end loop;
  return private.run_token(run_token.flow_run_id, v_secret);
end;
$$;
comment on function private.run_token(uuid) is
  'The token that shows one run to its holder, made with the secret of this project, which the first token makes. The same run gives the same token as long as the secret is the same. Definer: the secret is private.';

create function private.token_run_id()
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_token text := private.request_header('x-flow-run-token');
  v_bytes bytea;
begin
  if v_token is null or v_token !~ '^fr_[A-Za-z0-9_-]{64}$' then
    return null;
  end if;
  v_bytes := decode(translate(substr(v_token, 4), '-_', '+/'), 'base64');
  -- Digests are compared, so that the time it takes does not tell how much of a forged token is right.
  perform from private.run_token_secrets as s cross join lateral (values (s.secret), (s.previous_secret)) as valid (secret)
  where sha256(extensions.hmac(substring(v_bytes for 16), valid.secret, 'sha256')) = sha256(substring(v_bytes from 17));
  if not found then
    return null;
  end if;
  return encode(substring(v_bytes for 16), 'hex')::uuid;
end;
$$;
comment on function private.token_run_id() is
  'The run whose token the request carries in x-flow-run-token; null if it carries none, or one that is not valid. Definer: the secrets are private.';
grant execute on function private.token_run_id() to anon, authenticated, service_role;

create function private.rotate_run_token_secret()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into private.run_token_secrets as s default values
  on conflict (id) do update set secret = excluded.secret, previous_secret = s.secret;
end;
$$;
comment on function private.rotate_run_token_secret() is 'Does what public.rotate_run_token_secret says. Definer: the secrets are private.';
grant execute on function private.rotate_run_token_secret() to service_role;

create function public.rotate_run_token_secret()
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.rotate_run_token_secret();
$$;
comment on function public.rotate_run_token_secret() is
  'For the service role: from now on run tokens are made with a new secret. Tokens made with the previous secret stay valid until the next rotation; older ones are no longer valid.';
grant execute on function public.rotate_run_token_secret() to service_role;

-- sql/10_callers/50_pre_request.sql

create function private.pre_request()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_api_key text;
begin
  -- The planner's estimates count rows that policies hide. The first condition saves other requests from parsing the headers.
  if current_setting('request.headers', true) like '%count=%' and current_setting('role') <> 'service_role'
    and private.request_header('prefer') ~ 'count=(planned|estimated)' then
    perform private.fail(400, 'count_inexact', 'Prefer: count= must be exact.',
      hint => 'Planned and estimated counts include rows that the caller may not see. Send Prefer: count=exact.');
  end if;
  if private.request_header('x-flow-run-token') is not null and private.token_run_id() is null then
    perform private.fail(401, 'token_invalid', 'The run token in x-flow-run-token is not valid.');
  end if;
  -- Only a caller without a token: a user token beats an API key.
  if current_setting('role') = 'anon' then
    v_api_key := private.request_header('x-api-key');
    if v_api_key is not null then
      perform set_config('request.jwt.claims', private.api_key_claims(v_api_key)::text, true);
      perform set_config('role', 'authenticated', true);
      -- PostgREST has already applied the settings of anon: the time limit of users is set here.
      perform set_config('statement_timeout', split_part(o.setting, '=', 2), true)
      from pg_catalog.pg_db_role_setting as s cross join unnest(s.setconfig) as o (setting)
      where s.setdatabase = 0 and s.setrole = 'authenticated'::regrole and o.setting like 'statement\_timeout=%';
    end if;
  end if;
end;
$$;
comment on function private.pre_request() is
  'PostgREST runs it before each request: it refuses invalid run tokens and counts that are estimates, and lets the holder of an API key act as the key''s owner, so that auth.uid() and policies hold on every path. Invoker, since a definer can''t change the role.';
grant execute on function private.pre_request() to anon, authenticated, service_role;

-- sql/20_values/10_checks.sql

-- Functions that check constraints call. They are executable by the roles that write the tables.

create function private.is_string_map(value jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(is_string_map.value) <> 'object' then false
    else not jsonb_path_exists(is_string_map.value, 'strict $.* ? (@.type() != "string")')
  end;
end;
$$;
comment on function private.is_string_map(jsonb) is 'Whether the value is an object whose members are all strings.';
grant execute on function private.is_string_map(jsonb) to authenticated, service_role;

create function private.is_chain_network(value jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return coalesce(
    jsonb_typeof(is_chain_network.value) = 'object'
      and is_chain_network.value ->> 'cluster' in ('devnet', 'testnet', 'mainnet-beta')
      and jsonb_typeof(is_chain_network.value -> 'url') = 'string'
      and is_chain_network.value ->> 'url' ~ '^https?://[^[:space:]/?#]+([/?#][^[:space:]]*)?$'
      and length(is_chain_network.value ->> 'url') <= 2048,
    false
  );
end;
$$;
comment on function private.is_chain_network(jsonb) is
  'Whether the value is a Solana network: {url: an http(s) address, cluster: devnet | testnet | mainnet-beta}.';
grant execute on function private.is_chain_network(jsonb) to authenticated, service_role;

create function private.decode_base58(value text)
returns bytea
language plpgsql immutable strict security invoker
set search_path = ''
as $$
declare
  v_alphabet constant text := '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  v_number numeric := 0;
  v_bytes bytea := '';
  v_digit integer;
begin
  if length(decode_base58.value) > 128 then
    return null;
  end if;
  for v_index in 1..length(decode_base58.value) loop
    v_digit := strpos(v_alphabet, substr(decode_base58.value, v_index, 1)) - 1;
    if v_digit < 0 then
      return null;
    end if;
    v_number := v_number * 58 + v_digit;
  end loop;
  while v_number > 0 loop
    v_bytes := substring(int2send((v_number % 256)::smallint) from 2) || v_bytes;
    v_number := div(v_number, 256);
  end loop;
  -- Each leading 1 stands for a leading zero byte.
  return decode(repeat('00', length(substring(decode_base58.value from '^1*'))), 'hex') || v_bytes;
end;
$$;
comment on function private.decode_base58(text) is
  'The bytes that a base58 text (Bitcoin''s alphabet, as Solana uses it) stands for; null when the text is not base58 or is longer than 128 characters.';
grant execute on function private.decode_base58(text) to authenticated, service_role;

create function private.is_base58(value text, byte_count integer)
returns boolean
language sql immutable strict security invoker
set search_path = ''
as $$
  select coalesce(octet_length(private.decode_base58(is_base58.value)) = is_base58.byte_count, false);
$$;
comment on function private.is_base58(text, integer) is 'Whether the text is base58 of exactly so many bytes.';

create function private.is_base64(value text)
returns boolean
language sql immutable strict security invoker
set search_path = ''
as $$
  select is_base64.value ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$'
    and length(is_base64.value) <= 8192;
$$;
comment on function private.is_base64(text) is
  'Whether the text is padded standard base64 of at least one byte, at most 8,192 characters: no transaction and no message is longer.';

create function private.is_public_key(value text)
returns boolean
language plpgsql immutable strict security invoker
set search_path = ''
as $$
begin
  -- The alphabet is in the order of its characters, so two numbers of equal length compare as texts, here with 256^31 and 256^32.
  -- Every start by a public key is checked, and decoding would take fifty times as long. Only keys that begin with zero bytes, written
  -- as ones, are decoded. A pattern that includes the length would take eight times as long.
  return case
    when length(is_public_key.value) not between 32 and 44 or is_public_key.value ~ '[^1-9A-HJ-NP-Za-km-z]' then false
    when is_public_key.value like '1%' then octet_length(private.decode_base58(is_public_key.value)) = 32
    when length(is_public_key.value) = 43 then is_public_key.value collate "C" >= '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'
    else length(is_public_key.value) = 44 and is_public_key.value collate "C" < 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'
  end;
end;
$$;
comment on function private.is_public_key(text) is 'Whether the text is the base58 of 32 bytes, a Solana public key.';
grant execute on function private.is_public_key(text) to authenticated, service_role;

-- sql/20_values/20_inputs.sql

create function private.bad_value(value jsonb, depth integer)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_tag text;
  v_payload jsonb;
  v_type text;
  v_member record;
  v_bad text;
begin
  if bad_value.depth <= 0 then
    return ': nested too deeply';
  end if;
  if jsonb_typeof(bad_value.value) = 'object' then
    v_tag := case
      when bad_value.value ? 'A' then 'A'
      when bad_value.value ? 'M' then 'M'
      when bad_value.value ? 'S' then 'S'
      when bad_value.value ? 'N' then 'N'
      -- This path copies the whole value, so arrays and maps are recognised above.
      else jsonb_path_query_first(bad_value.value, '$.keyvalue().key') #>> '{}'
    end;
  end if;
  if v_tag is null or bad_value.value - v_tag <> '{}' then
    return ': a value is an object with exactly one tag, such as {"S": "text"}';
  end if;
  v_payload := bad_value.value -> v_tag;
  v_type := jsonb_typeof(v_payload);

  case
    when v_tag in ('S', 'U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6', 'BY') then
      return case when v_type <> 'string' then '.' || v_tag || ': takes a string' end;
    when v_tag = 'B' then
      return case when v_type <> 'boolean' then '.B: takes true or false' end;
    when v_tag = 'N' then
      return case when v_payload <> '0' then '.N: takes 0' end;
    when v_tag = 'A' then
      if v_type <> 'array' then
        return '.A: takes an array';
      end if;
      for v_index in 0..jsonb_array_length(v_payload) - 1 loop
        v_bad := private.bad_value(v_payload -> v_index, bad_value.depth - 1);
        if v_bad is not null then
          return format('.A[%s]%s', v_index, v_bad);
        end if;
      end loop;
      return null;
    when v_tag = 'M' then
      if v_type <> 'object' then
        return '.M: takes an object';
      end if;
      for v_member in select m.key, m.value from jsonb_each(v_payload) as m loop
        v_bad := private.bad_value(v_member.value, bad_value.depth - 1);
        if v_bad is not null then
          return format('.M.%s%s', private.shorten(v_member.key), v_bad);
        end if;
      end loop;
      return null;
    else
      return format(': there is no tag %s', to_jsonb(private.shorten(v_tag)));
  end case;
end;
$$;
comment on function private.bad_value(jsonb, integer) is
  'What is wrong with a tagged value, after the path to it (''.A[0].S: takes a string''), or null. Checks tags and JSON types down to `depth` levels. The Edge Functions and the runner check the ranges of numbers.';

create function private.check_inputs(inputs jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_pairs jsonb;
  v_bad text;
begin
  -- Nearly all inputs are a few short strings, one tag each, and good by one look at their text, as jsonb writes it.
  if pg_column_size(check_inputs.inputs) < 1024
    and check_inputs.inputs::text ~ '^\{("([^"\\]|\\.)*": \{"([SFD]|[UI]1?|B[36Y])": "([^"\\]|\\.)*"\}(, )?)*\}$'
  then
    return;
  end if;
  if jsonb_typeof(check_inputs.inputs) <> 'object' then
    perform private.fail(400, 'inputs_invalid', 'inputs: takes an object of values, such as {"a": {"S": "text"}}');
  end if;
  if octet_length(check_inputs.inputs::text) > 1048576 then
    perform private.fail(413, 'inputs_too_large', 'inputs: larger than 1 MiB');
  end if;
  -- No number and no key needs more than 1,000 characters, and reading longer ones takes quadratic time. In JSON text `": "` stands
  -- only between a member's name and a string, and in inputs that name must be a tag.
  if octet_length(check_inputs.inputs::text) > 1000 and exists (
    select
    from (
      select part.text, right(lag(part.text) over (order by part.place), 4) as before
      from string_to_table(check_inputs.inputs::text, '": "') with ordinality as part (text, place)
    ) as strings
    where strpos(strings.text, '"') > 1001 and strings.before ~ '"([FD]|[UI]1?|B[36])$'
  ) then
    perform private.fail(400, 'inputs_invalid', 'inputs: the text of a number or a key has at most 1000 characters');
  end if;
  -- One path checks all levels without copying, and inputs that pass it are valid. It must be lax, since only a lax path can count
  -- members: (…) is unknown unless there is exactly one. A lax path also looks into arrays in place of objects, so it refuses values
  -- that are arrays.
  if not jsonb_path_exists(check_inputs.inputs, (
    'lax $ ? (@.*.type() == "array" || exists (@.* ? ('
    || repeat(
      '@.type() != "object" || (@.*.size() * 0 == 0) is unknown || !('
      '@.*.type() == "string" && (exists (@.S) || exists (@.U) || exists (@.D) || exists (@.B3) || exists (@.I) || exists (@.F)'
      ' || exists (@.BY) || exists (@.B6) || exists (@.U1) || exists (@.I1))'
      ' || @.M.type() == "object" || @.A.type() == "array" || @.B.type() == "boolean" || @.N.type() == "number" && @.N == 0'
      ') || @.*.**{1}.type() == "array" || exists (@.*.**{1} ? (', 64
    )
    -- The 65th level.
    || '1 == 1' || repeat('))', 65) || ')'
  )::jsonpath) then
    return;
  end if;
  -- Something is wrong, so each level is searched to name it.
  v_pairs := jsonb_path_query_array(check_inputs.inputs, '$.keyvalue()');
  for v_index in 0..jsonb_array_length(v_pairs) - 1 loop
    v_bad := private.bad_value(v_pairs -> v_index -> 'value', 64);
    if v_bad is not null then
      perform private.fail(400, 'inputs_invalid', 'inputs.' || private.shorten(v_pairs -> v_index ->> 'key') || v_bad);
    end if;
  end loop;
end;
$$;
comment on function private.check_inputs(jsonb) is
  'Refuses inputs of a flow that are not an object of one-tag values, 64 levels deep and 1 MiB at most, with numbers and keys of at most 1000 characters: 400 inputs_invalid, 413 inputs_too_large.';

create function private.check_input_names(inputs jsonb, input_names text[])
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- How many names the error lists, and how many characters of each.
  v_most constant integer := 20;
  v_longest constant integer := 100;
  v_unknown text[];
begin
  -- Each input is compared with each name, which is quick while the names are few.
  if cardinality(check_input_names.input_names) <= 100 and check_input_names.inputs - check_input_names.input_names = '{}' then
    return;
  end if;
  -- `except` hashes or sorts both sides. Comparing each name with each other one would take minutes for the largest inputs.
  v_unknown := array(
    select left(given.name, v_longest)
    from (
      select g.name from jsonb_object_keys(check_input_names.inputs) as g (name)
      except
      select k.name from unnest(check_input_names.input_names) as k (name)
    ) as given
    order by given.name limit v_most
  );
  if cardinality(v_unknown) = 0 then
    return;
  end if;
  perform private.fail(
    400, 'inputs_invalid',
    format('inputs: the flow has no input %s; it has %s.',
      (select string_agg(to_jsonb(u.name)::text, ', ') from unnest(v_unknown) as u (name)),
      coalesce((
        select string_agg(to_jsonb(left(k.name, v_longest))::text, ', ' order by k.position)
        from unnest(check_input_names.input_names[:v_most]) with ordinality as k (name, position)
      ) || case when cardinality(check_input_names.input_names) > v_most then ' and others' else '' end, 'none')),
    (
      select jsonb_agg(jsonb_build_object('path', 'inputs.' || u.name, 'message', 'the flow has no such input'))
      from unnest(v_unknown) as u (name)
    )
  );
end;
$$;
comment on function private.check_input_names(jsonb, text[]) is
  'Refuses inputs that the flow does not have: 400 inputs_invalid, which names the first 20 of them and the first 20 that the flow has.';

-- sql/30_flows/10_node_faults.sql

create function private.port_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    -- Strict, because a lax path would also look into arrays inside the array.
    when jsonb_path_exists(port_fault.data, 'strict $.sources[*] ? (@.type() != "object")')
      then 'data.sources: a source must be an object'
    when jsonb_path_exists(port_fault.data, 'strict $.targets[*] ? (@.type() != "object")')
      then 'data.targets: a target must be an object'
    when jsonb_path_exists(port_fault.data, '$.sources[*] ? (!(@.id.type() == "string" && @.name.type() == "string"))')
      then 'data.sources: a source must have a string id and a string name'
    when jsonb_path_exists(port_fault.data, '$.targets[*] ? (!(@.id.type() == "string" && @.name.type() == "string"
        && @.type_bounds.type() == "array" && @.required.type() == "boolean" && @.passthrough.type() == "boolean"))')
      then 'data.targets: a target must have a string id, a string name, an array type_bounds, and booleans required and passthrough'
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'sources') as port
      where greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
    )
      then 'data.sources: the id and the name of a source may have at most 256 characters'
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'targets') as port
      where greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
    )
      then 'data.targets: the id and the name of a target may have at most 256 characters'
  end;
end;
$$;
comment on function private.port_fault(jsonb) is 'The first fault that keeps the runner from reading a port of a node, or null. Takes the node''s data, whose sources and targets must be arrays.';

create function private.node_faults(nodes jsonb)
returns table (node_index integer, fault text)
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- One look at all ports, the nth source and the nth target of a node side by side. Only when one of them is wrong, each node is
  -- looked at to name it. A node with too many ports is wrong whatever they are.
  v_has_bad_ports constant boolean := coalesce((
    -- Most ports take at most 256 bytes, so that their texts need no measuring.
    select bool_or(
      port.source is not null and (
        jsonb_typeof(port.source -> 'id') = 'string' and jsonb_typeof(port.source -> 'name') = 'string'
        and (pg_column_size(port.source) <= 256 or greatest(length(port.source ->> 'id'), length(port.source ->> 'name')) <= 256)
      ) is not true
      or port.target is not null and (
        jsonb_typeof(port.target -> 'id') = 'string' and jsonb_typeof(port.target -> 'name') = 'string'
        and (pg_column_size(port.target) <= 256 or greatest(length(port.target ->> 'id'), length(port.target ->> 'name')) <= 256)
        and jsonb_typeof(port.target -> 'type_bounds') = 'array'
        and jsonb_typeof(port.target -> 'required') = 'boolean' and jsonb_typeof(port.target -> 'passthrough') = 'boolean'
      ) is not true
    )
    from (
      select
        jsonb_array_elements(
          case when jsonb_typeof(d.data -> 'sources') = 'array' then
            case when jsonb_array_length(d.data -> 'sources') <= 1000 then d.data -> 'sources' end
          end
        ) as source,
        jsonb_array_elements(
          case when jsonb_typeof(d.data -> 'targets') = 'array' then
            case when jsonb_array_length(d.data -> 'targets') <= 1000 then d.data -> 'targets' end
          end
        ) as target
      from jsonb_array_elements(node_faults.nodes) as n (node)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
    ) as port
  ), false);
begin
  return query
  select (n.position - 1)::integer, f.fault
  from jsonb_array_elements(node_faults.nodes) with ordinality as n (node, position)
  -- Extracted once here, and not again in each condition.
  cross join lateral (select n.node -> 'data' as data offset 0) as d
  cross join lateral (select case
    when jsonb_typeof(n.node) <> 'object' then 'a node must be an object'
    -- One pattern for the whole text takes four times as long.
    when (
      n.node ->> 'id' like '________-____-____-____-____________' and length(replace(n.node ->> 'id', '-', '')) = 32
      and n.node ->> 'id' !~ '[^-0-9a-f]'
    ) is not true
      then 'id: takes a UUID in lower case with hyphens'
    when jsonb_typeof(d.data) is distinct from 'object' then 'data: takes an object'
    when coalesce(d.data ->> 'type', '') not in ('native', 'deno', 'WASM', 'mock')
      then 'data.type: takes native, deno, WASM or mock'
    when jsonb_typeof(d.data -> 'node_id') is distinct from 'string' then 'data.node_id: takes a string'
    when length(d.data ->> 'node_id') > 200 then 'data.node_id: takes at most 200 characters'
    when jsonb_typeof(d.data -> 'sources') is distinct from 'array' then 'data.sources: takes an array'
    when jsonb_typeof(d.data -> 'targets') is distinct from 'array' then 'data.targets: takes an array'
    when jsonb_array_length(d.data -> 'sources') > 1000 then 'data.sources: takes at most 1,000 sources'
    when jsonb_array_length(d.data -> 'targets') > 1000 then 'data.targets: takes at most 1,000 targets'
    when v_has_bad_ports and private.port_fault(d.data) is not null then private.port_fault(d.data)
    when d.data #> '{targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
    when d.data ->> 'node_id' in ('flow_input', 'flow_output')
        and length(d.data #>> '{targets_form,form_data,label}') > 256
      then 'data.targets_form.form_data.label: takes at most 256 characters'
  end) as f (fault)
  where f.fault is not null
  order by n.position limit 1001;
end;
$$;
comment on function private.node_faults(jsonb) is
  'What keeps the runner from reading nodes: the first fault of each node, of the first 1,001 such nodes. The rules are the mandatory members of the node object in the editor''s flow JSON.';

-- sql/30_flows/20_flow_cycle.sql

create function private.flow_cycle(nodes text[], sources text[], targets text[])
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_count integer := coalesce(cardinality(flow_cycle.nodes), 0);
  v_from integer[];
  v_to integer[];
  v_first integer[];
  v_waiting integer[];
  v_ready integer[];
  v_done integer := 0;
  v_node integer;
  v_edge integer;
  v_next integer;
  v_before integer[];
  v_step integer[];
  v_path integer[] := '{}';
begin
  -- Kahn's algorithm on numbered nodes, with the edges sorted by source: it visits each node and each edge once.
  select array_agg(s.number order by s.number, t.number), array_agg(t.number order by s.number, t.number)
  into v_from, v_to
  from unnest(flow_cycle.sources, flow_cycle.targets) as e (source, target)
  join unnest(flow_cycle.nodes) with ordinality as s (id, number) on s.id = e.source
  join unnest(flow_cycle.nodes) with ordinality as t (id, number) on t.id = e.target;
  if v_from is null then
    return null;
  end if;
  v_first := array_fill(0, array[v_count + 1]);
  v_waiting := array_fill(0, array[v_count]);
  for v_edge in reverse cardinality(v_from)..1 loop
    v_first[v_from[v_edge]] := v_edge;
    v_waiting[v_to[v_edge]] := v_waiting[v_to[v_edge]] + 1;
  end loop;
  select coalesce(array_agg(number), '{}') into v_ready
  from unnest(v_waiting) with ordinality as w (waiting, number)
  where waiting = 0;

  while v_done < cardinality(v_ready) loop
    v_done := v_done + 1;
    v_edge := v_first[v_ready[v_done]];
    while v_edge > 0 and v_edge <= cardinality(v_from) and v_from[v_edge] = v_ready[v_done] loop
      v_next := v_to[v_edge];
      v_waiting[v_next] := v_waiting[v_next] - 1;
      if v_waiting[v_next] = 0 then
        v_ready := v_ready || v_next;
      end if;
      v_edge := v_edge + 1;
    end loop;
  end loop;
  if v_done = v_count then
    return null;
  end if;

  -- Each remaining node waits for another remaining node, so walking backwards from any of them ends in a cycle.
  v_before := array_fill(null::integer, array[v_count]);
  for v_edge in 1..cardinality(v_from) loop
    if v_waiting[v_from[v_edge]] > 0 then
      v_before[v_to[v_edge]] := v_from[v_edge];
    end if;
  end loop;
  v_step := array_fill(null::integer, array[v_count]);
  v_node := (select w.number from unnest(v_waiting) with ordinality as w (waiting, number) where w.waiting > 0 limit 1);
  while v_step[v_node] is null loop
    v_path := v_path || v_node;
    v_step[v_node] := cardinality(v_path);
    v_node := v_before[v_node];
  end loop;
  return (
    select array_agg(flow_cycle.nodes[p.number] order by p.position desc)
    from unnest(v_path) with ordinality as p (number, position)
    where p.position >= v_step[v_node]
  );
end;
$$;
comment on function private.flow_cycle(text[], text[], text[]) is
  'The node ids of one cycle in the order of its edges, or null when there is no cycle. Edge i leads from sources[i] to targets[i]. Source: A. B. Kahn, Topological sorting of large networks, CACM 5 (1962).';

-- sql/30_flows/30_flow_findings.sql

create function private.flow_edges(nodes jsonb, edges jsonb)
returns table (edge_index integer, source text, target text, target_port text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- A handle is looked up in the whole flow, and may belong to any node. Only an edge's source and target say which nodes it joins.
  return query
  with port as materialized (
    -- The nth source and the nth target of a node side by side.
    select p.source ->> 'id' as source, p.target ->> 'id' as target, p.target ->> 'name' as target_name
    from (
      select jsonb_array_elements(d.data -> 'sources') as source, jsonb_array_elements(d.data -> 'targets') as target
      from jsonb_array_elements(flow_edges.nodes) as n (node)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
      where d.data ->> 'type' <> 'mock'
    ) as p
  ),
  target_handle as materialized (
    select port.target as id, max(port.target_name) as name from port where port.target is not null group by port.target
  )
  select (e.position - 1)::integer, e.edge ->> 'source', e.edge ->> 'target', target_handle.name
  from jsonb_array_elements(flow_edges.edges) with ordinality as e (edge, position)
  join target_handle on target_handle.id = e.edge ->> 'targetHandle'
  where e.edge ->> 'sourceHandle' in (
    select port.source from port
    union all
    select 'passthrough-' || target_handle.id from target_handle
  );
end;
$$;
comment on function private.flow_edges(jsonb, jsonb) is
  'The edges that a run keeps: those whose two handles are ports of the flow. Editors leave other edges behind, which a run drops with a warning.';

create function private.flow_size_findings(nodes jsonb, edges jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'code', 'flow_too_large', 'path', part.name, 'message', format('a flow may have at most %s %s, and this one has %s', part.most, part.name, part.size)
  )), '[]')
  from (values
    ('nodes', 10000, jsonb_array_length(flow_size_findings.nodes)), ('edges', 50000, jsonb_array_length(flow_size_findings.edges))
  ) as part (name, most, size)
  where part.size > part.most;
$$;
comment on function private.flow_size_findings(jsonb, jsonb) is
  'The findings of flow_findings for a graph that has more nodes or edges than the runner can set up without delaying other runs.';

create function private.flow_findings(nodes jsonb, edges jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
-- The planner can't know how large a graph is: nested loops would be quadratic, and planning each call would take longer than
-- executing it for most flows.
set enable_nestloop = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_findings jsonb;
  v_nodes text[];
  v_sources text[];
  v_targets text[];
  v_leads_back boolean;
  v_cycle text[];
begin
  -- The size comes first: it bounds what the other checks cost.
  v_findings := private.flow_size_findings(flow_findings.nodes, flow_findings.edges);
  if v_findings <> '[]' then
    return v_findings;
  end if;
  select jsonb_agg(jsonb_build_object('code', 'node_malformed', 'path', format('nodes[%s]', f.node_index), 'message', f.fault) order by f.node_index)
  into v_findings
  from private.node_faults(flow_findings.nodes) as f;
  if v_findings is not null then
    -- The other checks read members that a malformed node may lack.
    return v_findings;
  end if;

  with node as materialized (
    select
      n.position - 1 as index, n.node ->> 'id' as id, d.data ->> 'type' as type, d.data ->> 'node_id' as node_id,
      d.data -> 'targets_form' -> 'form_data' ->> 'label' as label
    from jsonb_array_elements(flow_findings.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
  ),
  -- Each id once, so that an edge of an id that a thousand nodes share is one row, not a thousand.
  known as materialized (
    select node.id, count(*) as node_count, min(node.index) as first_index, max(node.index) as last_index,
      bool_or(node.type <> 'mock') as is_run, bool_or(node.type = 'mock') as is_mock
    from node group by node.id
  ),
  edge as materialized (
    select e.position - 1 as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
      s.first_index as source_index, t.first_index as target_index,
      coalesce(s.is_run, false) as is_source_run, coalesce(t.is_run, false) as is_target_run, coalesce(t.is_mock, false) as is_target_mock,
      kept.edge_index is not null as is_kept, kept.target_port
    from jsonb_array_elements(flow_findings.edges) with ordinality as e (edge, position)
    left join known as s on s.id = e.edge ->> 'source'
    left join known as t on t.id = e.edge ->> 'target'
    left join private.flow_edges(flow_findings.nodes, flow_findings.edges) as kept on kept.edge_index = e.position - 1
  ),
  finding as (
    select 'node_id_duplicate' as code, format('nodes[%s].id', known.last_index) as path, format('two nodes have the id %s', known.id) as message
    from known where known.node_count > 1
    union all
    select 'edge_source_unknown', format('edges[%s].source', edge.index), format('there is no node %s', coalesce(private.shorten(edge.source), 'null'))
    from edge where not edge.is_source_run and not edge.is_target_mock
    union all
    select 'edge_target_unknown', format('edges[%s].target', edge.index), format('there is no node %s', coalesce(private.shorten(edge.target), 'null'))
    from edge where edge.target_index is null
    union all
    select 'input_connected_twice', format('edges[%s].targetHandle', max(edge.index)),
      format('two edges lead into the input %s of node %s', to_jsonb(private.shorten(edge.target_port)), edge.target)
    from edge where edge.is_kept and edge.is_target_run
    group by edge.target, edge.target_port having count(*) > 1
    union all
    -- A node may have 1,000 inputs, but edges may lead into it through the handles of other nodes.
    select 'node_edges_too_many', format('nodes[%s]', edge.target_index), 'at most 1,000 edges may lead into one node'
    from edge where edge.is_kept and edge.target_index is not null
    group by edge.target_index having count(*) > 1000
    union all
    select 'output_label_duplicate', format('nodes[%s].data.targets_form.form_data.label', max(node.index)),
      format('two flow outputs have the label %s', coalesce(to_jsonb(private.shorten(node.label))::text, 'null'))
    from node where node.type = 'native' and node.node_id = 'flow_output'
    group by node.label having count(*) > 1
  )
  select
    (
      select jsonb_agg(to_jsonb(first) order by first.path, first.code)
      from (select finding.* from finding order by finding.path, finding.code limit 1001) as first
    ),
    (select array_agg(known.id order by known.first_index) from known where known.is_run),
    wired.sources, wired.targets, wired.leads_back
  into v_findings, v_nodes, v_sources, v_targets, v_leads_back
  from (
    select array_agg(edge.source) as sources, array_agg(edge.target) as targets, bool_or(edge.source_index >= edge.target_index) as leads_back
    from edge where edge.is_kept and edge.is_source_run and edge.is_target_run
  ) as wired;

  -- In most flows every edge leads to a later node, so there is no cycle to look for.
  if v_leads_back then
    v_cycle := private.flow_cycle(v_nodes, v_sources, v_targets);
  end if;
  if v_cycle is not null then
    v_findings := coalesce(v_findings, '[]') || jsonb_build_object(
      'code', 'graph_has_cycle', 'path', 'edges',
      'message', 'these nodes wait for each other in a circle: ' || array_to_string(v_cycle[:20], ' → ')
        || case when cardinality(v_cycle) > 20 then ' → …' else '' end
    );
  end if;
  return coalesce(v_findings, '[]');
end;
$$;
comment on function private.flow_findings(jsonb, jsonb) is
  'What keeps a graph from running, as an array of {code, path, message}, which is cut after a thousand; empty when the graph can run. private.take_snapshot checks interflow references, since it follows them.';

-- sql/30_flows/40_environment_findings.sql

-- The environment's settings of transactions are checked. Other names are free. Source: RUNTIME 5.3 and 7.10.

create function private.environment_fault(name text, value text)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- A fault never repeats the value, which may be a secret.
  return case
    when environment_fault.name = 'COMPUTE_BUDGET'
      and (environment_fault.value in ('auto', 'no') or private.lamports(to_jsonb(environment_fault.value)) <= 4294967295) is not true
      then 'takes auto, no or an integer from 0 to 2^32-1'
    when environment_fault.name = 'FALLBACK_COMPUTE_BUDGET'
      and (private.lamports(to_jsonb(environment_fault.value)) <= 4294967295) is not true
      then 'takes an integer from 0 to 2^32-1'
    when environment_fault.name = 'PRIORITY_FEE'
      and not (environment_fault.value in ('auto', 'no') or private.lamports(to_jsonb(environment_fault.value)) is not null)
      then 'takes auto, no or an integer from 0 to 2^64-1'
    when environment_fault.name in ('SIMULATION_COMMITMENT_LEVEL', 'TX_COMMITMENT_LEVEL', 'WAIT_COMMITMENT_LEVEL')
      and environment_fault.value not in ('processed', 'confirmed', 'finalized')
      then 'takes processed, confirmed or finalized'
    when environment_fault.name in ('OVERWRITE_FEEPAYER', 'DEVNET_LOOKUP_TABLE', 'MAINNET_LOOKUP_TABLE')
      and not private.is_base58(environment_fault.value, 32)
      then 'takes a public key: base58 of 32 bytes'
  end;
end;
$$;
comment on function private.environment_fault(text, text) is
  'What is wrong with a setting in a flow''s environment, or null. It never repeats the value.';

create function private.is_key_pair(value text)
returns boolean
language sql immutable strict security invoker
set search_path = ''
as $$
  select private.is_base58(is_key_pair.value, 64)
    or is_key_pair.value ~ '^\s*\[\s*\d{1,3}(\s*,\s*\d{1,3}){63}\s*\]\s*$';
$$;
comment on function private.is_key_pair(text) is
  'Whether the text may be a Solana key pair: base58 of 64 bytes, or a JSON array of 64 numbers, as the command line tools store it.';

create function private.environment_findings(environment jsonb, owner_id uuid)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object('code', finding.code, 'path', 'environment.' || setting.name, 'message', finding.message) order by setting.name
    ), '[]')
    from jsonb_each_text(environment_findings.environment) as setting (name, value)
    cross join lateral (
      select case
        when setting.name = 'OVERWRITE_FEEPAYER' and private.is_key_pair(setting.value) then 'environment_key_pair'
        when private.environment_fault(setting.name, setting.value) is not null then 'environment_value_invalid'
        when setting.name = 'OVERWRITE_FEEPAYER' and not exists (
          select from public.wallets as w
          where w.user_id = environment_findings.owner_id and w.public_key = setting.value and w.type = 'HARDCODED'
        ) then 'environment_wallet_unknown'
      end
    ) as fault (code)
    cross join lateral (
      select fault.code, case fault.code
        when 'environment_key_pair'
          then 'OVERWRITE_FEEPAYER holds a key pair, and a flow must hold no secrets: store the key pair as a HARDCODED wallet, and set OVERWRITE_FEEPAYER to its public key'
        when 'environment_wallet_unknown' then 'OVERWRITE_FEEPAYER takes the public key of one of your HARDCODED wallets, and none of them has this key'
        else setting.name || ' ' || private.environment_fault(setting.name, setting.value)
      end
    ) as finding (code, message)
    where finding.code is not null
  );
end;
$$;
comment on function private.environment_findings(jsonb, uuid) is
  'What is wrong with the settings in the environment of an owner''s flow, as an array of {code, path, message}; empty when nothing is.';

-- sql/30_flows/50_flow_warnings.sql

-- What a run of a graph will fail at or leave out. Deploys and starts report it, and go on all the same unless they are strict.

create function private.flow_warnings(nodes jsonb, edges jsonb)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
-- The planner can't know how large a graph is: nested loops would be quadratic, and planning each call would take longer than
-- executing it for most flows.
set enable_nestloop = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  -- Without definitions the database can't tell which nodes the runner has.
  v_knows_nodes constant boolean := exists (select from public.nodes as n where n.owner_key = v_nobody and n.type = 'native');
begin
  return (
    with node as materialized (
      select
        (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data ->> 'type' as type, d.data ->> 'node_id' as node_id,
        -- Whether the flow's JSON says which inputs and outputs the node has, and not the definition.
        not v_knows_nodes or d.data ->> 'node_id' in ('interflow', 'interflow_instructions')
          or d.data ->> 'node_id' like 'rhai\_script\_%' as are_inputs_drawn,
        not v_knows_nodes or d.data ->> 'node_id' = 'interflow' or d.data ->> 'node_id' like 'rhai\_script\_%' as are_outputs_drawn,
        d.data -> 'sources' as sources, d.data -> 'targets' as targets, d.data #> '{targets_form,form_data}' as form_data,
        -- A flow_input or flow_output has one port. Its name is the node's label, whatever the JSON calls it.
        case when d.data ->> 'type' = 'native' and d.data ->> 'node_id' in ('flow_input', 'flow_output') then coalesce(
          case jsonb_typeof(d.data #> '{targets_form,form_data,label}')
            when 'string' then d.data #>> '{targets_form,form_data,label}'
          end,
          d.data -> case d.data ->> 'node_id' when 'flow_input' then 'sources' else 'targets' end -> 0 ->> 'name',
          ''
        ) end as label
      from jsonb_array_elements(flow_warnings.nodes) with ordinality as n (node, position)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
      where d.data ->> 'type' <> 'mock'
    ),
    definition as materialized (
      select distinct on (d.node_id) d.node_id, d.sources, d.targets
      from public.nodes as d
      where d.owner_key = v_nobody and d.type = 'native'
        and d.node_id = any (array(select distinct n.node_id from node as n where n.type = 'native'))
      order by d.node_id, d.created_at desc, d.version desc
    ),
    defined_port as materialized (
      select d.node_id, 'source' as side, s.port ->> 'name' as name, false as is_required, false as is_handed_on
      from definition as d cross join lateral jsonb_array_elements(d.sources) as s (port)
      union all
      select d.node_id, 'target', t.port ->> 'name', coalesce((t.port ->> 'required')::boolean, false),
        coalesce((t.port ->> 'passthrough')::boolean, false)
      from definition as d cross join lateral jsonb_array_elements(d.targets) as t (port)
    ),
    drawn as materialized (
      select s.index, 'source' as side, s.port ->> 'id' as handle, s.port ->> 'name' as name, false as is_required, false as is_handed_on
      from (select n.index, jsonb_array_elements(n.sources) as port from node as n) as s
      union all
      select t.index, 'target', t.port ->> 'id', t.port ->> 'name', (t.port -> 'required')::boolean, (t.port -> 'passthrough')::boolean
      from (select n.index, jsonb_array_elements(n.targets) as port from node as n) as t
    ),
    -- A handle is looked up in the whole flow, and copies of a node may share one.
    handle as materialized (
      select d.side, d.handle, max(d.name) as name, min(d.index) as first_index, max(d.index) as last_index
      from drawn as d group by d.side, d.handle
    ),
    edge as materialized (
      select (e.position - 1)::integer as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
        e.edge ->> 'targetHandle' as target_handle,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then 'target' else 'source' end as side,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then substr(e.edge ->> 'sourceHandle', 13)
          else e.edge ->> 'sourceHandle' end as source_handle
      from jsonb_array_elements(flow_warnings.edges) with ordinality as e (edge, position)
    ),
    wired as materialized (
      select e.index, e.side, s.index as source_index, t.index as target_index, s.node_id as source_id, t.node_id as target_id,
        case when sh.name is not null and e.side = 'source' and s.node_id = 'flow_input' then coalesce(s.label, sh.name) else sh.name end
          as source_name,
        case when th.name is not null and t.node_id = 'flow_output' then coalesce(t.label, th.name) else th.name end as target_name,
        s.type = 'native' and (not v_knows_nodes or s.node_id in (select d.node_id from definition as d)) as is_source_known,
        t.type = 'native' and (not v_knows_nodes or t.node_id in (select d.node_id from definition as d)) as is_target_known,
        case e.side when 'source' then s.are_outputs_drawn else s.are_inputs_drawn end as is_source_drawn,
        t.are_inputs_drawn as is_target_drawn,
        case when sh.first_index = sh.last_index then sh.first_index = s.index
          else (s.index, e.side, e.source_handle) in (select d.index, d.side, d.handle from drawn as d) end as is_own_source,
        case when th.first_index = th.last_index then th.first_index = t.index
          else (t.index, 'target', e.target_handle) in (select d.index, d.side, d.handle from drawn as d) end as is_own_target
      from edge as e
      join node as s on s.id = e.source
      join node as t on t.id = e.target
      left join handle as sh on sh.side = e.side and sh.handle = e.source_handle
      left join handle as th on th.side = 'target' and th.handle = e.target_handle
    ),
    required as (
      select n.index, n.form_data, case n.node_id when 'flow_output' then n.label else p.name end as name
      from defined_port as p join node as n on n.node_id = p.node_id
      where p.side = 'target' and p.is_required and n.type = 'native' and not n.are_inputs_drawn
      union all
      select n.index, n.form_data, d.name
      from drawn as d join node as n on n.index = d.index
      where d.side = 'target' and d.is_required and n.type = 'native' and n.are_inputs_drawn
        and (not v_knows_nodes or n.node_id in (select f.node_id from definition as f))
    ),
    warning (place, index, code, member, message) as (
      select 1, n.index, 'node_not_implemented', '.data.node_id', case
        when n.type = 'native' then format('this project has no node %s, so the run fails at it', to_jsonb(private.shorten(n.node_id)))
        else format('nodes of type %s are not executed, so the run fails at this one', n.type)
      end
      from node as n
      where n.type <> 'native' or v_knows_nodes and n.node_id not in (select d.node_id from definition as d)
      union all
      select 1, max(n.index), 'input_label_duplicate', '.data.targets_form.form_data.label',
        format('two flow inputs have the label %s, and get the same value', to_jsonb(private.shorten(n.label)))
      from node as n where n.node_id = 'flow_input' and n.label is not null
      group by n.label having count(*) > 1
      union all
      select distinct 1, r.index, 'input_missing', '', format(
        'the input %s is required, and has neither an edge nor a value, so the run fails at the node', to_jsonb(private.shorten(r.name))
      )
      from required as r
      where case jsonb_typeof(r.form_data) when 'object' then not r.form_data ? r.name else true end
        and (r.index, r.name) not in (
          select w.target_index, w.target_name from wired as w where w.source_name is not null and w.target_name is not null
        )
      union all
      select 2, w.index, 'edge_source_handle_unknown', '.sourceHandle', case
        when w.source_name is null then 'no port has this id, so the edge is left out'
        else format('the port with this id belongs to another node, so the run takes the source''s port %s instead', to_jsonb(private.shorten(w.source_name)))
      end
      from wired as w where w.is_own_source is not true
      union all
      select 2, w.index, 'edge_target_handle_unknown', '.targetHandle', case
        when w.target_name is null then 'no port has this id, so the edge is left out'
        else format('the port with this id belongs to another node, so the run takes the target''s port %s instead', to_jsonb(private.shorten(w.target_name)))
      end
      from wired as w where w.is_own_target is not true
      union all
      select 2, w.index, 'edge_source_port_unknown', '.sourceHandle', format(
        case w.side when 'source' then 'the node has no output %s, so the run fails at it'
          else 'the node does not hand its input %s on, so the run fails at it' end,
        to_jsonb(private.shorten(w.source_name))
      )
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_source_known
        and not (w.side = 'source' and (w.source_id = 'flow_input' or w.is_source_drawn and w.is_own_source is true))
        and case when w.is_source_drawn
          then (w.source_index, w.side, w.source_name) not in (
            select d.index, d.side, d.name from drawn as d where d.side = 'source' or d.is_handed_on
          )
          else (w.source_id, w.side, w.source_name) not in (
            select p.node_id, p.side, p.name from defined_port as p where p.side = 'source' or p.is_handed_on
          )
        end
      union all
      select 2, w.index, 'edge_target_port_unknown', '.targetHandle',
        format('the node has no input %s, so the run fails at it', to_jsonb(private.shorten(w.target_name)))
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_target_known and w.target_id <> 'flow_output'
        and not (w.is_target_drawn and w.is_own_target is true)
        and case when w.is_target_drawn
          then (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.side = 'target')
          else (w.target_id, w.target_name) not in (select p.node_id, p.name from defined_port as p where p.side = 'target')
        end
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'code', first.code, 'path', format('%s[%s]%s', case first.place when 1 then 'nodes' else 'edges' end, first.index, first.member),
      'message', first.message
    ) order by first.place, first.index, first.code, first.message), '[]')
    from (select w.* from warning as w order by w.place, w.index, w.code, w.message limit 100) as first
  );
end;
$$;
comment on function private.flow_warnings(jsonb, jsonb) is
  'What a run of a graph without findings will fail at or leave out, as an array of {code, path, message}, the first 100. The definitions that the service role has added say which nodes exist and which ports they have. Without any definition every native node counts as existing, with the ports that the flow''s JSON gives it.';

-- sql/30_flows/60_flows.sql

create table public.flows (
  id integer generated always as identity primary key,
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name text not null default '',
  description text not null default '',
  nodes jsonb not null default '[]',
  edges jsonb not null default '[]',
  environment jsonb not null default '{}',
  chain_network jsonb not null default '{"url": "https://api.devnet.solana.com", "cluster": "devnet"}',
  instructions_bundling text not null default 'Off',
  is_public boolean not null default false,
  start_shared boolean not null default false,
  start_unverified boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint flows_id_user_id_key unique (id, user_id),
  constraint flows_name_length check (char_length(name) <= 200),
  constraint flows_description_length check (char_length(description) <= 20000),
  constraint flows_nodes_array check (jsonb_typeof(nodes) = 'array' and pg_column_size(nodes) <= 16777216),
  constraint flows_edges_array check (jsonb_typeof(edges) = 'array' and pg_column_size(edges) <= 16777216),
  constraint flows_environment_strings check (private.is_string_map(environment)),
  constraint flows_environment_size check (pg_column_size(environment) <= 65536),
  constraint flows_chain_network_valid check (private.is_chain_network(chain_network)),
  -- Editors keep members of their own beside url and cluster.
  constraint flows_chain_network_size check (pg_column_size(chain_network) <= 16384),
  constraint flows_instructions_bundling_known check (instructions_bundling in ('Off', 'Automatic'))
);
comment on table public.flows is 'Flows as the editor saves them. A run executes a deployment, which froze the flow, or the flow as it is now.';
comment on column public.flows.nodes is 'The editor''s node objects; only id and data are read when the flow runs.';
comment on column public.flows.edges is 'The editor''s edge objects: source, sourceHandle, target, targetHandle.';
comment on column public.flows.environment is 'Settings of the flow''s runs, an object of strings; also visible to its scripts.';
comment on column public.flows.chain_network is 'The Solana network of the flow''s runs: {url, cluster}.';
comment on column public.flows.instructions_bundling is 'Off: each node sends its own transaction. Automatic: they are bundled.';
comment on column public.flows.is_public is 'Signed-in users may read the flow.';
comment on column public.flows.start_shared is 'With is_public: a new deployment may be started by every user who has signed up.';
comment on column public.flows.start_unverified is 'With is_public and start_shared: a new deployment may be started by anybody.';

create index flows_user_id_idx on public.flows (user_id);

alter table public.flows enable row level security;
create policy flows_select_owner_or_public on public.flows for select to authenticated
  using (user_id = (select auth.uid()) or is_public);
create policy flows_insert_owner on public.flows for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy flows_update_owner on public.flows for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flows_delete_owner on public.flows for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.flows to authenticated;
grant select, insert, update, delete on public.flows to service_role;

create function private.tg_flows__before_update()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (new.user_id, new.created_at) is distinct from (old.user_id, old.created_at) then
    perform private.fail(400, 'column_read_only', 'user_id and created_at of a flow can''t be changed.');
  end if;
  return new;
end;
$$;
comment on function private.tg_flows__before_update() is 'Refuses changes of a flow''s read-only columns.';
create trigger _100_refuse_read_only before update on public.flows
  for each row execute function private.tg_flows__before_update();
create trigger _200_touch before update on public.flows
  for each row execute function private.tg_any__before_update_touch();

create trigger _800_check_quota after insert on public.flows
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('flows', 'flow_bytes');

create function private.tg_flows__after_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
-- A plan that is kept must not be one that was made while the table was empty: each save of a flow would read all flows.
set enable_seqscan = off
as $$
declare
  v_user_id uuid;
begin
  -- Compares sizes as stored, so with the table and not with the new rows of the statement, which are not compressed yet.
  for v_user_id in
    select distinct f.user_id
    from former as o
    join public.flows as f on f.id = o.id
    where pg_column_size(f.nodes) + pg_column_size(f.edges) + pg_column_size(f.environment)
      > pg_column_size(o.nodes) + pg_column_size(o.edges) + pg_column_size(o.environment)
    order by f.user_id
  loop
    perform private.check_quota('flow_bytes', v_user_id);
  end loop;
  return null;
end;
$$;
comment on function private.tg_flows__after_update() is
  'Refuses flows that grow beyond their owner''s quota, once a statement. A flow that shrinks is saved, even when its owner has too much. Definer: users can''t call what it calls.';
create trigger _800_check_growth after update on public.flows
  referencing old table as former
  for each statement execute function private.tg_flows__after_update();

create function private.tg_flows__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- A user's deletion deletes everything of theirs: the user's row is gone by the time the cascade reaches this flow.
  if exists (select from auth.users as u where u.id = old.user_id)
    and exists (select from public.flow_deployments as d where d.entrypoint = old.id)
  then
    perform private.fail(409, 'flow_has_deployments', format('Flow %s has deployments, so it can''t be deleted.', old.id),
      hint => 'Delete its deployments first.');
  end if;
  return old;
end;
$$;
comment on function private.tg_flows__before_delete() is
  'Refuses to delete a flow that has deployments. Definer, since users can''t read auth.users.';
create trigger _100_refuse_deployed before delete on public.flows
  for each row execute function private.tg_flows__before_delete();

create function private.tg_flows__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- A foreign key would delete runs of called flows too. Such a run stays as long as its parent run, whatever happens to its flow.
  delete from public.flow_run as r where r.flow_id = old.id and r.parent_flow_run_id is null;
  return null;
end;
$$;
comment on function private.tg_flows__after_delete() is
  'Deletes the runs of a deleted flow. Definer, since no role may delete runs directly.';
create trigger _100_delete_runs after delete on public.flows
  for each row execute function private.tg_flows__after_delete();

-- sql/30_flows/70_flow_snapshots.sql

create table private.flow_snapshots (
  hash bytea primary key,
  data jsonb not null,
  created_at timestamptz not null default now(),
  constraint flow_snapshots_hash_length check (octet_length(hash) = 32)
);
comment on table private.flow_snapshots is
  'Frozen graphs, which deployments and runs execute whatever happens to the flows. Equal graphs are stored once. Never updated.';
comment on column private.flow_snapshots.hash is 'SHA-256 of the text of data.';
comment on column private.flow_snapshots.data is
  '{entry: graph, flows: {"<flow id>": graph}}: the flow itself and those that it reaches through interflow nodes; a graph is {nodes, edges, environment, instructions_bundling}.';

-- Reduced graphs are built as text, with the members in the order in which jsonb prints them. Building jsonb would copy each value
-- once for every level around it. And the text of the jsonb is what is hashed.

create function private.reduce_nodes(nodes jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return (
    select format('[%s]', string_agg(format(
      '{"id": %s, "data": {"type": %s, "node_id": %s, "sources": [%s], "targets": [%s]%s, "targets_form": {%s"form_data": %s}%s}}',
      node -> 'id', d.data -> 'type', d.data -> 'node_id',
      (
        select string_agg(format(
          '{"id": %s, "name": %s%s%s}', port -> 'id', port -> 'name',
          ', "type": ' || (port -> 'type')::text, ', "optional": ' || (port -> 'optional')::text
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'sources') with ordinality as p (port, position)
      ),
      (
        select string_agg(format(
          '{"id": %s, "name": %s, "required": %s, "passthrough": %s, "type_bounds": %s}',
          port -> 'id', port -> 'name', port -> 'required', port -> 'passthrough', port -> 'type_bounds'
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'targets') with ordinality as p (port, position)
      ),
      ', "display_name": ' || (d.data -> 'display_name')::text,
      '"extra": ' || (d.data -> 'targets_form' -> 'extra')::text || ', ',
      d.data -> 'targets_form' -> 'form_data',
      ', "instruction_info": ' || (d.data -> 'instruction_info')::text
    ), ', ' order by n.position))
    from jsonb_array_elements(reduce_nodes.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
  );
end;
$$;
comment on function private.reduce_nodes(jsonb) is
  'The nodes of a flow without what only the editor needs (places, sizes, colours, forms), in the same order, as the text of jsonb. The nodes must have no faults.';

create function private.reduce_edges(edges jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return (
    select format('[%s]', string_agg(format(
      '{%s"target": %s%s%s}', '"source": ' || (edge -> 'source')::text || ', ', edge -> 'target',
      ', "sourceHandle": ' || (edge -> 'sourceHandle')::text, ', "targetHandle": ' || (edge -> 'targetHandle')::text
    ), ', ' order by position))
    from jsonb_array_elements(reduce_edges.edges) with ordinality as e (edge, position)
  );
end;
$$;
comment on function private.reduce_edges(jsonb) is
  'The edges of a flow without what only the editor needs, in the same order, as the text of jsonb. Every edge must lead to a node.';

create function private.interflow_references(nodes jsonb)
returns table (node_index integer, id integer)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query
  select
    (position - 1)::integer,
    case when node #>> '{data,targets_form,form_data,id}' ~ '^[0-9]{1,10}$'
      and pg_input_is_valid(node #>> '{data,targets_form,form_data,id}', 'integer')
      then (node #>> '{data,targets_form,form_data,id}')::integer
    end
  from jsonb_array_elements(interflow_references.nodes) with ordinality as n (node, position)
  where node #>> '{data,type}' = 'native' and node #>> '{data,node_id}' in ('interflow', 'interflow_instructions');
end;
$$;
comment on function private.interflow_references(jsonb) is
  'The flows that a graph calls, with the index of the node that names each. The id is null where a node names no integer.';

create function private.take_snapshot(entry public.flows)
returns bytea
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_flow public.flows := take_snapshot.entry;
  v_reached integer[] := array[take_snapshot.entry.id];
  v_called integer[];
  v_position integer := 1;
  v_ids integer[] := '{}';
  v_graphs text[] := '{}';
  v_max_size constant integer := 16777216;
  v_size integer := 0;
  v_is_entry_called boolean := false;
  v_findings jsonb := '[]';
  v_data text;
  v_hash bytea;
begin
  -- The flow itself, then every flow that it reaches through interflow nodes; a flow may call itself, directly or in a ring.
  <<flows>>
  loop
    -- Adding an empty array changes nothing but unpacks the graph, which each function below would do several times.
    v_flow.nodes := v_flow.nodes || '[]';
    v_flow.edges := v_flow.edges || '[]';
    v_findings := v_findings || coalesce((
      select jsonb_agg(jsonb_build_object('flow_id', v_flow.id) || finding)
      from jsonb_array_elements(
        private.flow_findings(v_flow.nodes, v_flow.edges) || private.environment_findings(v_flow.environment, v_flow.user_id)
      ) as finding
    ), '[]');
    if v_findings = '[]' then
      v_ids := v_ids || v_flow.id;
      v_graphs := v_graphs || format(
        '{"edges": %s, "nodes": %s, "environment": %s, "instructions_bundling": %s}', private.reduce_edges(v_flow.edges),
        private.reduce_nodes(v_flow.nodes), v_flow.environment, to_jsonb(v_flow.instructions_bundling)
      );
    end if;

    select
      v_findings || coalesce(jsonb_agg(jsonb_build_object(
        'flow_id', v_flow.id, 'code', 'interflow_flow_unknown', 'message', 'you have no flow with this id',
        'path', format('nodes[%s].data.targets_form.form_data.id', r.node_index)
      ) order by r.node_index) filter (where f.id is null), '[]'),
      array_agg(distinct f.id) filter (where f.id is not null)
    into v_findings, v_called
    from private.interflow_references(v_flow.nodes) as r
    left join public.flows as f on f.id = r.id and f.user_id = take_snapshot.entry.user_id;
    -- Here and not in the query, which would then be planned each time.
    if v_called is not null then
      v_reached := v_reached || array(select c.id from unnest(v_called) as c (id) where c.id <> all (v_reached));
      v_is_entry_called := v_is_entry_called or take_snapshot.entry.id = any (v_called);
    end if;

    loop
      exit flows when v_position = cardinality(v_reached);
      v_position := v_position + 1;
      select f.* into v_flow
      from public.flows as f where f.id = v_reached[v_position] and f.user_id = take_snapshot.entry.user_id;
      -- The flow was deleted after it was found. A run that calls it fails there and says so.
      exit when found;
    end loop;
    if v_findings = '[]' then
      v_size := v_size + octet_length(v_graphs[cardinality(v_graphs)]);
    end if;
    -- The flow is refused already, whatever the remaining flows hold.
    exit when v_size > v_max_size or jsonb_array_length(v_findings) > 1000;
  end loop;

  if v_findings = '[]' then
    v_data := format('{"entry": %s, "flows": {%s}}', v_graphs[1], (
      -- An entry that is called by its id is one of the called flows too.
      select string_agg(format('"%s": %s', reached.id, reached.graph), ', ' order by reached.id)
      from unnest(v_ids, v_graphs) as reached (id, graph) where reached.id <> take_snapshot.entry.id or v_is_entry_called
    ));
    if octet_length(v_data) > v_max_size then
      v_findings := jsonb_build_array(jsonb_build_object(
        'flow_id', take_snapshot.entry.id, 'code', 'snapshot_too_large', 'path', 'nodes',
        'message', 'the flow and the flows that it calls are larger than 16 MiB together'
      ));
    end if;
  end if;
  if v_findings <> '[]' then
    perform private.fail(
      422, 'flow_invalid',
      format('The flow can''t run: %s.', v_findings #>> '{0,message}')
        || case when jsonb_array_length(v_findings) > 1000 then ' The details are the first 1,000 findings.' else '' end,
      jsonb_path_query_array(v_findings, '$[0 to 999]')
    );
  end if;
  v_hash := sha256(convert_to(v_data, 'UTF8'));
  loop
    -- The lock keeps the retention job from deleting an equal snapshot that exists before the caller refers to it.
    perform from private.flow_snapshots as s where s.hash = v_hash for key share;
    exit when found;
    insert into private.flow_snapshots (hash, data) values (v_hash, v_data::jsonb) on conflict (hash) do nothing;
    exit when found;
  end loop;
  return v_hash;
end;
$$;
comment on function private.take_snapshot(public.flows) is
  'Freezes a flow as its caller has read it, with all flows that it reaches as they are now, and returns the snapshot''s key. 422 flow_invalid lists what keeps them from running, the first 1,000 findings. Definer, since snapshots are private: callers must check who asks.';

-- sql/30_flows/80_flow_snapshot_warnings.sql

create table private.flow_snapshot_warnings (
  snapshot_hash bytea primary key references private.flow_snapshots (hash) on delete cascade,
  nodes_version bigint not null,
  warnings jsonb not null
);
comment on table private.flow_snapshot_warnings is
  'The warnings about each snapshot. They are stored because a flow is started far more often than it is changed.';
comment on column private.flow_snapshot_warnings.nodes_version is 'The version in private.native_nodes for which they were computed. For another version they are computed again.';
comment on column private.flow_snapshot_warnings.warnings is
  'The first 100 warnings of private.flow_warnings. Those about called flows have a flow_id. Those about the flow itself have none, because equal flows share a snapshot.';

create function private.snapshot_warnings(hash bytea, flow_id integer, strict boolean)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_warnings jsonb;
begin
  select w.warnings into v_warnings
  from private.flow_snapshot_warnings as w
  where w.snapshot_hash = snapshot_warnings.hash and w.nodes_version = v_version;
  if not found then
    select coalesce(jsonb_agg(warning order by graph.flow_id nulls first, warning.position), '[]') into v_warnings
    from (
      select null::integer as flow_id, s.data -> 'entry' as graph from private.flow_snapshots as s where s.hash = snapshot_warnings.hash
      union all
      -- A flow that calls itself is in the snapshot twice, as the entry and as a called flow.
      select f.key::integer, f.value
      from private.flow_snapshots as s cross join lateral jsonb_each(s.data -> 'flows') as f
      where s.hash = snapshot_warnings.hash and f.value <> s.data -> 'entry'
    ) as graph
    cross join lateral (
      select w.warning || case when graph.flow_id is null then '{}' else jsonb_build_object('flow_id', graph.flow_id) end as warning, w.position
      from jsonb_array_elements(private.flow_warnings(graph.graph -> 'nodes', graph.graph -> 'edges')) with ordinality as w (warning, position)
    ) as warning;
    v_warnings := jsonb_path_query_array(v_warnings, '$[0 to 99]');
    -- Others who compute them at the same time get the same warnings, so it doesn't matter whose are stored last.
    insert into private.flow_snapshot_warnings as w (snapshot_hash, nodes_version, warnings)
    values (snapshot_warnings.hash, v_version, v_warnings)
    on conflict (snapshot_hash) do update set nodes_version = excluded.nodes_version, warnings = excluded.warnings;
  end if;
  if v_warnings = '[]' then
    return '[]';
  end if;
  v_warnings := (
    select jsonb_agg(jsonb_build_object('flow_id', snapshot_warnings.flow_id) || w.warning order by w.position)
    from jsonb_array_elements(v_warnings) with ordinality as w (warning, position)
  );
  if snapshot_warnings.strict then
    perform private.fail(422, 'flow_invalid', format('The flow has warnings, which strict doesn''t allow: %s.', v_warnings #>> '{0,message}'), v_warnings);
  end if;
  return v_warnings;
end;
$$;
comment on function private.snapshot_warnings(bytea, integer, boolean) is
  'The warnings about a snapshot, as an array of {flow_id, code, path, message}, the first 100. If strict, any warning raises 422 flow_invalid with all of them. Definer, since snapshots are private: callers must check who asks.';

-- sql/30_flows/90_input_names.sql

create function private.input_names(nodes jsonb)
returns text[]
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(array_agg(named.name order by named.position), '{}')
  from (
    select label.name, min(n.position) as position
    from jsonb_array_elements(input_names.nodes) with ordinality as n (node, position)
    cross join lateral (
      select case jsonb_typeof(n.node #> '{data,targets_form,form_data,label}')
        when 'string' then n.node #>> '{data,targets_form,form_data,label}'
        else coalesce(n.node #>> '{data,sources,0,name}', '')
      end as name
    ) as label
    where n.node #>> '{data,type}' = 'native' and n.node #>> '{data,node_id}' = 'flow_input'
    group by label.name
  ) as named;
$$;
comment on function private.input_names(jsonb) is
  'The names of a graph''s inputs, each once, in the order of its nodes: the label of each flow_input, or the name of its output if it has no label, as functions/runner names it. The nodes must have no faults.';

-- sql/40_deployments/10_setting_faults.sql

-- The column of a setting and its check are in 20_flow_deployments.sql. All places of a new one: CONTRIBUTING.md.

-- The functions named *_faults list what is wrong with a deployment's settings, as [{path, message}], for errors clearer than a
-- constraint's. [] if nothing is wrong.

create function private.lamports(amount jsonb)
returns numeric
language plpgsql immutable strict security invoker
set search_path = ''
as $$
declare
  v_text text := lamports.amount #>> '{}';
  v_number numeric;
begin
  if jsonb_typeof(lamports.amount) = 'number' or jsonb_typeof(lamports.amount) = 'string' and v_text ~ '^[0-9]{1,20}$' then
    v_number := v_text::numeric;
  end if;
  -- trunc drops the zeros of a fraction: 1.0 becomes 1.
  return case when v_number = trunc(v_number) and v_number between 0 and 18446744073709551615 then trunc(v_number) end;
end;
$$;
comment on function private.lamports(jsonb) is
  'The integer from 0 to 2^64-1 that a number or a string of digits stands for; null for anything else.';

create function private.is_fees(value jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(is_fees.value) <> 'array' then false
    else not exists (
      select
      from jsonb_array_elements(is_fees.value) as fee
      where case
        when jsonb_typeof(fee) <> 'array' or jsonb_array_length(fee) <> 2 then true
        when jsonb_typeof(fee -> 0) <> 'string' or not private.is_public_key(fee ->> 0) then true
        when jsonb_typeof(fee -> 1) <> 'number' then true
        else (fee ->> 1)::numeric <> trunc((fee ->> 1)::numeric)
          or (fee ->> 1)::numeric not between 0 and 18446744073709551615
      end
    )
  end;
end;
$$;
comment on function private.is_fees(jsonb) is
  'Whether the value is a list of [address, amount] pairs: a base58 public key and an integer of lamports from 0 to 2^64-1.';
grant execute on function private.is_fees(jsonb) to authenticated, service_role;

create function private.fees_faults(fees jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_faults jsonb := '[]';
  v_fee record;
begin
  if jsonb_typeof(fees_faults.fees) is distinct from 'array' then
    return '[{"path": "fees", "message": "takes a list of [address, amount] pairs"}]';
  end if;
  -- A transaction has 1,232 bytes. It needs 168 of them in any case, and 17 for each transfer: room for 62.
  if jsonb_array_length(fees_faults.fees) > 64 then
    return '[{"path": "fees", "message": "takes at most 64 pairs, more than a transaction has room for"}]';
  end if;
  for v_fee in
    select f.pair, format('fees[%s]', f.position - 1) as path from jsonb_array_elements(fees_faults.fees) with ordinality as f (pair, position)
  loop
    if jsonb_typeof(v_fee.pair) <> 'array' then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'takes a pair [address, amount]');
      continue;
    end if;
    if jsonb_array_length(v_fee.pair) <> 2 then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'takes a pair [address, amount]');
      continue;
    end if;
    if jsonb_typeof(v_fee.pair -> 0) <> 'string' or not private.is_public_key(v_fee.pair ->> 0) then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path || '[0]', 'message', 'takes an address, base58 of 32 bytes');
    end if;
    if private.lamports(v_fee.pair -> 1) is null then
      v_faults := v_faults || jsonb_build_object(
        'path', v_fee.path || '[1]', 'message', 'takes lamports, an integer from 0 to 2^64-1, as a number or a string'
      );
    end if;
  end loop;
  return v_faults;
end;
$$;
comment on function private.fees_faults(jsonb) is 'What is wrong with the fees of a deployment.';

create function private.chain_network_faults(chain_network jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if jsonb_typeof(chain_network_faults.chain_network) is distinct from 'object' then
    return '[{"path": "chain_network", "message": "takes an object {url, cluster}"}]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('path', 'chain_network.' || fault.member, 'message', fault.message)), '[]')
    from (
      select 'url', 'takes an http or https address of at most 2048 characters'
      where not private.is_chain_network(chain_network_faults.chain_network || '{"cluster": "devnet"}')
      union all
      select 'cluster', 'takes devnet, testnet or mainnet-beta'
      where not private.is_chain_network(chain_network_faults.chain_network || '{"url": "https://rpc.example.com"}')
      union all
      (
        select private.shorten(m.name), 'there is no such member; the members are url and cluster'
        from jsonb_object_keys(chain_network_faults.chain_network) as m (name)
        where m.name not in ('url', 'cluster') limit 20
      )
    ) as fault (member, message)
  );
end;
$$;
comment on function private.chain_network_faults(jsonb) is 'What is wrong with the chain_network of a deployment, by member; of unknown members the first 20.';

create function private.refuse_faults(code text, faults jsonb)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if refuse_faults.faults <> '[]' then
    perform private.fail(400, refuse_faults.code,
      format('%s: %s.', refuse_faults.faults #>> '{0,path}', refuse_faults.faults #>> '{0,message}'), refuse_faults.faults);
  end if;
end;
$$;
comment on function private.refuse_faults(text, jsonb) is 'Raises 400 with the faults, if there are any: the first as message, all as details.';

-- sql/40_deployments/20_flow_deployments.sql

create table public.flow_deployments (
  id uuid primary key,
  created_at timestamptz not null,
  user_id uuid not null references auth.users (id) on delete cascade,
  entrypoint integer not null,
  snapshot_hash bytea not null references private.flow_snapshots (hash),
  input_names text[] not null default '{}',
  start_permission text not null default 'Owner',
  output_instructions boolean not null default false,
  action_identity text,
  fees jsonb not null default '[]',
  chain_network jsonb not null,
  max_starts_per_minute integer not null default 60000,
  max_runs_in_flight integer not null default 10000,
  constraint flow_deployments_entrypoint_fkey foreign key (entrypoint, user_id) references public.flows (id, user_id) on delete cascade,
  constraint flow_deployments_id_entrypoint_user_id_key unique (id, entrypoint, user_id),
  constraint flow_deployments_start_permission_known check (start_permission in ('Owner', 'Authenticated', 'Anonymous')),
  constraint flow_deployments_action_identity_public_key check (private.is_public_key(action_identity)),
  constraint flow_deployments_fees_valid check (private.is_fees(fees)),
  constraint flow_deployments_chain_network_valid check (private.is_chain_network(chain_network)),
  constraint flow_deployments_max_starts_per_minute_natural check (max_starts_per_minute >= 0),
  constraint flow_deployments_max_runs_in_flight_natural check (max_runs_in_flight >= 0)
);
comment on table public.flow_deployments is
  'Frozen flows. id, created_at, user_id, entrypoint, snapshot_hash and input_names never change; the other columns are the owner''s to customise.';
comment on column public.flow_deployments.id is 'UUID version 7; of two deployments of one flow the newer has the greater id.';
comment on column public.flow_deployments.created_at is 'The time in the id.';
comment on column public.flow_deployments.entrypoint is 'The flow that was deployed.';
comment on column public.flow_deployments.snapshot_hash is 'What was frozen: deployments with the same hash run the same graph.';
comment on column public.flow_deployments.input_names is
  'The names of the inputs that the frozen flow takes; a start that names another one is refused. They are kept here and not with the snapshot, so that a start reads one row.';
comment on column public.flow_deployments.start_permission is
  'Who may start it: Owner, Authenticated (every user who has signed up, which an anonymous sign-in is not) or Anonymous (anybody who shows a public key).';
comment on column public.flow_deployments.output_instructions is 'Put out the transaction instead of sending it.';
comment on column public.flow_deployments.action_identity is 'Public key of the owner''s wallet that signs as action identity.';
comment on column public.flow_deployments.fees is 'List of [address, lamports]: transfers added to the run''s first transaction.';
comment on column public.flow_deployments.chain_network is 'The Solana network of its runs: {url, cluster}.';
comment on column public.flow_deployments.max_starts_per_minute is
  'How often all callers other than the owner together may start it in a calendar minute; 0: not at all. The owner is not limited.';
comment on column public.flow_deployments.max_runs_in_flight is
  'How many runs started by callers other than the owner may be under way at a time; 0: none. The owner is not limited.';

create index flow_deployments_entrypoint_id_idx on public.flow_deployments (entrypoint, user_id, id desc);
create index flow_deployments_user_id_idx on public.flow_deployments (user_id);
create index flow_deployments_snapshot_hash_idx on public.flow_deployments (snapshot_hash);

alter table public.flow_deployments enable row level security;
create policy flow_deployments_select_owner on public.flow_deployments for select to authenticated
  using (user_id = (select auth.uid()));
create policy flow_deployments_update_owner on public.flow_deployments for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flow_deployments_delete_owner on public.flow_deployments for delete to authenticated
  using (user_id = (select auth.uid()));

-- No insert: a deployment is made by deploy_flow, which freezes the flow.
grant select, update, delete on public.flow_deployments to authenticated;
grant select, update, delete on public.flow_deployments to service_role;

create function private.tg_flow_deployments__before_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Deploys and deletes of one flow go one after another; starts, which only read, don't wait for them.
  perform from public.flows as f where f.id = new.entrypoint for no key update;
  new.id := private.uuid_v7_after((
    select d.id from public.flow_deployments as d
    where d.entrypoint = new.entrypoint and d.user_id = new.user_id
    order by d.id desc limit 1
  ));
  new.created_at := private.uuid_v7_time(new.id);
  new.input_names := private.input_names(
    (select s.data #> '{entry,nodes}' from private.flow_snapshots as s where s.hash = new.snapshot_hash)
  );
  return new;
end;
$$;
comment on function private.tg_flow_deployments__before_insert() is
  'Gives the deployment an id greater than those of the flow''s other deployments, under a lock of the flow, and the names of its inputs. Definer: it must see all of them, and the snapshot.';
create trigger _100_assign_id before insert on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_insert();

create trigger _800_check_quota after insert on public.flow_deployments
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('deployments', 'deployment_bytes');

create function private.tg_flow_deployments__before_update()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (new.id, new.created_at, new.user_id, new.entrypoint, new.snapshot_hash, new.input_names)
    is distinct from (old.id, old.created_at, old.user_id, old.entrypoint, old.snapshot_hash, old.input_names)
  then
    perform private.fail(400, 'column_read_only',
      'id, created_at, user_id, entrypoint, snapshot_hash and input_names of a deployment can''t be changed.',
      hint => 'Deploy the flow again for a new deployment.');
  end if;
  return new;
end;
$$;
comment on function private.tg_flow_deployments__before_update() is 'Refuses changes of a deployment''s read-only columns.';
create trigger _100_refuse_read_only before update on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_update();

create function private.tg_flow_deployments__before_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.start_permission is distinct from old.start_permission
    and coalesce(new.start_permission not in ('Owner', 'Authenticated', 'Anonymous'), true)
  then
    perform private.refuse_faults('start_permission_invalid',
      '[{"path": "start_permission", "message": "takes Owner, Authenticated or Anonymous"}]');
  end if;

  if coalesce(new.max_starts_per_minute < 0, true) then
    perform private.refuse_faults('max_starts_per_minute_invalid',
      '[{"path": "max_starts_per_minute", "message": "takes an integer from 0 to 2^31-1"}]');
  end if;
  if coalesce(new.max_runs_in_flight < 0, true) then
    perform private.refuse_faults('max_runs_in_flight_invalid',
      '[{"path": "max_runs_in_flight", "message": "takes an integer from 0 to 2^31-1"}]');
  end if;

  if tg_op = 'INSERT' then
    -- The chain_network of the flow may have more members.
    new.chain_network := jsonb_build_object('url', new.chain_network -> 'url', 'cluster', new.chain_network -> 'cluster');
  end if;
  if new.chain_network is distinct from old.chain_network then
    perform private.refuse_faults('chain_network_invalid', private.chain_network_faults(new.chain_network));
  end if;

  -- Compared as text, in which 1.0 differs from 1: it is to be stored as 1.
  if new.fees::text is distinct from old.fees::text then
    perform private.refuse_faults('fees_invalid', private.fees_faults(new.fees));
    select coalesce(jsonb_agg(jsonb_build_array(f.pair -> 0, private.lamports(f.pair -> 1)) order by f.position), '[]')
    into new.fees
    from jsonb_array_elements(new.fees) with ordinality as f (pair, position);
  end if;

  if new.action_identity is distinct from old.action_identity and new.action_identity is not null then
    if not private.is_public_key(new.action_identity) then
      perform private.refuse_faults('action_identity_invalid',
        '[{"path": "action_identity", "message": "takes a public key, base58 of 32 bytes, or null"}]');
    end if;
    -- For share: nobody deletes the wallet or makes it an ADAPTER until this is stored; who tries waits and then sees the deployment.
    perform from public.wallets as w
    where w.user_id = new.user_id and w.public_key = new.action_identity and w.type = 'HARDCODED'
    for share;
    if not found then
      perform private.fail(400, 'action_identity_without_wallet',
        'action_identity must be the public key of a HARDCODED wallet of the deployment''s owner.',
        '[{"path": "action_identity", "message": "there is no HARDCODED wallet of this public key"}]',
        'POST /wallets/upsert stores a wallet with its key pair.');
    end if;
  end if;
  return new;
end;
$$;
comment on function private.tg_flow_deployments__before_write() is
  'Refuses settings that are invalid, naming what is wrong, and stores amounts of fees as integers. Definer: it locks the owner''s wallet, whoever writes.';
create trigger _200_check_settings before insert or update on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_write();

-- sql/40_deployments/30_flow_deployments_tags.sql

create table public.flow_deployments_tags (
  user_id uuid not null default auth.uid(),
  entrypoint integer not null,
  tag text not null,
  deployment_id uuid not null,
  description text,
  primary key (entrypoint, tag),
  constraint flow_deployments_tags_entrypoint_fkey foreign key (entrypoint, user_id)
    references public.flows (id, user_id) on delete cascade,
  constraint flow_deployments_tags_deployment_id_fkey foreign key (deployment_id, entrypoint, user_id)
    references public.flow_deployments (id, entrypoint, user_id) on delete cascade,
  constraint flow_deployments_tags_tag_form check (tag ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
  constraint flow_deployments_tags_description_length check (char_length(description) <= 2000)
);
comment on table public.flow_deployments_tags is
  'Names for deployments of a flow. latest is kept by triggers and always names the newest; the others are the owner''s.';
comment on column public.flow_deployments_tags.entrypoint is 'The flow; a tag names one of its deployments at a time.';
comment on column public.flow_deployments_tags.description is 'What the owner says of it to people; null if nothing, as on latest until the owner describes it.';
comment on column public.flow_deployments_tags.tag is '1 to 128 letters, digits, dots, underscores and hyphens, a letter or digit first.';

create index flow_deployments_tags_deployment_id_idx on public.flow_deployments_tags (deployment_id, entrypoint, user_id);
create index flow_deployments_tags_user_id_idx on public.flow_deployments_tags (user_id);
create index flow_deployments_tags_entrypoint_user_id_idx on public.flow_deployments_tags (entrypoint, user_id);

-- Who moves a tag: the owner of the flow makes, moves, describes and deletes its tags, by these policies. latest is moved by the
-- triggers of 40_latest.sql, and by nobody else.
alter table public.flow_deployments_tags enable row level security;
create policy flow_deployments_tags_select_owner on public.flow_deployments_tags for select to authenticated
  using (user_id = (select auth.uid()));
-- Asks whose flow it is, since a violation of the primary key would otherwise tell which tags the flows of others have.
create policy flow_deployments_tags_insert_owner on public.flow_deployments_tags for insert to authenticated
  with check (
    user_id = (select auth.uid())
    and exists (select from public.flows as f where f.id = entrypoint and f.user_id = (select auth.uid()))
  );
create policy flow_deployments_tags_update_owner on public.flow_deployments_tags for update to authenticated
  using (user_id = (select auth.uid()))
  with check (
    user_id = (select auth.uid())
    and exists (select from public.flows as f where f.id = entrypoint and f.user_id = (select auth.uid()))
  );
create policy flow_deployments_tags_delete_owner on public.flow_deployments_tags for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.flow_deployments_tags to authenticated;
grant select, insert, update, delete on public.flow_deployments_tags to service_role;

create trigger _800_check_quota after insert on public.flow_deployments_tags
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('tags');

-- sql/40_deployments/40_latest.sql

-- What moves the tag latest: a deploy moves it to the new deployment, the deletion of the newest deployment moves it back to the newest
-- of the others. Nobody moves or deletes it by hand.

create function private.tg_flow_deployments__after_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into public.flow_deployments_tags as t (user_id, entrypoint, tag, deployment_id)
  values (new.user_id, new.entrypoint, 'latest', new.id)
  on conflict (entrypoint, tag) do update set deployment_id = excluded.deployment_id
  where t.deployment_id < excluded.deployment_id;
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_insert() is
  'Moves latest to the new deployment; its description stays. Definer: nobody else may move latest.';
create trigger _100_move_latest after insert on public.flow_deployments
  for each row execute function private.tg_flow_deployments__after_insert();

create function private.tg_flow_deployments__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_previous uuid;
begin
  perform from public.flows as f where f.id = old.entrypoint for no key update;
  -- Before the foreign key acts, which deletes the tags that still point here. (An AFTER trigger would come too late: a deploy
  -- that waited for this one's locks could have moved latest in between.)
  select d.id into v_previous
  from public.flow_deployments as d
  where d.entrypoint = old.entrypoint and d.user_id = old.user_id and d.id <> old.id
  order by d.id desc limit 1
  -- One that is being deleted, and waits for this lock, is passed over: to wait for it would be a deadlock.
  for key share skip locked;
  if v_previous is not null then
    update public.flow_deployments_tags as t set deployment_id = v_previous
    where t.entrypoint = old.entrypoint and t.tag = 'latest' and t.deployment_id = old.id;
  end if;
  return old;
end;
$$;
comment on function private.tg_flow_deployments__before_delete() is
  'Moves latest to the newest of the other deployments, under a lock of the flow. Definer: nobody else may move latest.';
create trigger _100_move_latest_back before delete on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_delete();

create function private.refuse_latest()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(409, 'tag_latest_protected', 'The tag latest always names the newest deployment: it can''t be set, moved, renamed or deleted.',
    hint => 'Use a tag of your own. The description of latest may be changed.');
end;
$$;
comment on function private.refuse_latest() is 'Raises the refusal of everybody who changes the tag latest by hand: 409 tag_latest_protected.';
grant execute on function private.refuse_latest() to authenticated, service_role;

create function private.tg_flow_deployments_tags__before_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- A deeper call comes from the triggers and foreign keys of deployments, which keep latest.
  if pg_trigger_depth() > 1 then
    return coalesce(new, old);
  end if;
  case tg_op
    when 'INSERT' then
      -- An upsert that describes latest comes here as an insert first. It names the deployment that latest already names.
      if new.tag = 'latest' and not exists (
        select from public.flow_deployments_tags as t
        where t.entrypoint = new.entrypoint and t.tag = 'latest' and t.deployment_id = new.deployment_id
      ) then
        perform private.refuse_latest();
      end if;
      return new;
    when 'UPDATE' then
      if 'latest' in (old.tag, new.tag)
        and (new.user_id, new.entrypoint, new.tag, new.deployment_id)
          is distinct from (old.user_id, old.entrypoint, old.tag, old.deployment_id)
      then
        perform private.refuse_latest();
      end if;
      return new;
    else
      if old.tag = 'latest' then
        perform private.refuse_latest();
      end if;
      return old;
  end case;
end;
$$;
comment on function private.tg_flow_deployments_tags__before_write() is 'Keeps everybody, the service role included, from setting, moving or deleting latest.';
create trigger _100_protect_latest before insert or update or delete on public.flow_deployments_tags
  for each row execute function private.tg_flow_deployments_tags__before_write();

-- sql/40_deployments/50_deploy_flow.sql

create function private.deploy_flow(flow_id integer, strict boolean)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_snapshot_hash bytea;
  v_warnings jsonb;
  v_deployment_id uuid;
begin
  select * into v_flow from public.flows as f
  where f.id = deploy_flow.flow_id and f.user_id = v_user_id
  for no key update;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;

  v_snapshot_hash := private.take_snapshot(v_flow);
  v_warnings := private.snapshot_warnings(v_snapshot_hash, v_flow.id, deploy_flow.strict);
  insert into public.flow_deployments (user_id, entrypoint, snapshot_hash, start_permission, chain_network)
  values (
    v_user_id, v_flow.id, v_snapshot_hash,
    case
      when v_flow.is_public and v_flow.start_shared and v_flow.start_unverified then 'Anonymous'
      when v_flow.is_public and v_flow.start_shared then 'Authenticated'
      else 'Owner'
    end,
    v_flow.chain_network
  )
  returning id into v_deployment_id;
  return jsonb_build_object('deployment_id', v_deployment_id, 'warnings', v_warnings);
end;
$$;
comment on function private.deploy_flow(integer, boolean) is
  'Does what public.deploy_flow says. Definer: snapshots are private, and deployments are inserted nowhere else.';
grant execute on function private.deploy_flow(integer, boolean) to anon, authenticated, service_role;

create function public.deploy_flow(flow_id integer, strict boolean default false)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.deploy_flow(deploy_flow.flow_id, deploy_flow.strict);
end;
$$;
comment on function public.deploy_flow(integer, boolean) is
  'Freezes the caller''s flow, as it is now, into a new deployment, and returns {deployment_id, warnings}: what will make a run fail, the first 100 as {flow_id, code, path, message}. 401 unauthenticated or token_invalid; 404 flow_not_found, also for somebody else''s flow; 409 quota_exceeded; 422 flow_invalid with the first 1,000 findings, and if strict with the warnings.';
grant execute on function public.deploy_flow(integer, boolean) to anon, authenticated, service_role;

-- sql/50_runs/10_flow_run.sql

create function private.is_run_consistent(
  status text, start_time timestamptz, end_time timestamptz, output jsonb, errors text[],
  parent_flow_run_id uuid, parent_node_id uuid, parent_times integer, deployment_id uuid
)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if num_nonnulls(is_run_consistent.parent_flow_run_id, is_run_consistent.parent_node_id, is_run_consistent.parent_times) not in (0, 3)
    or num_nonnulls(is_run_consistent.parent_flow_run_id, is_run_consistent.deployment_id) > 1
  then
    return false;
  end if;
  case is_run_consistent.status
    when 'queued' then
      return num_nonnulls(is_run_consistent.start_time, is_run_consistent.end_time, is_run_consistent.output, is_run_consistent.errors) = 0;
    when 'running', 'waiting' then
      return is_run_consistent.start_time is not null
        and num_nonnulls(is_run_consistent.end_time, is_run_consistent.output, is_run_consistent.errors) = 0;
    when 'succeeded' then
      return is_run_consistent.start_time is not null and is_run_consistent.end_time is not null and is_run_consistent.errors is null;
    when 'failed' then
      return is_run_consistent.end_time is not null and coalesce(cardinality(is_run_consistent.errors) > 0, false);
    when 'stopped' then
      return is_run_consistent.end_time is not null and coalesce(cardinality(is_run_consistent.errors) > 0, true);
    else return false;
  end case;
end;
$$;
comment on function private.is_run_consistent(text, timestamptz, timestamptz, jsonb, text[], uuid, uuid, integer, uuid) is
  'Whether a run may have this status with these times, output and errors, and this place among others: a called run has a parent, its node and times, and no deployment. This is a function because each statement reads and plans the expression of a check constraint anew, which would cost a start more than all its indexes.';

create table public.flow_run (
  id uuid primary key default private.uuid_v7(),
  user_id uuid not null,
  flow_id integer not null,
  deployment_id uuid,
  status text not null default 'queued',
  started_by uuid,
  started_by_public_key text,
  inputs jsonb not null,
  output jsonb,
  errors text[],
  not_run uuid[],
  created_at timestamptz not null default clock_timestamp(),
  start_time timestamptz,
  end_time timestamptz,
  parent_flow_run_id uuid references public.flow_run (id) on delete cascade,
  parent_node_id uuid,
  parent_times integer,
  output_instructions boolean not null default false,
  action_identity text,
  action_signer text,
  fees jsonb not null default '[]',
  chain_network jsonb not null,
  -- The first line spares a start the call.
  constraint flow_run_consistent check (
    status = 'queued' and num_nonnulls(start_time, end_time, output, errors, parent_flow_run_id, parent_node_id, parent_times) = 0
    or private.is_run_consistent(
      status, start_time, end_time, output, errors, parent_flow_run_id, parent_node_id, parent_times, deployment_id
    )
  )
) with (fillfactor = 70);
comment on table public.flow_run is
  'Runs of flows: written by functions only. The owner of the flow reads them all. Who started a run reads that run, but not the runs that it called; called_flow_runs tells how those stand. A run''s settings are copies of a deployment''s, which has checked them.';
comment on column public.flow_run.user_id is
  'The owner of the flow. No foreign key, which every start would pay for: runs go with their flow, and flows with their owner.';
comment on column public.flow_run.deployment_id is
  'The deployment that was started; null for a normal run and for an interflow child. Kept when the deployment is deleted, so it carries no foreign key.';
comment on column public.flow_run.started_by is
  'The user who started it; null for a caller with a public key only, and once the user is deleted. No foreign key: a start locks the user itself.';
comment on column public.flow_run.started_by_public_key is 'The public key that an unauthenticated caller showed: a claim, no proof.';
comment on column public.flow_run.inputs is 'One value, {"M": {…}}: the inputs of the start.';
comment on column public.flow_run.output is 'One value, {"M": {…}}, by the labels of the flow''s outputs; null until the run has ended.';
comment on column public.flow_run.errors is 'One line per failed node, "<name> <node id>[#times]: <message>", 100 at most; null when there are none.';
comment on column public.flow_run.not_run is 'Ids of the nodes that never started; null until the run has ended.';
comment on column public.flow_run.created_at is 'The time in the id, which whoever makes the run gives for both.';
comment on column public.flow_run.parent_flow_run_id is 'For an interflow child: the run whose node called it, with parent_node_id and parent_times.';
comment on column public.flow_run.action_signer is 'Public key that signs and sends for the action identity.';
comment on column public.flow_run.chain_network is 'The Solana network of this run, {cluster}; its address is for the runner only.';

create index flow_run_deployment_id_idx on public.flow_run (deployment_id, id desc);
create index flow_run_user_id_idx on public.flow_run (user_id, id desc);
create index flow_run_flow_id_idx on public.flow_run (flow_id, id desc);
create index flow_run_started_by_idx on public.flow_run (started_by, id desc) where started_by is not null;
create index flow_run_parent_flow_run_id_idx on public.flow_run (parent_flow_run_id) where parent_flow_run_id is not null;
-- Claims and ends change no indexed column, so both are heap-only updates, for which fillfactor leaves room in the pages.

create function private.tg_users__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  loop
    update public.flow_run as r set started_by = null where r.started_by = old.id;
    -- The update may have waited for a run that called others meanwhile, and these name its starter too.
    exit when not found;
  end loop;
  update public.signature_requests as s set user_id = null where s.user_id = old.id;
  return null;
end;
$$;
comment on function private.tg_users__after_delete() is
  'Runs of others'' flows that a deleted user started, and what they asked the user for, name nobody any more. Definer: who deletes users has no part in runs.';
create trigger _500_forget_starter after delete on auth.users
  for each row execute function private.tg_users__after_delete();

grant select on public.flow_run to anon, authenticated;
grant select on public.flow_run to service_role;

create function public.deployment(flow_run public.flow_run)
returns setof public.flow_deployments
rows 1
language sql stable security invoker
set search_path = ''
as $$
  select d.* from public.flow_deployments as d where d.id = deployment.flow_run.deployment_id;
$$;
comment on function public.deployment(public.flow_run) is
  'The deployment that a run was started from, for embedding: select=*,deployment(*). Empty when it has been deleted.';
grant execute on function public.deployment(public.flow_run) to authenticated, service_role;

-- sql/50_runs/11_may_see_run.sql

create function private.may_see_run(run public.flow_run, caller private.caller)
returns boolean
language sql immutable security invoker
begin atomic
  select coalesce(
    -- The owner of the flow.
    may_see_run.run.user_id = may_see_run.caller.user_id
    -- A run that an interflow node called is the owner's only: its inputs and output are made of the owner's constants.
    or may_see_run.run.parent_flow_run_id is null and (
      -- Who started it.
      may_see_run.run.started_by = may_see_run.caller.user_id
      -- The holder of its token.
      or may_see_run.run.id = may_see_run.caller.run_id
    ),
    false
  );
end;
comment on function private.may_see_run(public.flow_run, private.caller) is
  'Who sees a run: the owner of its flow; and if no other run called it, also who started it and the holder of its token. The policies of flow_run say the same in words that the planner finds an index for; a test compares the two.';

alter table public.flow_run enable row level security;
-- The rule of private.may_see_run, written out: the planner takes no function apart that uses a sub-select twice, and would read all runs.
create policy flow_run_select_owner_starter_token on public.flow_run for select to authenticated
  using (
    user_id = (select auth.uid())
    or parent_flow_run_id is null and (started_by = (select auth.uid()) or id = (select private.token_run_id()))
  );
create policy flow_run_select_token on public.flow_run for select to anon
  using (parent_flow_run_id is null and id = (select private.token_run_id()));

-- sql/50_runs/20_node_run.sql

create table public.node_run (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  user_id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz,
  input jsonb not null,
  output jsonb,
  errors text[],
  primary key (flow_run_id, node_id, times),
  constraint node_run_times_natural check (times >= 0),
  constraint node_run_errors_not_empty check (cardinality(errors) > 0)
);
comment on table public.node_run is
  'Executions of nodes: one row per run, node and iteration. Read by the flow''s owner only, since it shows the flow''s constants.';
comment on column public.node_run.times is '0 for the first execution; counts up inside a loop.';
comment on column public.node_run.user_id is
  'The owner of the flow, repeated from flow_run so that the policy needs no join; no foreign key, since the run''s own row carries it.';
comment on column public.node_run.input is 'One value, {"M": {…}}: the inputs by name.';
comment on column public.node_run.output is 'One value, {"M": {…}}; null when the node failed before any output.';

alter table public.node_run enable row level security;
create policy node_run_select_owner on public.node_run for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.node_run to authenticated;
grant select on public.node_run to service_role;

-- sql/50_runs/30_flow_run_logs.sql

create table public.flow_run_logs (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  log_index integer not null,
  user_id uuid not null,
  node_id uuid,
  times integer,
  time timestamptz not null,
  log_level text not null,
  module text,
  content text not null,
  primary key (flow_run_id, log_index),
  constraint flow_run_logs_log_index_natural check (log_index >= 0),
  constraint flow_run_logs_log_level_known check (log_level in ('Trace', 'Debug', 'Info', 'Warn', 'Error')),
  constraint flow_run_logs_node_complete check ((node_id is null) = (times is null))
);
comment on table public.flow_run_logs is 'What a run and its nodes logged, in order. Read by the flow''s owner only.';
comment on column public.flow_run_logs.log_index is 'Counts from 0 within a run.';
comment on column public.flow_run_logs.user_id is 'The owner of the flow, repeated from flow_run so that the policy needs no join.';
comment on column public.flow_run_logs.node_id is 'The node, with times; null for a line of the run itself.';

alter table public.flow_run_logs enable row level security;
create policy flow_run_logs_select_owner on public.flow_run_logs for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.flow_run_logs to authenticated;
grant select on public.flow_run_logs to service_role;

-- sql/50_runs/40_run_for_caller.sql

create function private.run_for_caller(flow_run_id uuid)
returns public.flow_run
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.require_caller();
  v_run public.flow_run;
begin
  select r.* into v_run from public.flow_run as r
  where r.id = run_for_caller.flow_run_id and private.may_see_run(r, v_caller);
  if not found then
    perform private.fail(404, 'flow_run_not_found', 'There is no such run.');
  end if;
  return v_run;
end;
$$;
comment on function private.run_for_caller(uuid) is
  'The run, if private.may_see_run lets the caller see it; for everybody else it does not exist: 404 flow_run_not_found. Definer: the rule, not the policies, decides here.';

create function private.root_run_id(flow_run_id uuid)
returns uuid
language sql stable security definer
set search_path = ''
as $$
  with recursive ancestor as (
    select r.id, r.parent_flow_run_id from public.flow_run as r where r.id = root_run_id.flow_run_id
    union all
    select r.id, r.parent_flow_run_id from ancestor join public.flow_run as r on r.id = ancestor.parent_flow_run_id
  )
  select ancestor.id from ancestor where ancestor.parent_flow_run_id is null;
$$;
comment on function private.root_run_id(uuid) is 'The run at the root of a run''s tree: itself, unless an interflow node started it. Definer: for callers that are checked by the root.';

create function private.root_run_for_caller(flow_run_id uuid)
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (private.run_for_caller(private.root_run_id(root_run_for_caller.flow_run_id))).id;
end;
$$;
comment on function private.root_run_for_caller(uuid) is
  'The run at the root of a run''s tree, if the caller may see that root: what concerns the whole tree may be asked by the id of any of its runs. 401; 404 flow_run_not_found. Definer, as private.run_for_caller is.';

-- sql/50_runs/50_flow_run_result.sql

create function private.flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.run_for_caller(flow_run_result.flow_run_id);
begin
  return jsonb_build_object(
    'status', v_run.status, 'output', v_run.output, 'errors', to_jsonb(v_run.errors),
    'is_overdue', v_run.end_time is null and private.has_claimable_run(interval '2 seconds')
  );
end;
$$;
comment on function private.flow_run_result(uuid) is 'Does what public.flow_run_result says. Definer, as private.run_for_caller is.';
grant execute on function private.flow_run_result(uuid) to anon, authenticated, service_role;

create function public.flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return private.flow_run_result(flow_run_result.flow_run_id);
end;
$$;
comment on function public.flow_run_result(uuid) is
  'How a run stands, {status, output, errors, is_overdue}, for its owner, who started it, and the holder of its token. is_overdue: it has not ended, and some run has been queued for 2 seconds, so that the runner needs a poke. 401; 404 flow_run_not_found.';
grant execute on function public.flow_run_result(uuid) to anon, authenticated, service_role;

create function private.await_flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_result jsonb := private.flow_run_result(await_flow_run_result.flow_run_id);
  v_began timestamptz := clock_timestamp();
  v_waited double precision;
begin
  -- Whoever waits here holds a connection, of which PostgREST has ten by default, and starts need them: two wait at a time.
  if v_result ->> 'output' is not null
    or not pg_try_advisory_xact_lock(hashtext('private.await_flow_run_result'), 1)
    and not pg_try_advisory_xact_lock(hashtext('private.await_flow_run_result'), 2)
  then
    return v_result;
  end if;
  loop
    v_waited := date_part('epoch', clock_timestamp() - v_began);
    exit when v_waited >= 0.04;
    perform from public.flow_run as r where r.id = await_flow_run_result.flow_run_id and r.end_time is null;
    exit when not found;
    -- The pauses grow: the answer is late by a millisecond, or by a tenth of the time waited.
    perform pg_sleep(greatest(v_waited / 10, 0.001));
  end loop;
  return private.flow_run_result(await_flow_run_result.flow_run_id);
end;
$$;
comment on function private.await_flow_run_result(uuid) is
  'Does what public.await_flow_run_result says. Definer, as private.run_for_caller is.';
grant execute on function private.await_flow_run_result(uuid) to anon, authenticated, service_role;

create function public.await_flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.await_flow_run_result(await_flow_run_result.flow_run_id);
end;
$$;
comment on function public.await_flow_run_result(uuid) is
  'As flow_run_result, as soon as the run has ended, or after 40 milliseconds; at once if two others already wait like that. Most runs of a few nodes end in that time. 401; 404 flow_run_not_found.';
grant execute on function public.await_flow_run_result(uuid) to anon, authenticated, service_role;

-- sql/50_runs/60_stop_flow_run.sql

create function private.stop_flow_run(flow_run_id uuid, reason text, timeout_millies integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id uuid := private.root_run_for_caller(stop_flow_run.flow_run_id);
  v_job private.flow_run_jobs;
begin
  if stop_flow_run.timeout_millies not between 0 and 300000 then
    perform private.fail(400, 'request_invalid', 'timeout_millies must be an integer from 0 to 300000.');
  end if;
  if char_length(stop_flow_run.reason) > 1000 then
    perform private.fail(400, 'request_invalid', 'reason must have at most 1000 characters.');
  end if;
  -- Claims take this lock too, and take it first: either the run has not begun yet, or its worker will read the request to stop.
  perform from public.flow_run as r where r.id = v_run_id for no key update;
  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = v_run_id;
  if v_job.message_id is null then
    return;
  elsif v_job.attempt = 0 then
    perform private.end_flow_run(v_run_id, 'stopped', null, null, null);
  else
    update private.flow_run_jobs as j
    set stop_requested_at = clock_timestamp(), stop_reason = stop_flow_run.reason, stop_timeout_millies = stop_flow_run.timeout_millies
    where j.flow_run_id = v_run_id and j.stop_requested_at is null;
    if not v_job.is_held then
      -- No worker holds it now, and it may sleep until a later time.
      perform private.wake_flow_run(v_run_id);
    end if;
  end if;
end;
$$;
comment on function private.stop_flow_run(uuid, text, integer) is 'Does what public.stop_flow_run says. Definer: jobs are private, and nobody else ends runs.';
grant execute on function private.stop_flow_run(uuid, text, integer) to anon, authenticated, service_role;

create function public.stop_flow_run(flow_run_id uuid, reason text default null, timeout_millies integer default 0)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.stop_flow_run(stop_flow_run.flow_run_id, stop_flow_run.reason, stop_flow_run.timeout_millies);
$$;
comment on function public.stop_flow_run(uuid, text, integer) is
  'Asks a run to stop; the first request counts. No new node starts. Nodes under way are told, and are recorded if they end within timeout_millies. A run that has ended stays as it is. A run that an interflow node called stops with the whole tree that it belongs to. 400 request_invalid; 401; 404 flow_run_not_found.';
grant execute on function public.stop_flow_run(uuid, text, integer) to anon, authenticated, service_role;

-- sql/50_runs/70_called_flow_runs.sql

create function private.called_flow_runs(flow_run_id uuid, after uuid)
returns table (
  id uuid, status text, created_at timestamptz, start_time timestamptz, end_time timestamptz,
  parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
)
language plpgsql stable security definer
set search_path = ''
-- A plan that is kept must not be one that was made while the table was empty.
set enable_seqscan = off
as $$
begin
  perform private.root_run_for_caller(called_flow_runs.flow_run_id);
  return query
  select c.id, c.status, c.created_at, c.start_time, c.end_time, c.parent_flow_run_id, c.parent_node_id, c.parent_times
  from (
    select r.* from public.flow_run as r where r.parent_flow_run_id = called_flow_runs.flow_run_id
    -- Without it the planner would read all runs in the order of their ids.
    offset 0
  ) as c
  where c.id > coalesce(called_flow_runs.after, '00000000-0000-0000-0000-000000000000')
  order by c.id
  limit 1000;
end;
$$;
comment on function private.called_flow_runs(uuid, uuid) is
  'Does what public.called_flow_runs says. Definer: called runs are their owner''s only.';
grant execute on function private.called_flow_runs(uuid, uuid) to anon, authenticated, service_role;

create function public.called_flow_runs(flow_run_id uuid, after uuid default null)
returns table (
  id uuid, status text, created_at timestamptz, start_time timestamptz, end_time timestamptz,
  parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
)
language sql stable security invoker
set search_path = ''
as $$
  select * from private.called_flow_runs(called_flow_runs.flow_run_id, called_flow_runs.after);
$$;
comment on function public.called_flow_runs(uuid, uuid) is
  'The status and times of the runs that a run called. For the owner of the flow, for who started the run at the root of the tree, and for the holder of its token. flow_run_id may itself be a called run. At most 1,000, in the order of their ids; after is the last id of the page before. Their inputs, outputs and errors are the owner''s to read, in flow_run. 401; 404 flow_run_not_found.';
grant execute on function public.called_flow_runs(uuid, uuid) to anon, authenticated, service_role;

-- sql/60_starts/10_may_start.sql

create function private.may_start(deployment public.flow_deployments, caller private.caller)
returns boolean
language sql immutable security invoker
begin atomic
  select coalesce(
    -- The owner always may.
    may_start.deployment.user_id = may_start.caller.user_id
    -- Authenticated: every user who has signed up.
    or may_start.deployment.start_permission = 'Authenticated' and may_start.caller.user_id is not null and not may_start.caller.is_anonymous
    -- Anonymous: everybody.
    or may_start.deployment.start_permission = 'Anonymous',
    -- A null deployment fails every comparison.
    false
  );
end;
comment on function private.may_start(public.flow_deployments, private.caller) is
  'Who may start a deployment: its owner always; every user who has signed up if its start_permission is Authenticated; everybody if it is Anonymous. Nobody may start a null deployment, so that a start of it meets the same 404.';

-- sql/60_starts/20_start_limits.sql

create table private.deployment_usage (
  deployment_id uuid not null,
  share text collate "C" not null,
  slot integer not null,
  minute timestamptz not null default '-infinity',
  starts integer not null default 0,
  in_flight integer not null default 0,
  constraint deployment_usage_pkey primary key (deployment_id, share, slot)
) with (fillfactor = 50);
comment on table private.deployment_usage is
  'How much callers other than the owner use a deployment, counted for its limits. The use of a share is the sum over its slots. Each database connection writes the slot of its process id, so that starts do not wait for each other. No foreign key: the rows go when the deletion of the deployment commits.';
comment on column private.deployment_usage.share is
  'Whose use it is: ''all'', ''guests'' (all who have not signed up), or one caller, ''user:<id>'' or ''key:<public key>''. A start counts for each share that its caller belongs to, as private.start_shares says.';
comment on column private.deployment_usage.slot is
  'For starts pg_backend_pid() % 32. For ends -1 - pg_backend_pid() % 32, so that an end never waits for a start.';
comment on column private.deployment_usage.minute is 'The minute whose starts are counted.';
comment on column private.deployment_usage.starts is 'How many runs were started in that minute.';
comment on column private.deployment_usage.in_flight is 'Runs started through this slot less runs ended through it; only the sum over all slots is a number of runs.';

create function private.tg_flow_deployments__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- The end of a run locks several of these rows, in an order of its own. Rows that it has locked stay for the next sweep.
  delete from private.deployment_usage as u
  where u.deployment_id = old.id and (u.share, u.slot) in (
    select free.share, free.slot from private.deployment_usage as free where free.deployment_id = old.id for update skip locked
  );
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_delete() is 'A deleted deployment takes its usage along. Definer: the usage is private.';
-- Deferred: by the time of the commit this transaction waits for no lock that somebody holds who waits for these rows.
create constraint trigger flow_deployments_delete_usage after delete on public.flow_deployments
  deferrable initially deferred
  for each row execute function private.tg_flow_deployments__after_delete();

create function private.start_shares(caller private.caller)
returns text[]
language sql immutable security invoker
begin atomic
  select case
    when start_shares.caller.user_id is null then array['all', 'guests', 'key:' || start_shares.caller.public_key]
    when start_shares.caller.is_anonymous then array['all', 'guests', 'user:' || start_shares.caller.user_id::text]
    else array['all', 'user:' || start_shares.caller.user_id::text]
  end;
end;
comment on function private.start_shares(private.caller) is
  'The shares of a deployment''s limits for which a start counts: that of all callers, that of guests, and the caller''s own. Guests have not signed up: anybody can make up a public key or sign in anonymously, so together they have a share that leaves room for users.';

create function private.share_of_limit(share text, value integer)
returns bigint
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case share_of_limit.share
    when 'all' then share_of_limit.value
    when 'guests' then (share_of_limit.value::bigint + 1) / 2
    else (share_of_limit.value::bigint + 9) / 10
  end;
end;
$$;
comment on function private.share_of_limit(text, integer) is
  'How much of a limit a share may use: all callers the whole, guests together a half, one caller a tenth. Rounded up, so that a limit above 0 leaves everybody at least 1.';

create function private.refuse_start(limit_name text, share text, value bigint, retry_after_seconds integer)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(
    429, 'start_limit_reached',
    format(
      case refuse_start.share
        when 'all' then 'This deployment has reached its %s, %s.'
        when 'guests' then 'Callers who have not signed up have together reached their share of this deployment''s %s, %s.'
        else 'You have reached your share of this deployment''s %s, %s.'
      end,
      refuse_start.limit_name, refuse_start.value
    ),
    jsonb_build_object(
      'limit', refuse_start.limit_name, 'value', refuse_start.value,
      'of', case when refuse_start.share in ('all', 'guests') then refuse_start.share else 'caller' end
    ),
    'Try again after the seconds in Retry-After.',
    jsonb_build_object('Retry-After', refuse_start.retry_after_seconds::text)
  );
end;
$$;
comment on function private.refuse_start(text, text, bigint, integer) is
  'Raises 429 start_limit_reached, which names the limit, the share that is used up, and how much the share is.';

create function private.check_share(deployment public.flow_deployments, share text, minute timestamptz)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_max_starts bigint := private.share_of_limit(check_share.share, check_share.deployment.max_starts_per_minute);
  v_max_runs bigint := private.share_of_limit(check_share.share, check_share.deployment.max_runs_in_flight);
  v_starts bigint;
  v_runs bigint;
begin
  select sum(u.starts) filter (where u.minute = check_share.minute), sum(u.in_flight) into v_starts, v_runs
  from private.deployment_usage as u
  where u.deployment_id = check_share.deployment.id and u.share = check_share.share;

  if v_starts > v_max_starts then
    perform private.refuse_start('max_starts_per_minute', check_share.share, v_max_starts,
      greatest(ceil(extract(epoch from check_share.minute + interval '1 minute' - clock_timestamp())), 1)::integer);
  end if;
  if v_runs > v_max_runs then
    perform private.refuse_start('max_runs_in_flight', check_share.share, v_max_runs, 5);
  end if;
end;
$$;
comment on function private.check_share(public.flow_deployments, text, timestamptz) is
  'Refuses a start, which has been counted already, if its share of the deployment now has more starts of this minute or more runs in flight than it may: 429 start_limit_reached. Definer: the usage is private.';

create function private.count_start(deployment public.flow_deployments, shares text[])
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_minute timestamptz := date_bin('1 minute', clock_timestamp(), 'epoch');
  v_share text;
  v_starts bigint;
  v_runs bigint;
begin
  -- 'all' is the first share of every start: whoever waits for a slot of another share holds that of 'all', so nobody waits in a circle.
  insert into private.deployment_usage as u (deployment_id, share, slot, minute, starts, in_flight)
  select count_start.deployment.id, s.share, pg_backend_pid() % 32, v_minute, 1, 1
  from unnest(count_start.shares) as s (share)
  on conflict on constraint deployment_usage_pkey do update
  set
    minute = greatest(u.minute, excluded.minute), starts = case when u.minute >= excluded.minute then u.starts else 0 end + 1,
    in_flight = u.in_flight + 1;

  -- While all callers together use no more than one caller may, no share is used up. Nearly every start ends its checks here.
  select coalesce(sum(u.starts) filter (where u.minute = v_minute), 0), sum(u.in_flight) into v_starts, v_runs
  from private.deployment_usage as u
  where u.deployment_id = count_start.deployment.id and u.share = 'all';
  if v_starts > count_start.deployment.max_starts_per_minute / 10 or v_runs > count_start.deployment.max_runs_in_flight / 10 then
    foreach v_share in array count_start.shares loop
      perform private.check_share(count_start.deployment, v_share, v_minute);
    end loop;
  end if;
end;
$$;
comment on function private.count_start(public.flow_deployments, text[]) is
  'Counts a start by a caller other than the owner for these shares of the deployment''s limits, or refuses it: 429 start_limit_reached. Starts under way at the same time do not see each other: a limit may be exceeded by as many, and nobody is refused below it. Definer: the usage is private.';

-- sql/60_starts/30_idempotency_keys.sql

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
comment on column private.idempotency_keys.key_hash is 'SHA-256 of caller and key. The key itself is not stored: for a caller with a public key it is the only proof.';
comment on column private.idempotency_keys.request_hash is 'SHA-256 of the request as it was sent.';

create index idempotency_keys_flow_run_id_idx on private.idempotency_keys (flow_run_id);
create index idempotency_keys_created_at_idx on private.idempotency_keys (created_at);

create function private.claim_idempotency_key(caller private.caller, key text, request jsonb, flow_run_id uuid)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller text := coalesce('user:' || claim_idempotency_key.caller.user_id, 'key:' || claim_idempotency_key.caller.public_key);
  v_key_hash bytea := sha256(convert_to(jsonb_build_array(v_caller, claim_idempotency_key.key)::text, 'UTF8'));
  v_request_hash bytea := sha256(convert_to(claim_idempotency_key.request::text, 'UTF8'));
  v_stored private.idempotency_keys;
begin
  if length(claim_idempotency_key.key) not between (case when claim_idempotency_key.caller.user_id is null then 22 else 1 end) and 255 then
    perform private.fail(400, 'idempotency_key_invalid',
      'Idempotency-Key must have 1 to 255 characters, and at least 22 from a caller with only a public key: use a random UUID.');
  end if;
  -- This waits for a start under way with the same key, and replaces a key of more than 24 hours ago.
  insert into private.idempotency_keys as k (key_hash, request_hash, flow_run_id)
  values (v_key_hash, v_request_hash, claim_idempotency_key.flow_run_id)
  on conflict (key_hash) do update
  set request_hash = excluded.request_hash, flow_run_id = excluded.flow_run_id, created_at = excluded.created_at
  where k.created_at < now() - interval '24 hours';
  if found then
    return null;
  end if;

  select k.* into strict v_stored from private.idempotency_keys as k where k.key_hash = v_key_hash;
  if v_stored.request_hash <> v_request_hash then
    perform private.fail(409, 'idempotency_key_reused', 'This Idempotency-Key was used for another request within the last 24 hours.',
      hint => 'Use a new key for a new request. To repeat a request, send it unchanged.');
  end if;
  return v_stored.flow_run_id;
end;
$$;
comment on function private.claim_idempotency_key(private.caller, text, jsonb, uuid) is
  'The run of an earlier start by the same caller, with the same key and request, within 24 hours; null when there is none, and the key is now the given new run''s. 400 idempotency_key_invalid, 409 idempotency_key_reused. Definer: the keys are private.';

-- sql/60_starts/40_enqueue_run.sql

create function private.enqueue_run(
  deployment public.flow_deployments, caller private.caller, inputs jsonb, action_signer text, idempotency_key text, request jsonb
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
-- A plan that is kept must not be one that was made while the tables were empty.
set enable_seqscan = off
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_run_id uuid := private.uuid_v7(v_now);
  v_earlier_run_id uuid;
  v_message_id bigint;
  v_shares text[];
  v_started jsonb;
begin
  perform private.check_inputs(enqueue_run.inputs);
  if not private.is_public_key(enqueue_run.action_signer) then
    perform private.fail(400, 'action_signer_invalid', '`action_signer` must be a public key: base58 of 32 bytes.');
  end if;
  if enqueue_run.idempotency_key is not null then
    v_earlier_run_id := private.claim_idempotency_key(
      enqueue_run.caller, enqueue_run.idempotency_key, enqueue_run.request, v_run_id
    );
    if v_earlier_run_id is not null then
      return jsonb_build_object('flow_run_id', v_earlier_run_id, 'token', private.run_token(v_earlier_run_id));
    end if;
  end if;
  -- After the key: a repeated start finds its run, even if the flow was edited in between and takes other inputs now.
  perform private.check_input_names(enqueue_run.inputs, enqueue_run.deployment.input_names);

  v_message_id := nextval('pgmq.q_flow_runs_msg_id_seq');
  if enqueue_run.deployment.user_id is distinct from enqueue_run.caller.user_id then
    v_shares := private.start_shares(enqueue_run.caller);
    if private.is_queue_count_due(v_message_id) then
      perform private.check_queue_length(enqueue_run.deployment.user_id);
    end if;
    perform private.count_start(enqueue_run.deployment, v_shares);
  end if;
  insert into public.flow_run (
    id, created_at, user_id, flow_id, deployment_id, started_by, started_by_public_key, inputs,
    output_instructions, action_identity, action_signer, fees, chain_network
  ) values (
    v_run_id, v_now, enqueue_run.deployment.user_id, enqueue_run.deployment.entrypoint, enqueue_run.deployment.id,
    enqueue_run.caller.user_id, enqueue_run.caller.public_key, jsonb_build_object('M', enqueue_run.inputs),
    enqueue_run.deployment.output_instructions, enqueue_run.deployment.action_identity, enqueue_run.action_signer,
    enqueue_run.deployment.fees, jsonb_build_object('cluster', enqueue_run.deployment.chain_network -> 'cluster')
  );
  -- What pgmq.send does, by a statement that it writes and plans at each call: five times the cost of the insert.
  insert into pgmq.q_flow_runs (msg_id, vt, message) overriding system value
  values (v_message_id, v_now, jsonb_build_object('flow_run_id', v_run_id));
  insert into private.flow_run_jobs (
    flow_run_id, user_id, snapshot_hash, chain_url, message_id, counted_deployment_id, counted_shares, turn
  ) values (
    v_run_id, enqueue_run.deployment.user_id, enqueue_run.deployment.snapshot_hash, enqueue_run.deployment.chain_network ->> 'url',
    v_message_id, case when v_shares is not null then enqueue_run.deployment.id end, v_shares, v_message_id
  )
  returning jsonb_build_object('flow_run_id', v_run_id, 'token', coalesce(
    (select private.run_token(v_run_id, s.secret) from private.run_token_secrets as s),
    -- The first token makes the secret.
    private.run_token(v_run_id)
  )) into v_started;
  return v_started;
end;
$$;
comment on function private.enqueue_run(public.flow_deployments, private.caller, jsonb, text, text, jsonb) is
  'Stores a run of the deployment, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. A normal run is one of a deployment without an id, which is stored nowhere. A start by somebody else than the owner counts for the limits: 429 queue_full, start_limit_reached. 400 action_signer_invalid, inputs_invalid; 413 inputs_too_large. Definer: runs are inserted nowhere else; the functions that call it check who asks.';

-- sql/60_starts/50_start_deployment.sql

create function private.refuse_start_target(id uuid, flow integer, tag text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (refuse_start_target.id is null) = (refuse_start_target.flow is null) then
    perform private.fail(400, 'start_target_ambiguous', 'A start must name its deployment either by id or by flow.',
      hint => 'Send ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  perform private.fail(400, 'start_target_ambiguous', 'A tag names a deployment of a flow: send it with flow, not with id.');
end;
$$;
comment on function private.refuse_start_target(uuid, integer, text) is
  'Raises the refusal of a start that does not name one deployment: 400 start_target_ambiguous.';

create function private.refuse_public_key(public_key text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if refuse_public_key.public_key is null then
    perform private.unauthenticated();
  end if;
  perform private.fail(400, 'public_key_invalid', '`public_key` must be a public key: base58 of 32 bytes.');
end;
$$;
comment on function private.refuse_public_key(text) is
  'Raises the refusal of a caller who is not a user and shows no public key, 401 unauthenticated, or one that is not valid, 400 public_key_invalid.';

create function private.start_deployment(
  id uuid, flow integer, tag text, inputs jsonb, action_signer text, public_key text, idempotency_key text
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller;
  v_id uuid := start_deployment.id;
  v_deployment public.flow_deployments;
  v_request jsonb;
begin
  if num_nonnulls(start_deployment.id, start_deployment.flow) <> 1 or num_nonnulls(start_deployment.id, start_deployment.tag) > 1 then
    perform private.refuse_start_target(start_deployment.id, start_deployment.flow, start_deployment.tag);
  end if;
  -- The caller before the deployment, the order in which the deletion of a user comes to both: nobody waits in a circle.
  v_caller := private.lock_caller();
  if v_caller.user_id is null then
    if private.is_public_key(start_deployment.public_key) is not true then
      perform private.refuse_public_key(start_deployment.public_key);
    end if;
    v_caller.public_key := start_deployment.public_key;
  end if;
  -- Key share: the deployment, and so its snapshot, stays until the run is stored. Deploys, customising and other starts do not wait.
  loop
    if start_deployment.flow is not null then
      v_id := (
        select t.deployment_id from public.flow_deployments_tags as t
        where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
      );
    end if;
    select d.* into v_deployment from public.flow_deployments as d where d.id = v_id for key share;
    -- If the deployment was deleted while this waited for it, the tag may name another one now, as latest does: look it up again.
    exit when found or start_deployment.flow is null or v_id is null;
  end loop;
  if not private.may_start(v_deployment, v_caller) then
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end if;

  if start_deployment.idempotency_key is not null then
    v_request := jsonb_build_object(
      'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
      'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
    );
  end if;
  return private.enqueue_run(
    v_deployment, v_caller, coalesce(start_deployment.inputs, '{}'), start_deployment.action_signer,
    start_deployment.idempotency_key, v_request
  );
end;
$$;
comment on function private.start_deployment(uuid, integer, text, jsonb, text, text, text) is
  'Does what public.start_deployment says. Definer: it reads deployments of others, as far as their start_permission allows, and stores the run.';
grant execute on function private.start_deployment(uuid, integer, text, jsonb, text, text, text) to anon, authenticated, service_role;

create function public.start_deployment(
  id uuid default null, flow integer default null, tag text default null, inputs jsonb default null,
  action_signer text default null, public_key text default null, idempotency_key text default null
)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.start_deployment(
    start_deployment.id, start_deployment.flow, start_deployment.tag, start_deployment.inputs,
    start_deployment.action_signer, start_deployment.public_key, start_deployment.idempotency_key
  );
end;
comment on function public.start_deployment(uuid, integer, text, jsonb, text, text, text) is
  'Starts a deployment, named by id or by flow and tag (default latest), and returns {flow_run_id, token}. A caller who is not a user shows a public_key. With an idempotency_key, the same request within 24 hours gives the same run. 400 start_target_ambiguous, inputs_invalid, action_signer_invalid, public_key_invalid, idempotency_key_invalid; 401; 404 deployment_not_found, also for a deployment that the caller may not start; 409 idempotency_key_reused; for everybody but the owner 429 queue_full, start_limit_reached.';
grant execute on function public.start_deployment(uuid, integer, text, jsonb, text, text, text) to anon, authenticated, service_role;

-- sql/60_starts/60_start_flow.sql

create function private.start_flow(flow_id integer, inputs jsonb, action_signer text, idempotency_key text, strict boolean)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller;
  v_flow public.flows;
  -- Of a normal run: what a deployment of the flow would be, without an id.
  v_deployment public.flow_deployments;
  v_warnings jsonb;
begin
  v_caller.user_id := private.lock_user();
  -- Key share: the flow stays until the run is stored, so that its deletion takes the run along. It may be edited meanwhile, so it is
  -- read once, and network and graph are of one edit.
  select f.* into v_flow from public.flows as f where f.id = start_flow.flow_id and f.user_id = v_caller.user_id for key share;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;
  v_deployment.snapshot_hash := private.take_snapshot(v_flow);
  v_warnings := private.snapshot_warnings(v_deployment.snapshot_hash, v_flow.id, start_flow.strict);
  v_deployment.user_id := v_flow.user_id;
  v_deployment.entrypoint := v_flow.id;
  v_deployment.input_names := private.input_names(v_flow.nodes);
  v_deployment.chain_network := v_flow.chain_network;
  v_deployment.output_instructions := false;
  v_deployment.fees := '[]';
  return private.enqueue_run(
    v_deployment, v_caller, coalesce(start_flow.inputs, '{}'), start_flow.action_signer, start_flow.idempotency_key,
    jsonb_build_object('flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer)
  ) || jsonb_build_object('warnings', v_warnings);
end;
$$;
comment on function private.start_flow(integer, jsonb, text, text, boolean) is
  'Does what public.start_flow says. Definer: it stores a snapshot and the run.';
grant execute on function private.start_flow(integer, jsonb, text, text, boolean) to anon, authenticated, service_role;

create function public.start_flow(
  flow_id integer, inputs jsonb default null, action_signer text default null, idempotency_key text default null,
  strict boolean default false
)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.start_flow(
    start_flow.flow_id, start_flow.inputs, start_flow.action_signer, start_flow.idempotency_key, start_flow.strict
  );
end;
$$;
comment on function public.start_flow(integer, jsonb, text, text, boolean) is
  'Starts the caller''s flow as it is now, without a deployment, and returns {flow_run_id, token, warnings}; warnings and strict as in deploy_flow. 401; 404 flow_not_found, also for somebody else''s flow; 422 flow_invalid; for the rest as start_deployment.';
grant execute on function public.start_flow(integer, jsonb, text, text, boolean) to anon, authenticated, service_role;

-- sql/70_queue/10_flow_run_jobs.sql

-- How a run passes through the queue; each step is a function in a file of its name:
--
--   start       enqueue_run stores the run, its job (the table below) and its message (pgmq). A visible message is a run to be claimed.
--   claim       claim_flow_runs takes the next runs: next_owners says whose turn it is, and lock_next_flow_runs takes the runs of each
--               owner in the order of their turns. The claim gets a number (attempt) and hides the message until the lease ends.
--   heartbeat   heartbeat_flow_runs hides the message for another lease. When a worker is lost, its messages become visible although
--               their jobs are still held. The next claim sees by this that a worker was lost, and counts it. A run that lost two
--               workers in a row is a suspect (both are told by awake_jobs): it is claimed alone.
--   checkpoint  checkpoint_flow_run stores progress (store_progress) and keeps the claim.
--   release     release_flow_run stores progress and ends the claim (end_claim). The run goes behind the other runs of its owner, to be
--               claimed at once or, when a node waits for a time, after it has slept until then.
--   suspend     suspend_flow_run releases the run until its signatures arrive (answer_signature_request) or a request expires.
--   finish      finish_flow_run stores the last progress and ends the run (end_flow_run), which deletes its message.
--
-- A worker writes under lock_claimed_run only, which refuses every claim but the newest.
create table private.flow_run_jobs (
  flow_run_id uuid primary key,
  user_id uuid not null,
  snapshot_hash bytea not null,
  chain_url text not null,
  message_id bigint,
  counted_deployment_id uuid,
  counted_shares text[],
  turn bigint not null default 0,
  attempt integer not null default 0,
  is_held boolean not null default false,
  lost_claim_count integer not null default 0,
  work_ms bigint not null default 0,
  output_bytes bigint not null default 0,
  sleeps_until timestamptz,
  stop_requested_at timestamptz,
  stop_reason text,
  stop_timeout_millies integer,
  failed_at timestamptz,
  constraint flow_run_jobs_held_while_pending check (message_id is not null or not is_held),
  constraint flow_run_jobs_asleep_while_nobody_holds_it check (sleeps_until is null or (message_id is not null and not is_held))
);
comment on table private.flow_run_jobs is 'What the runner needs to know about each root run, and readers of flow_run must not see. A job stays when its run has ended.';
comment on column private.flow_run_jobs.flow_run_id is
  'The run. There is no foreign key, which would cost a look-up at every start: enqueue_run stores both rows.';
comment on column private.flow_run_jobs.user_id is
  'The owner of the flow, copied from flow_run for the order of claims. There is no foreign key: a user''s runs, and with them their jobs, are deleted with the user''s flows.';
comment on column private.flow_run_jobs.snapshot_hash is
  'The snapshot that the run executes. There is no foreign key, which every start would pay for: only sweep_runner deletes snapshots, and it keeps those of runs that have not ended.';
comment on column private.flow_run_jobs.chain_url is 'The RPC address, copied at the start. It may contain a secret.';
comment on column private.flow_run_jobs.message_id is 'The run''s message in the queue; null once the run has ended.';
comment on column private.flow_run_jobs.counted_deployment_id is
  'The deployment whose max_runs_in_flight the run counts for until it ends; null when it counts for none.';
comment on column private.flow_run_jobs.counted_shares is 'The shares of private.deployment_usage that the run counts for.';
comment on column private.flow_run_jobs.turn is
  'The runs of one owner are claimed in this order. It is the message_id at first; each release sets a newer number of the same sequence, so that the run goes behind those that came meanwhile.';
comment on column private.flow_run_jobs.attempt is 'The number of the newest claim; 0 before the first. What an older claim writes is refused.';
comment on column private.flow_run_jobs.is_held is
  'A worker has claimed the run and has neither released nor finished it. If the message is visible although the job is held, that worker is lost.';
comment on column private.flow_run_jobs.lost_claim_count is
  'How many workers were lost in a row, without the one that may hold the run now: see private.awake_jobs. A node that ends, or a release, sets it to 0.';
comment on column private.flow_run_jobs.work_ms is 'How many milliseconds claims have worked on the run, as far as they reported.';
comment on column private.flow_run_jobs.output_bytes is
  'How many bytes of JSON the nodes of the run and of the runs it called have put out, as far as claims reported: so much a worker has to hold in memory to go on.';
comment on column private.flow_run_jobs.sleeps_until is
  'When a run that was released for later may be claimed again; null when it does not sleep. Claims look only at jobs that do not sleep, so sleeping runs cost them nothing.';
comment on column private.flow_run_jobs.stop_requested_at is 'When the first request to stop came. stop_reason and stop_timeout_millies are that request''s.';
comment on column private.flow_run_jobs.failed_at is
  'When the run failed; null when it did not. The metrics count by it: an index on the ends in flow_run would be written at the end of every run.';

create index flow_run_jobs_failed_at_idx on private.flow_run_jobs (failed_at) where failed_at is not null;
create index flow_run_jobs_user_id_idx_pending on private.flow_run_jobs (user_id, turn) where message_id is not null and sleeps_until is null;
create index flow_run_jobs_sleeps_until_idx on private.flow_run_jobs (sleeps_until) where sleeps_until is not null;

create view private.awake_jobs with (security_invoker = true) as
select
  j.flow_run_id, j.user_id, j.message_id, j.turn,
  -- If the message is visible although the job is held, the worker that holds it is lost too.
  j.lost_claim_count + j.is_held::integer as lost_claims,
  j.lost_claim_count + j.is_held::integer >= 2 as is_suspect
from private.flow_run_jobs as j
where j.message_id is not null and j.sleeps_until is null;
comment on view private.awake_jobs is
  'The jobs that claims look at: of runs that have not ended and do not sleep. lost_claims and is_suspect hold for those whose message is visible.';
comment on column private.awake_jobs.lost_claims is 'How many workers in a row were lost with the run.';
comment on column private.awake_jobs.is_suspect is
  'The run has lost two workers in a row. It may be what ended them, so it is claimed alone.';

create function private.tg_flow_run__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from private.flow_run_jobs as j where j.flow_run_id = old.id;
  return null;
end;
$$;
comment on function private.tg_flow_run__after_delete() is 'Deletes the job of a deleted root run. Definer: jobs are private.';
create trigger _500_delete_job after delete on public.flow_run
  for each row when (old.parent_flow_run_id is null) execute function private.tg_flow_run__after_delete();

create function private.tg_flow_run_jobs__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform pgmq.delete('flow_runs', old.message_id);
  return null;
end;
$$;
comment on function private.tg_flow_run_jobs__after_delete() is
  'Deletes the message of a deleted run from the queue. Definer: those who delete flows have no rights in the queue.';
create trigger _500_delete_message after delete on private.flow_run_jobs
  for each row when (old.message_id is not null) execute function private.tg_flow_run_jobs__after_delete();

create function private.tg_flow_run_jobs__after_end()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into private.deployment_usage as u (deployment_id, share, slot, in_flight)
  select old.counted_deployment_id, s.share, -1 - pg_backend_pid() % 32, -1
  from unnest(old.counted_shares) as s (share)
  -- A deleted deployment keeps no usage. A row that is written while its deployment is being deleted is removed by the next sweep.
  where exists (select from public.flow_deployments as d where d.id = old.counted_deployment_id)
  on conflict on constraint deployment_usage_pkey do update set in_flight = u.in_flight - 1;
  return null;
end;
$$;
comment on function private.tg_flow_run_jobs__after_end() is
  'Subtracts a run that has ended or is deleted from what counts for its deployment''s max_runs_in_flight. Definer: the usage is private.';
-- Deferred to the commit, after which the transaction takes no more locks. So a transaction that waits for these rows is never waited for
-- in turn, and there is no deadlock.
-- A constraint trigger is a constraint, so it is named like one.
create constraint trigger flow_run_jobs_count_end after update of message_id on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.counted_deployment_id is not null and old.message_id is not null and new.message_id is null)
  execute function private.tg_flow_run_jobs__after_end();
create constraint trigger flow_run_jobs_count_delete after delete on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.counted_deployment_id is not null and old.message_id is not null)
  execute function private.tg_flow_run_jobs__after_end();

-- sql/70_queue/20_queue_length.sql

create table private.queue_settings (
  id boolean primary key default true,
  max_length integer not null,
  constraint queue_settings_single check (id),
  constraint queue_settings_max_length_natural check (max_length >= 0)
);
comment on table private.queue_settings is 'Settings of the queue that an operator has changed, in one row. Without it the default of private.max_queue_length() holds.';
comment on column private.queue_settings.max_length is 'From so many runs on that wait to be claimed the queue is full.';

-- Sequences, because what a start notes in them stays when that start is refused, and noting it takes no lock.
create sequence private.queue_check_message minvalue 0;
comment on sequence private.queue_check_message is 'The id of the message from which on the queue is counted again. Until then it counts as not full.';
create sequence private.queue_full_until minvalue 0;
comment on sequence private.queue_full_until is 'Milliseconds since 1970 until which a queue that was found full counts as full and is not counted again; 0 while there is room.';

create function private.max_queue_length()
returns integer
language sql stable security definer
set search_path = ''
as $$
  select coalesce((select s.max_length from private.queue_settings as s), 100000);
$$;
comment on function private.max_queue_length() is 'Does what public.max_queue_length says. Definer: the settings are private.';
grant execute on function private.max_queue_length() to service_role;

create function private.lock_queue_check(wait boolean default true)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_key bigint := hashtextextended('private.check_queue_length', 0);
begin
  if lock_queue_check.wait then
    perform pg_advisory_xact_lock(v_key);
    return true;
  end if;
  return pg_try_advisory_xact_lock(v_key);
end;
$$;
comment on function private.lock_queue_check(boolean) is
  'The lock of whoever counts the queue or sets its limit, until the transaction ends. Returns whether the caller has it; with wait it waits until it has.';

create function private.await_queue_check()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- Shared, so that those who wait do not wait for each other: each would hold the lock until its transaction ends.
  perform pg_advisory_xact_lock_shared(hashtextextended('private.check_queue_length', 0));
end;
$$;
comment on function private.await_queue_check() is 'Waits until nobody has the lock of private.lock_queue_check.';

create function private.queue_clock()
returns bigint
language sql volatile security invoker
set search_path = ''
as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint;
$$;
comment on function private.queue_clock() is 'The time in the unit of private.queue_full_until.';

create function private.is_queue_count_due(message_id bigint)
returns boolean
language sql volatile security invoker
begin atomic
  select (is_queue_count_due.message_id < pg_sequence_last_value('private.queue_check_message'::regclass)) is not true;
end;
comment on function private.is_queue_count_due(bigint) is
  'Whether the start with this message has to look at the queue. Most starts do not: see private.check_queue_length.';

create function private.refuse_if_owner_fills_queue(owner_id uuid, max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
-- A plan that is kept must not be one that was made while the queue was empty.
set enable_seqscan = off
as $$
declare
  v_share integer := ceil(refuse_if_owner_fills_queue.max_length / 10.0);
  v_count integer;
begin
  -- Counted no further than the share, along the index of each owner's runs by turn.
  select count(*) into v_count
  from (
    select from private.flow_run_jobs as j
    where j.user_id = refuse_if_owner_fills_queue.owner_id and j.message_id is not null and j.sleeps_until is null
    order by j.turn limit v_share
  ) as own;
  if v_count >= v_share then
    perform private.fail(429, 'queue_full', 'More runs wait to be executed than this project allows.',
      jsonb_build_object('limit', 'max_queue_length', 'value', refuse_if_owner_fills_queue.max_length),
      'Try again after the seconds in Retry-After.', '{"Retry-After": "10"}');
  end if;
end;
$$;
comment on function private.refuse_if_owner_fills_queue(uuid, integer) is
  'For a queue that is full: raises 429 queue_full if a tenth of its limit or more are runs of this owner, waiting or executed. Owners with fewer have room however many runs others queue. A queue of the default length takes longer than the 10 seconds of Retry-After to work off, one that just touches the limit less. Definer: the queue is private.';

create function private.check_queue_length(owner_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_max_length integer;
  v_was_full boolean := coalesce(pg_sequence_last_value('private.queue_full_until') > 0, false);
  v_is_counting boolean;
  v_message_id bigint;
  v_length integer;
begin
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, private.max_queue_length());
    return;
  end if;
  -- While there is room nobody waits for whoever counts: few runs start meanwhile, beside the hundredth that is not counted.
  v_is_counting := private.lock_queue_check(wait => false);
  if not v_is_counting then
    if not v_was_full then
      return;
    end if;
    perform private.await_queue_check();
  end if;
  -- Whoever had the lock before has counted, or changed the limit.
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  v_message_id := coalesce(pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq'), 0);
  if v_message_id < pg_sequence_last_value('private.queue_check_message') then
    return;
  end if;
  -- Whoever had the lock found nothing out: the queue still counts as full, and the next start counts it.
  if not v_is_counting then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  -- The time is a sub-select, so that the index is used and messages that are due later are not looked at.
  select count(*) into v_length
  from (
    select from pgmq.q_flow_runs as m where m.vt <= (select clock_timestamp()) order by m.vt limit v_max_length
  ) as queued;
  -- A count takes as long as it finds runs: the next one comes a hundredth of the limit later, in messages or in milliseconds.
  if v_length >= v_max_length then
    perform setval('private.queue_full_until', private.queue_clock() + v_max_length / 100);
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
  else
    perform setval('private.queue_full_until', 0), setval('private.queue_check_message', v_message_id + greatest(v_max_length / 100, 1));
  end if;
end;
$$;
comment on function private.check_queue_length(uuid) is
  'Refuses a start by somebody else than this owner if the queue is full and a tenth of its limit or more are the owner''s runs: 429 queue_full. So no owner, and nobody who starts an owner''s deployments, uses up the queue of the others. The queue is full when max_queue_length runs wait to be claimed. They are counted no further than the limit, and again only after as many new messages as a hundredth of it: a queue may grow so much longer. Definer: the queue is private.';

create function private.set_max_queue_length(max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if coalesce(set_max_queue_length.max_length < 0, true) then
    perform private.fail(400, 'request_invalid', 'max_length must be an integer from 0 to 2^31-1.');
  end if;
  perform private.lock_queue_check();
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- The next start counts anew, after this commits, and other starts wait for what it finds.
  perform setval('private.queue_check_message', 0), setval('private.queue_full_until', 1);
end;
$$;
comment on function private.set_max_queue_length(integer) is 'Does what public.set_max_queue_length says. Definer: the settings are private.';
grant execute on function private.set_max_queue_length(integer) to service_role;

create function public.set_max_queue_length(max_length integer)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_max_queue_length(set_max_queue_length.max_length);
$$;
comment on function public.set_max_queue_length(integer) is
  'For operators: from how many runs on that wait to be claimed the queue is full. Then nobody but the owner starts the deployments of an owner who has a tenth of so many runs there or more: 429 queue_full. With 0 only owners start anything. What waits is counted again after a hundredth of the limit: the queue may grow so much longer. 400 request_invalid.';
grant execute on function public.set_max_queue_length(integer) to service_role;

create function public.max_queue_length()
returns integer
language sql stable security invoker
set search_path = ''
as $$
  select private.max_queue_length();
$$;
comment on function public.max_queue_length() is
  'For operators: from how many waiting runs on the queue is full; 100000 unless set by set_max_queue_length.';
grant execute on function public.max_queue_length() to service_role;

-- sql/70_queue/30_wake_flow_runs.sql

create function private.has_claimable_run(min_age interval default '0')
returns boolean
language plpgsql stable security invoker
set search_path = ''
-- A plan that is kept must not be one that was made while the queue was empty.
set enable_seqscan = off
as $$
begin
  return coalesce(
    (select m.vt from pgmq.q_flow_runs as m order by m.vt limit 1) <= clock_timestamp() - has_claimable_run.min_age, false
  );
end;
$$;
comment on function private.has_claimable_run(interval) is
  'Whether some run has waited to be claimed for at least min_age. Reads one entry of the queue''s index.';

create function private.set_visible_after(message_ids bigint[], seconds integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- pgmq.set_vt does this for one message, with dynamic SQL that is planned at each call: five times the cost of this update.
  update pgmq.q_flow_runs as m
  set vt = clock_timestamp() + make_interval(secs => set_visible_after.seconds)
  where m.msg_id = any (set_visible_after.message_ids);
end;
$$;
comment on function private.set_visible_after(bigint[], integer) is
  'Hides messages for so many seconds from now, after which their runs may be claimed; with 0 they are visible at once. Definer: the queue is private.';

create function private.wake_flow_run(flow_run_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint;
begin
  update private.flow_run_jobs as j set sleeps_until = null
  where j.flow_run_id = wake_flow_run.flow_run_id and j.message_id is not null and not j.is_held
  returning j.message_id into v_message_id;
  perform private.set_visible_after(array[v_message_id], 0);
end;
$$;
comment on function private.wake_flow_run(uuid) is
  'Lets a run that no worker holds be claimed at once, whether it sleeps or waits for signatures. The caller holds the lock of the run''s row in flow_run. Definer: queue and jobs are private.';

create function private.wake_due_flow_runs()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- A job that another transaction has locked is skipped: that transaction wakes it, or the next claim does.
  update private.flow_run_jobs as j set sleeps_until = null
  where j.flow_run_id = any (array(
    select due.flow_run_id from private.flow_run_jobs as due
    where due.sleeps_until <= (select clock_timestamp())
    order by due.sleeps_until limit 1000
    for no key update skip locked
  ));
end;
$$;
comment on function private.wake_due_flow_runs() is
  'Ends the sleep of runs whose time has come, up to a thousand at a time, so that claims look at them. Definer: jobs are private. Called under the lock of claim_flow_runs.';

-- sql/70_queue/40_next_owners.sql

create table private.last_claim (
  id boolean primary key default true,
  user_id uuid not null,
  suspect_id uuid,
  constraint last_claim_single check (id)
);
comment on table private.last_claim is
  'How far claims have come in the order of owners'' ids: the next claim begins with the owner after user_id, and after the last owner with the first. It has one row, or none before the first claim; claims write it one at a time.';
comment on column private.last_claim.user_id is 'The owner whose run was claimed last. The user may be deleted since.';
comment on column private.last_claim.suspect_id is
  'A suspect whose turn came while others were claimed, since it is claimed alone: the next claim takes it first, if it still can.';

create function private.next_owners(after_owner uuid, max_owners integer, owners_with_places uuid[])
returns table (user_id uuid, turn bigint, suspect_id uuid)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  c_last_turn constant bigint := 9223372036854775807;
  v_after_id uuid := coalesce(next_owners.after_owner, c_first_id);
  v_after_turn bigint := case when next_owners.after_owner is null then 0 else c_last_turn end;
  v_until_id uuid := c_last_id;
  v_is_second_lap boolean := next_owners.after_owner is null;
  v_count integer := 0;
begin
  while v_count < next_owners.max_owners loop
    select j.user_id, j.turn, case when j.is_suspect then j.flow_run_id end
    into user_id, turn, suspect_id
    from private.awake_jobs as j
    -- `offset 0` makes this one look at an index for each job. A join might get a plan, and keep it, that reads the whole queue for each.
    cross join lateral (select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() offset 0) as m
    where (j.user_id, j.turn) > (v_after_id, v_after_turn) and j.user_id <= v_until_id
    order by j.user_id, j.turn
    limit 1;
    if found then
      if (user_id = any (next_owners.owners_with_places)) is not true then
        return next;
        v_count := v_count + 1;
      end if;
      -- On to the next owner.
      v_after_id := user_id;
      v_after_turn := c_last_turn;
    else
      -- After the last owner come the first ones, up to after_owner, where the first lap began.
      exit when v_is_second_lap;
      v_is_second_lap := true;
      v_after_id := c_first_id;
      v_after_turn := 0;
      v_until_id := next_owners.after_owner;
    end if;
  end loop;
end;
$$;
comment on function private.next_owners(uuid, integer, uuid[]) is
  'Whose turn it is: the owners who have a run to be claimed, without owners_with_places, in the order of their ids, beginning after after_owner (null: with the first). Each comes with the turn of the first such run, and with its id if it is a suspect. Definer: queue and jobs are private.';

-- sql/70_queue/41_next_flow_runs.sql

create function private.lock_suspect(flow_run_id uuid, out user_id uuid, out lost_claims integer)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  select j.user_id, j.lost_claims into lock_suspect.user_id, lock_suspect.lost_claims
  from private.awake_jobs as j
  cross join lateral (
    select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() for no key update skip locked
  ) as m
  join public.flow_run as r on r.id = j.flow_run_id
  where j.flow_run_id = lock_suspect.flow_run_id and j.is_suspect
  for no key update of j, r skip locked;
end;
$$;
comment on function private.lock_suspect(uuid) is
  'Locks a suspect as lock_next_flow_runs locks other runs, and returns its owner and its lost workers; nulls when it is no suspect any more, is not to be claimed, or is locked by another transaction. Definer: queue and jobs are private.';

create function private.lock_next_flow_runs(
  max_runs integer, owners_with_places uuid[], out run_ids uuid[], out lost_claims integer[], out last_user_id uuid, out suspect_id uuid
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
  v_suspect record;
  v_postponed_id uuid;
  v_runs_per_owner integer;
  v_rounds integer;
  v_owner_count integer;
begin
  select l.* into v_last from private.last_claim as l where l.id;
  loop
    select array_agg(o.user_id), array_agg(o.turn), array_agg(o.suspect_id) into v_owner_ids, v_turns, v_suspect_ids
    from private.next_owners(v_last.user_id, v_max_owners, lock_next_flow_runs.owners_with_places) as o;
    if v_tried_ids is null and v_owner_ids is not null then
      -- A suspect is claimed alone, so that it takes no other run down with its worker. The one that an earlier claim postponed comes
      -- before all owners, and does not move the order of owners on. Else it is a suspect's turn if the first owner's first run is one.
      v_tried_ids := array_remove(array[v_last.suspect_id, v_suspect_ids[1]], null);
      foreach v_tried_id in array v_tried_ids loop
        v_suspect := private.lock_suspect(v_tried_id);
        if v_suspect.user_id = any (lock_next_flow_runs.owners_with_places) then
          -- This claim is not for its owner: the suspect stays postponed.
          v_postponed_id := v_tried_id;
        elsif v_suspect.user_id is not null then
          suspect_id := v_postponed_id;
          run_ids := array[v_tried_id];
          lost_claims := array[v_suspect.lost_claims];
          last_user_id := case when v_tried_id = v_last.suspect_id then v_last.user_id else v_suspect.user_id end;
          return;
        end if;
      end loop;
    end if;

    v_runs_per_owner := case
      when lock_next_flow_runs.owners_with_places is null then ceil(v_max_owners::double precision / cardinality(v_owner_ids))
      -- These are reserved places: each owner gets one, so that some are left for the owners who come next.
      else 1
    end;
    -- In rounds: the first run of each owner in the order of owners, then the second run of each, and so on.
    select array_agg(chosen.flow_run_id order by chosen.round, chosen.owner_position),
      array_agg(chosen.lost_claims order by chosen.round, chosen.owner_position),
      (array_agg(chosen.user_id order by chosen.round desc, chosen.owner_position desc))[1], max(chosen.round), max(chosen.owner_position)
    into run_ids, lost_claims, last_user_id, v_rounds, v_owner_count
    from (
      select own.*, o.user_id, o.owner_position
      from unnest(v_owner_ids, v_turns) with ordinality as o (user_id, turn, owner_position)
      cross join lateral (
        select free.flow_run_id, free.lost_claims, row_number() over (order by free.turn) as round
        from (
          select j.flow_run_id, j.turn, j.lost_claims
          from private.awake_jobs as j
          -- Message, job and run are all locked: what an older claim, a stop or a heartbeat has just committed is read again, and a run
          -- that one of them is changing now is skipped.
          cross join lateral (
            select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() for no key update skip locked
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
    -- Some owners had fewer runs than their share, or some of their runs were locked or suspects. If that left too few runs, and these or
    -- other owners may have more, look again at twice as many.
    exit when (
      coalesce(cardinality(run_ids), 0) < lock_next_flow_runs.max_runs
      and (
        (lock_next_flow_runs.owners_with_places is null and v_rounds = v_runs_per_owner) or cardinality(v_owner_ids) = v_max_owners
      )
    ) is not true;
    v_max_owners := 2 * v_max_owners;
  end loop;
  -- The first suspect whose owner's turn has passed with this claim is postponed to the next one.
  suspect_id := coalesce(v_postponed_id, (
    select s.id from unnest(v_suspect_ids) with ordinality as s (id, owner_position)
    where s.owner_position <= v_owner_count and s.id is not null and s.id <> all (v_tried_ids)
    order by s.owner_position limit 1
  ));
end;
$$;
comment on function private.lock_next_flow_runs(integer, uuid[]) is
  'Who is claimed next: locks the runs and returns them in their order, up to max_runs. Owners take turns, and the runs of each owner are taken by their turns; a suspect is taken alone. With owners_with_places, each other owner gets one run at most. last_user_id and suspect_id are what private.last_claim has to keep. Definer: queue and jobs are private. Called under the lock of claim_flow_runs.';

-- sql/70_queue/42_claim_flow_runs.sql

create function private.claim_flow_runs(
  max_runs integer, lease_seconds integer, known_snapshots text[], max_lost_claims integer, wait_millies integer,
  owners_with_places uuid[] default null
)
returns table (
  flow_run_id uuid, attempt integer, lost_claim_count integer, flow_id integer, user_id uuid, started_by text, inputs jsonb, settings jsonb,
  snapshot_hash text, snapshot text, work_ms bigint, stop jsonb, output_bytes bigint
)
language plpgsql volatile security definer
set search_path = ''
-- Planning would take longer than the claim itself, so the first plan is kept. That plan may be made while the queue is empty, and must be
-- good for a full one too: these settings leave only plans that use indexes. The high costs they cause would turn JIT on, for nothing.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $$
declare
  v_began timestamptz := clock_timestamp();
  v_waited double precision;
  v_next record;
  v_run_ids uuid[];
  v_lost_id uuid;
  v_lost_claims integer;
  v_message_ids bigint[];
begin
  -- While nothing is queued, idle workers take no lock and look at no run that is due later.
  while not private.has_claimable_run() loop
    v_waited := date_part('epoch', clock_timestamp() - v_began);
    if (v_waited * 1000 < claim_flow_runs.wait_millies) is not true
      -- A claim that waits keeps a connection that starts could use, so only one at a time may wait.
      or not pg_try_advisory_xact_lock(hashtext('private.claim_flow_runs'), 1)
    then
      return;
    end if;
    perform pg_sleep(greatest(v_waited / 20, 0.001));
  end loop;
  -- One claim at a time: so each sees what the others left, and none returns empty while there are runs to claim.
  perform pg_advisory_xact_lock(hashtext('private.claim_flow_runs'));
  perform private.wake_due_flow_runs();
  loop
    v_next := private.lock_next_flow_runs(claim_flow_runs.max_runs, claim_flow_runs.owners_with_places);
    select n.id, n.lost_claims into v_lost_id, v_lost_claims
    from unnest(v_next.run_ids, v_next.lost_claims) as n (id, lost_claims)
    where n.lost_claims > claim_flow_runs.max_lost_claims
    limit 1;
    exit when not found;
    perform private.end_flow_run(v_lost_id, 'failed', errors => array[format(
      'worker_lost: %s workers in a row were lost while they executed this run', v_lost_claims
    )]);
  end loop;
  v_run_ids := v_next.run_ids;
  if v_run_ids is null then
    return;
  end if;

  insert into private.last_claim as l (user_id, suspect_id) values (v_next.last_user_id, v_next.suspect_id)
  on conflict (id) do update set user_id = excluded.user_id, suspect_id = excluded.suspect_id
  where (l.user_id, l.suspect_id) is distinct from (excluded.user_id, excluded.suspect_id);
  update public.flow_run as r
  set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
  where r.id = any (v_run_ids) and r.status <> 'running';
  with claimed as (
    update private.flow_run_jobs as j
    set attempt = j.attempt + 1, lost_claim_count = j.lost_claim_count + j.is_held::integer, is_held = true
    where j.flow_run_id = any (v_run_ids)
    returning j.message_id
  )
  select array_agg(claimed.message_id) into v_message_ids from claimed;
  perform private.set_visible_after(v_message_ids, claim_flow_runs.lease_seconds);

  return query
  select
    r.id, j.attempt, j.lost_claim_count, r.flow_id, r.user_id, coalesce(r.started_by::text, r.started_by_public_key), r.inputs,
    jsonb_build_object(
      'output_instructions', r.output_instructions, 'action_identity', r.action_identity, 'action_signer', r.action_signer,
      -- As text, since JavaScript would read a JSON number as a float.
      'fees', (
        select coalesce(jsonb_agg(jsonb_build_array(fee.pair -> 0, fee.pair ->> 1) order by fee.position), '[]')
        from jsonb_array_elements(r.fees) with ordinality as fee (pair, position)
      ),
      'chain_network', r.chain_network || jsonb_build_object('url', j.chain_url)
    ),
    encode(j.snapshot_hash, 'hex'),
    case when encode(j.snapshot_hash, 'hex') = any (claim_flow_runs.known_snapshots) then null else s.data::text end,
    j.work_ms,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end,
    j.output_bytes
  from private.flow_run_jobs as j
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  where j.flow_run_id = any (v_run_ids)
  order by array_position(v_run_ids, r.id);
end;
$$;
comment on function private.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) is
  'Does what public.claim_flow_runs says. Definer: queue, jobs and snapshots are private.';
grant execute on function private.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) to service_role;

create function public.claim_flow_runs(
  max_runs integer, lease_seconds integer, known_snapshots text[] default '{}', max_lost_claims integer default 5,
  wait_millies integer default 0, owners_with_places uuid[] default null
)
returns table (
  flow_run_id uuid, attempt integer, lost_claim_count integer, flow_id integer, user_id uuid, started_by text, inputs jsonb, settings jsonb,
  snapshot_hash text, snapshot text, work_ms bigint, stop jsonb, output_bytes bigint
)
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return query
  select * from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots, claim_flow_runs.max_lost_claims,
    claim_flow_runs.wait_millies, claim_flow_runs.owners_with_places
  );
end;
$$;
comment on function public.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) is
  'For the runner: claims up to max_runs runs for lease_seconds, of those that are queued or whose lease is over; owners take turns. A run that lost two workers in a row is claimed alone; one that lost more than max_lost_claims in a row fails (null: none does). Where there is no run, the call waits up to wait_millies for one; only one caller at a time waits, others return at once. owners_with_places is for reserved places: none of their runs is claimed, and of each other owner one run at most. snapshot is JSON text, or null when its hash (hex) is in known_snapshots. output_bytes says about how much flow_run_history and its pages hold of node outputs.';
grant execute on function public.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) to service_role;

-- sql/70_queue/43_heartbeat_flow_runs.sql

create function private.heartbeat_flow_runs(claims jsonb, lease_seconds integer)
returns table (flow_run_id uuid, is_lost boolean, stop jsonb)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- The jobs are locked, so that a heartbeat does not hide a run that is being released. A job that is locked already is skipped: a
  -- checkpoint, a release, a claim or an end is changing it, and sets its message itself.
  perform private.set_visible_after(
    array(
      select j.message_id
      from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, attempt integer)
      join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id and j.attempt = c.attempt
      where j.is_held
      for no key update of j skip locked
    ),
    heartbeat_flow_runs.lease_seconds
  );

  return query
  select c.flow_run_id, j.attempt is distinct from c.attempt or j.message_id is null,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end
  from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, attempt integer)
  left join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id
  where j.attempt is distinct from c.attempt or j.message_id is null or j.stop_requested_at is not null;
end;
$$;
comment on function private.heartbeat_flow_runs(jsonb, integer) is 'Does what public.heartbeat_flow_runs says. Definer: queue and jobs are private.';
grant execute on function private.heartbeat_flow_runs(jsonb, integer) to service_role;

create function public.heartbeat_flow_runs(claims jsonb, lease_seconds integer)
returns table (flow_run_id uuid, is_lost boolean, stop jsonb)
language sql volatile security invoker
set search_path = ''
as $$
  select * from private.heartbeat_flow_runs(heartbeat_flow_runs.claims, heartbeat_flow_runs.lease_seconds);
$$;
comment on function public.heartbeat_flow_runs(jsonb, integer) is
  'For the runner: extends the leases of its claims, [{flow_run_id, attempt}], to lease_seconds from now, and returns the claims that are lost and the runs that shall stop.';
grant execute on function public.heartbeat_flow_runs(jsonb, integer) to service_role;

-- sql/70_queue/44_flow_run_history.sql

create function private.flow_run_history_page(flow_run_id uuid, after jsonb, max_bytes integer)
returns json
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_run_id uuid;
  v_last_run_id uuid := flow_run_history_page.after ->> 'flow_run_id';
  v_node_id uuid := flow_run_history_page.after ->> 'node_id';
  v_times integer := flow_run_history_page.after ->> 'times';
  v_row record;
  v_text text;
  v_rows text[] := '{}';
  v_bytes bigint := 0;
  v_next json;
begin
  <<pages>>
  for v_run_id in
    with recursive tree as (
      select r.id from public.flow_run as r where r.id = flow_run_history_page.flow_run_id and r.end_time is null
      union all
      select c.id
      from tree
      cross join lateral (
        select r.id from public.flow_run as r where r.parent_flow_run_id = tree.id and r.end_time is null offset 0
      ) as c
    )
    select tree.id from tree where v_last_run_id is null or tree.id >= v_last_run_id order by tree.id
  loop
    if v_run_id is distinct from v_last_run_id then
      v_node_id := '00000000-0000-0000-0000-000000000000';
      v_times := -1;
    end if;
    -- Large values are read from storage only when their row is written out, so only those of this page are ever in memory.
    for v_row in
      select n.node_id, n.times, n.start_time, n.end_time, n.output, n.errors from public.node_run as n
      where n.flow_run_id = v_run_id and (n.node_id, n.times) > (v_node_id, v_times)
      order by n.node_id, n.times
    loop
      v_text := json_build_object(
        'flow_run_id', v_run_id, 'node_id', v_row.node_id, 'times', v_row.times, 'start_time', v_row.start_time,
        'end_time', v_row.end_time, 'output', v_row.output, 'errors', v_row.errors
      )::text;
      v_rows := array_append(v_rows, v_text);
      v_bytes := v_bytes + octet_length(v_text);
      if v_bytes >= flow_run_history_page.max_bytes then
        v_next := json_build_object('flow_run_id', v_run_id, 'node_id', v_row.node_id, 'times', v_row.times);
        exit pages;
      end if;
    end loop;
  end loop;
  return format('{"node_runs": [%s], "next": %s}', array_to_string(v_rows, ','), coalesce(v_next::text, 'null'))::json;
end;
$$;
comment on function private.flow_run_history_page(uuid, jsonb, integer) is
  'Does what public.flow_run_history_page says. Definer: the runner may read everything of the runs that it claims.';
grant execute on function private.flow_run_history_page(uuid, jsonb, integer) to service_role;

create function private.flow_run_history(flow_run_id uuid, max_bytes integer default null)
returns json
language sql stable security definer
set search_path = ''
as $$
  with recursive tree as (
    select r.id, r.parent_flow_run_id, r.end_time from public.flow_run as r where r.id = flow_run_history.flow_run_id
    union all
    -- `offset 0`, here and below, makes this one look at an index for each run of the tree. The planner expects a far larger tree, since it
    -- goes by the average of all runs that call others, and would read whole tables instead.
    select r.id, r.parent_flow_run_id, r.end_time
    from tree
    cross join lateral (
      select c.id, c.parent_flow_run_id, c.end_time from public.flow_run as c where c.parent_flow_run_id = tree.id offset 0
    ) as r
  ),
  page as materialized (
    select private.flow_run_history_page(flow_run_history.flow_run_id, null, flow_run_history.max_bytes) as content
    where flow_run_history.max_bytes is not null
  )
  select json_build_object(
    'children', (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'flow_id', r.flow_id, 'parent_flow_run_id', r.parent_flow_run_id, 'parent_node_id', r.parent_node_id,
        'parent_times', r.parent_times, 'status', r.status, 'start_time', r.start_time, 'end_time', r.end_time,
        -- With pages, the inputs are left out: the interflow node that called the run makes them again.
        'inputs', case when flow_run_history.max_bytes is null then r.inputs else '{"M": {}}' end,
        'output', r.output, 'errors', r.errors, 'not_run', r.not_run
      )), '[]')
      from tree cross join lateral (select c.* from public.flow_run as c where c.id = tree.id offset 0) as r
      where tree.parent_flow_run_id is not null
        -- Once a called run and the interflow node that called it have both ended, nobody reads the result any more.
        and (r.end_time is null or not exists (
          select from public.node_run as e
          where e.flow_run_id = r.parent_flow_run_id and e.node_id = r.parent_node_id and e.times = r.parent_times and e.end_time is not null
        ))
    ),
    'node_runs', case when flow_run_history.max_bytes is not null then (select page.content -> 'node_runs' from page) else (
      -- Of a called run that has ended, its result is enough.
      select coalesce(json_agg(to_jsonb(n) - '{user_id,input}'::text[]), '[]')
      from tree cross join lateral (select e.* from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is null
    ) end,
    'next', (select page.content -> 'next' from page),
    'transactions', (
      select coalesce(json_agg(json_build_object(
        'flow_run_id', t.flow_run_id, 'node_id', t.node_id, 'times', t.times, 'members', t.members, 'message', t.message,
        'wire', t.wire, 'memo', t.memo, 'has_fees', t.has_fees,
        -- As text, since JavaScript would read a JSON number as a float.
        'slot', t.slot::text, 'last_valid_block_height', t.last_valid_block_height::text,
        'outcome', t.outcome, 'signature', t.signature,
        'requests', private.transaction_signature_requests(t.flow_run_id, t.node_id, t.times)
      ) order by t.created_at), '[]')
      from private.flow_run_transactions as t
      where t.root_flow_run_id = flow_run_history.flow_run_id
    ),
    'ended_executions', (
      -- They are not executed again, but count for the tree's limit of executions.
      select count(*)
      from tree cross join lateral (select from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is not null
    ),
    'log_counts', (
      select coalesce(json_object_agg(tree.id, counted.log_count), '{}')
      from tree
      cross join lateral (
        select max(l.log_index) + 1 as log_count from public.flow_run_logs as l where l.flow_run_id = tree.id
      ) as counted
      where counted.log_count is not null
    )
  );
$$;
comment on function private.flow_run_history(uuid, integer) is
  'Does what public.flow_run_history says. Definer: the runner may read everything of the runs that it claims.';
grant execute on function private.flow_run_history(uuid, integer) to service_role;

create function public.flow_run_history(flow_run_id uuid, max_bytes integer default null)
returns json
language sql stable security invoker
set search_path = ''
as $$
  select private.flow_run_history(flow_run_history.flow_run_id, flow_run_history.max_bytes);
$$;
comment on function public.flow_run_history(uuid, integer) is
  'For the runner: what earlier claims stored of a root run and the runs that it called: {children, node_runs, transactions, ended_executions, log_counts, next}. node_runs come without inputs, and only for runs that have not ended: all of them, or, with max_bytes, the first page of flow_run_history_page, with next for the next page. children leaves out called runs whose result nobody needs any more. transactions has all, with their signature requests. It is a call of its own, apart from claim_flow_runs, so that a run with too long a history fails alone. It returns json, since jsonb is limited to 256 MB.';
grant execute on function public.flow_run_history(uuid, integer) to service_role;

create function public.flow_run_history_page(flow_run_id uuid, after jsonb default null, max_bytes integer default 4194304)
returns json
language sql stable security invoker
set search_path = ''
as $$
  select private.flow_run_history_page(
    flow_run_history_page.flow_run_id, flow_run_history_page.after, flow_run_history_page.max_bytes
  );
$$;
comment on function public.flow_run_history_page(uuid, jsonb, integer) is
  'For the runner: the node_runs of flow_run_history in pages, {node_runs, next}. A page begins behind after, {flow_run_id, node_id, times} (null: at the beginning), and ends with the node run that brings it to max_bytes. next is the after of the next page; null on the last page.';
grant execute on function public.flow_run_history_page(uuid, jsonb, integer) to service_role;

-- sql/70_queue/50_lock_claimed_run.sql

create function private.lock_claimed_run(flow_run_id uuid, attempt integer)
returns public.flow_run
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run;
  v_attempt integer;
begin
  -- The run is locked before its job is read, in the order in which claims and stops lock them.
  select r.* into v_run
  from public.flow_run as r
  where r.id = lock_claimed_run.flow_run_id and r.end_time is null
  for no key update;
  select j.attempt into v_attempt from private.flow_run_jobs as j where j.flow_run_id = lock_claimed_run.flow_run_id;
  if v_run.id is null or v_attempt is distinct from lock_claimed_run.attempt then
    perform private.fail(409, 'claim_lost', 'This claim of the run is over: the run has ended, was deleted, or was claimed again.');
  end if;
  return v_run;
end;
$$;
comment on function private.lock_claimed_run(uuid, integer) is
  'Whose claim may write: the newest claim of a run that has not ended, given by its attempt. Locks and returns the run; 409 claim_lost for every other claim. Whatever a worker writes begins with it. Definer: jobs are private.';

-- sql/70_queue/51_store_progress.sql

create function private.store_called_runs(run public.flow_run, children jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into public.flow_run as r (
    id, created_at, user_id, flow_id, status, started_by, started_by_public_key, inputs, output, errors, not_run, start_time, end_time,
    parent_flow_run_id, parent_node_id, parent_times, chain_network
  )
  select
    c.id, private.uuid_v7_time(c.id), run.user_id, c.flow_id, c.status, run.started_by, run.started_by_public_key, c.inputs, c.output, c.errors, c.not_run,
    c.start_time, c.end_time, c.parent_flow_run_id, c.parent_node_id, c.parent_times, run.chain_network
  from jsonb_to_recordset(store_called_runs.children) as c (
    id uuid, flow_id integer, status text, inputs jsonb, output jsonb, errors text[], not_run uuid[], start_time timestamptz,
    end_time timestamptz, parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
  )
  on conflict on constraint flow_run_pkey do update
  set status = excluded.status, output = excluded.output, errors = excluded.errors, not_run = excluded.not_run, end_time = excluded.end_time
  -- A request that arrives late changes no run that has ended.
  where r.end_time is null;
end;
$$;
comment on function private.store_called_runs(public.flow_run, jsonb) is
  'Stores the runs that interflow nodes in a run''s tree called, with the owner, starter and network of that run. Definer: only functions write runs.';

create function private.store_progress(flow_run_id uuid, attempt integer, progress jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.lock_claimed_run(store_progress.flow_run_id, store_progress.attempt);
begin
  if store_progress.progress -> 'children' <> '[]' then
    perform private.store_called_runs(v_run, store_progress.progress -> 'children');
  end if;

  if store_progress.progress -> 'node_runs' <> '[]' then
    insert into public.node_run as n (flow_run_id, node_id, times, user_id, start_time, end_time, input, output, errors)
    select p.flow_run_id, p.node_id, p.times, v_run.user_id, p.start_time, p.end_time, p.input, p.output, p.errors
    from jsonb_to_recordset(store_progress.progress -> 'node_runs') as p (
      flow_run_id uuid, node_id uuid, times integer, start_time timestamptz, end_time timestamptz, input jsonb, output jsonb, errors text[]
    )
    on conflict on constraint node_run_pkey do update
    set end_time = excluded.end_time, output = excluded.output, errors = excluded.errors
    -- A request that arrives late changes no node run that has ended. The report that a node has begun changes nothing that is stored
    -- already, since the node may have put something out meanwhile.
    where n.end_time is null and (excluded.end_time is not null or excluded.output is not null);
  end if;

  if store_progress.progress -> 'transactions' <> '[]' then
    update private.flow_run_transactions as t
    set outcome = p.outcome, signature = p.signature
    from jsonb_to_recordset(store_progress.progress -> 'transactions') as p (
      flow_run_id uuid, node_id uuid, times integer, outcome text, signature text
    )
    where t.flow_run_id = p.flow_run_id and t.node_id = p.node_id and t.times = p.times and t.outcome is null;
    -- Nobody needs these signatures any more: for example, the signer of an action has just sent the transaction. If the requests stayed
    -- open, pending_signature_request would show them before the next transaction's, and the run would wait for their answers.
    update public.signature_requests as s
    set expires_at = clock_timestamp()
    from jsonb_to_recordset(store_progress.progress -> 'transactions') as p (flow_run_id uuid, node_id uuid, times integer)
    where s.flow_run_id = p.flow_run_id and s.node_id = p.node_id and s.times = p.times
      and s.signature is null and s.expires_at > clock_timestamp();
  end if;

  if store_progress.progress -> 'logs' <> '[]' then
    insert into public.flow_run_logs (flow_run_id, log_index, user_id, node_id, times, time, log_level, module, content)
    select l.flow_run_id, l.log_index, v_run.user_id, l.node_id, l.times, l.time, l.log_level, l.module, l.content
    from jsonb_to_recordset(store_progress.progress -> 'logs') as l (
      flow_run_id uuid, log_index integer, node_id uuid, times integer, time timestamptz, log_level text, module text, content text
    )
    on conflict on constraint flow_run_logs_pkey do nothing;
  end if;
end;
$$;
comment on function private.store_progress(uuid, integer, jsonb) is
  'Stores the progress of a claimed run, {children, node_runs, transactions, logs}; storing it twice changes nothing. 409 claim_lost for an older claim. Definer: nobody else writes these tables.';

create function private.store_job_progress(flow_run_id uuid, progress jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (store_job_progress.progress ->> 'work_ms')::bigint),
    output_bytes = greatest(j.output_bytes, (store_job_progress.progress ->> 'output_bytes')::bigint),
    -- A node has ended, so the run makes progress: what it was executing when workers were lost is over.
    lost_claim_count = case
      when jsonb_path_exists(store_job_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0 else j.lost_claim_count
    end
  where j.flow_run_id = store_job_progress.flow_run_id;
end;
$$;
comment on function private.store_job_progress(uuid, jsonb) is
  'Stores the rest of the progress, {work_ms, output_bytes}, in the job of a run that goes on, and forgets lost workers when a node has ended. Definer: jobs are private.';

-- sql/70_queue/52_release_flow_run.sql

create function private.end_claim(flow_run_id uuid, delay_seconds integer)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint;
  v_is_stopping boolean;
begin
  -- Only while the run is held: a release that arrives twice changes nothing the second time.
  update private.flow_run_jobs as j
  set
    is_held = false,
    -- A run that shall stop does not sleep: a request to stop that came while the run was held had nobody to wake.
    sleeps_until = case
      when end_claim.delay_seconds > 0 and j.stop_requested_at is null
        then clock_timestamp() + make_interval(secs => end_claim.delay_seconds)
    end,
    -- This worker was not lost, so losses are counted anew. Otherwise runs that happened to be there when others ended their workers
    -- would stay suspects while they wait, and each would be executed alone after every release.
    lost_claim_count = 0,
    -- The run goes behind those that came meanwhile, of the same owner too: so long runs take turns with new ones.
    turn = nextval('pgmq.q_flow_runs_msg_id_seq')
  where j.flow_run_id = end_claim.flow_run_id and j.is_held
  returning j.message_id, j.stop_requested_at is not null into v_message_id, v_is_stopping;
  perform private.set_visible_after(array[v_message_id], case when v_is_stopping then 0 else coalesce(end_claim.delay_seconds, 0) end);
  return v_message_id is not null;
end;
$$;
comment on function private.end_claim(uuid, integer) is
  'Ends a claim before the run is over: the run may be claimed again after delay_seconds, or at once when it shall stop. Returns false when the claim was released before. The caller holds the lock of the run. Definer: queue and jobs are private.';

create function private.release_flow_run(flow_run_id uuid, attempt integer, progress jsonb, delay_seconds integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(release_flow_run.flow_run_id, release_flow_run.attempt, release_flow_run.progress);
  perform private.store_job_progress(release_flow_run.flow_run_id, release_flow_run.progress);
  perform private.end_claim(release_flow_run.flow_run_id, release_flow_run.delay_seconds);
end;
$$;
comment on function private.release_flow_run(uuid, integer, jsonb, integer) is
  'Does what public.release_flow_run says. Definer: queue and jobs are private.';
grant execute on function private.release_flow_run(uuid, integer, jsonb, integer) to service_role;

create function public.release_flow_run(flow_run_id uuid, attempt integer, progress jsonb, delay_seconds integer default 0)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.release_flow_run(
    release_flow_run.flow_run_id, release_flow_run.attempt, release_flow_run.progress, release_flow_run.delay_seconds
  );
$$;
comment on function public.release_flow_run(uuid, integer, jsonb, integer) is
  'For the runner: stores the progress of a claimed run, {children, node_runs, transactions, logs, work_ms, output_bytes}, and ends the claim: the run goes back to the queue, to be claimed after delay_seconds, or at once when it shall stop. 409 claim_lost for an older claim.';
grant execute on function public.release_flow_run(uuid, integer, jsonb, integer) to service_role;

-- sql/70_queue/53_checkpoint_flow_run.sql

create function private.checkpoint_flow_run(flow_run_id uuid, attempt integer, lease_seconds integer, progress jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.attempt, checkpoint_flow_run.progress);
  perform private.store_job_progress(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.progress);
  perform private.set_visible_after(
    -- Only while the run is held: a checkpoint that arrives after the release hides nothing.
    array(select j.message_id from private.flow_run_jobs as j where j.flow_run_id = checkpoint_flow_run.flow_run_id and j.is_held),
    checkpoint_flow_run.lease_seconds
  );
end;
$$;
comment on function private.checkpoint_flow_run(uuid, integer, integer, jsonb) is
  'Does what public.checkpoint_flow_run says. Definer: queue and jobs are private.';
grant execute on function private.checkpoint_flow_run(uuid, integer, integer, jsonb) to service_role;

create function public.checkpoint_flow_run(flow_run_id uuid, attempt integer, lease_seconds integer, progress jsonb)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.checkpoint_flow_run(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.attempt, checkpoint_flow_run.lease_seconds, checkpoint_flow_run.progress
  );
end;
$$;
comment on function public.checkpoint_flow_run(uuid, integer, integer, jsonb) is
  'For the runner: stores the progress of a claimed run, {children, node_runs, transactions, logs, work_ms, output_bytes}, and keeps the claim for lease_seconds from now. 409 claim_lost for an older claim.';
grant execute on function public.checkpoint_flow_run(uuid, integer, integer, jsonb) to service_role;

-- sql/70_queue/54_suspend_flow_run.sql

create function private.suspend_flow_run(flow_run_id uuid, attempt integer, progress jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds integer;
begin
  perform private.store_progress(suspend_flow_run.flow_run_id, suspend_flow_run.attempt, suspend_flow_run.progress);
  perform private.store_job_progress(suspend_flow_run.flow_run_id, suspend_flow_run.progress);
  -- store_progress has locked the run. An answer or a stop that came before the lock is seen here; one that comes after it finds a run
  -- that nobody holds, and wakes it. No unanswered request: at once. Some are open: when the first of them expires. All have expired:
  -- in a second, because a worker whose clock is slow would suspend the run again at once.
  select case when count(*) = 0 then 0 else coalesce(
    ceil(extract(epoch from min(s.expires_at) filter (where s.expires_at > clock_timestamp()) - clock_timestamp())), 1
  ) end into v_seconds
  from public.signature_requests as s
  join private.flow_run_transactions as t on (t.flow_run_id, t.node_id, t.times) = (s.flow_run_id, s.node_id, s.times)
  where s.root_flow_run_id = suspend_flow_run.flow_run_id and s.signature is null and t.outcome is null;
  if private.end_claim(suspend_flow_run.flow_run_id, greatest(v_seconds, 0)) then
    update public.flow_run as r set status = 'waiting' where r.id = suspend_flow_run.flow_run_id;
  end if;
end;
$$;
comment on function private.suspend_flow_run(uuid, integer, jsonb) is 'Does what public.suspend_flow_run says. Definer: queue and jobs are private.';
grant execute on function private.suspend_flow_run(uuid, integer, jsonb) to service_role;

create function public.suspend_flow_run(flow_run_id uuid, attempt integer, progress jsonb)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.suspend_flow_run(suspend_flow_run.flow_run_id, suspend_flow_run.attempt, suspend_flow_run.progress);
$$;
comment on function public.suspend_flow_run(uuid, integer, jsonb) is
  'For the runner: stores the progress of a claimed run, {children, node_runs, transactions, logs, work_ms, output_bytes}, and releases the run until its signatures arrive. The run may be claimed again when all requests are answered, when the first one expires, or when the run shall stop; at once when no request is unanswered, and in a second when all unanswered ones have expired. 409 claim_lost for an older claim.';
grant execute on function public.suspend_flow_run(uuid, integer, jsonb) to service_role;

-- sql/70_queue/60_end_flow_run.sql

create function private.end_called_runs(root_flow_run_id uuid, status text)
returns void
language plpgsql volatile security definer
set search_path = ''
-- The first plan is kept. It may be made while the table is empty, and must be good for a full one too.
set enable_seqscan = off
as $$
begin
  -- `offset 0` makes this one look at an index for the children of each run. The planner expects far more children than there are, since
  -- it goes by the average of all runs that call others, and would read all called runs instead.
  with recursive descendant as (
    select child.id, child.end_time from public.flow_run as child where child.parent_flow_run_id = end_called_runs.root_flow_run_id
    union all
    select child.id, child.end_time
    from descendant
    cross join lateral (
      select c.id, c.end_time from public.flow_run as c where c.parent_flow_run_id = descendant.id offset 0
    ) as child
  )
  update public.flow_run as r
  set
    status = case end_called_runs.status when 'stopped' then 'stopped' else 'failed' end,
    errors = case end_called_runs.status when 'stopped' then null else array['the run that called this flow has ended'] end,
    output = '{"M": {}}', not_run = private.nodes_not_run(r, end_called_runs.root_flow_run_id), end_time = clock_timestamp()
  where r.id = any (array(select descendant.id from descendant where descendant.end_time is null));
end;
$$;
comment on function private.end_called_runs(uuid, text) is
  'Ends the called runs in a root run''s tree that have not ended: as stopped when the root was stopped, else as failed. Definer: only functions write runs.';

create function private.end_flow_run(
  flow_run_id uuid, status text, output jsonb default null, errors text[] default null, not_run uuid[] default null, work_ms bigint default 0
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint := (select j.message_id from private.flow_run_jobs as j where j.flow_run_id = end_flow_run.flow_run_id);
begin
  update public.flow_run as r
  set
    status = end_flow_run.status, output = coalesce(end_flow_run.output, '{"M": {}}'), errors = end_flow_run.errors,
    not_run = coalesce(end_flow_run.not_run, private.nodes_not_run(r, r.id)),
    end_time = clock_timestamp()
  where r.id = end_flow_run.flow_run_id and r.end_time is null;

  -- Called runs end with the root at the latest. Some are left when the root ends before a worker went on with them.
  if exists (select from public.flow_run as r where r.parent_flow_run_id = end_flow_run.flow_run_id) then
    perform private.end_called_runs(end_flow_run.flow_run_id, end_flow_run.status);
  end if;

  -- So that readers of open requests see that nobody waits for an answer.
  update public.signature_requests as s set expires_at = clock_timestamp()
  where s.root_flow_run_id = end_flow_run.flow_run_id and s.signature is null and s.expires_at > clock_timestamp();

  -- The job before its message, the order in which heartbeats lock them.
  update private.flow_run_jobs as j
  set
    message_id = null, is_held = false, sleeps_until = null, work_ms = greatest(j.work_ms, end_flow_run.work_ms),
    failed_at = case end_flow_run.status when 'failed' then clock_timestamp() end
  where j.flow_run_id = end_flow_run.flow_run_id;
  delete from pgmq.q_flow_runs as m where m.msg_id = v_message_id;
end;
$$;
comment on function private.end_flow_run(uuid, text, jsonb, text[], uuid[], bigint) is
  'The one place where root runs end: stores the result, ends the called runs and the open signature requests of the tree, and deletes the message from the queue. not_run: null for all nodes that have no node run. Definer: only functions write runs.';

create function private.nodes_not_run(run public.flow_run, root_run_id uuid)
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select coalesce(array_agg((n.node ->> 'id')::uuid order by n.position), '{}')
  from private.flow_run_jobs as j
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  cross join lateral jsonb_array_elements(
    case
      when nodes_not_run.run.id = nodes_not_run.root_run_id then s.data #> '{entry,nodes}'
      else s.data #> array['flows', nodes_not_run.run.flow_id::text, 'nodes']
    end
  ) with ordinality as n (node, position)
  where j.flow_run_id = nodes_not_run.root_run_id and n.node #>> '{data,type}' <> 'mock'
    and not exists (
      select from public.node_run as r where r.flow_run_id = nodes_not_run.run.id and r.node_id = (n.node ->> 'id')::uuid
    );
$$;
comment on function private.nodes_not_run(public.flow_run, uuid) is
  'The nodes of a run''s flow that have no node run, in the flow''s order. root_run_id is the root of the run''s tree, whose job names the snapshot. Definer: jobs and snapshots are private.';

-- sql/70_queue/61_finish_flow_run.sql

create function private.finish_flow_run(
  flow_run_id uuid, attempt integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.progress);
  perform private.end_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.status, finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run,
    (finish_flow_run.progress ->> 'work_ms')::bigint
  );
end;
$$;
comment on function private.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) is
  'Does what public.finish_flow_run says. Definer: only functions write runs, and the queue is private.';
grant execute on function private.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) to service_role;

create function public.finish_flow_run(
  flow_run_id uuid, attempt integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.finish_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.status,
    finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run, finish_flow_run.progress
  );
end;
$$;
comment on function public.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) is
  'For the runner: stores the last progress of a claimed run, {children, node_runs, transactions, logs, work_ms}, and ends the run with its result, in one transaction. not_run: null for all nodes that have no node run. 409 claim_lost for an older claim.';
grant execute on function public.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) to service_role;

create function private.finish_flow_runs(results jsonb)
returns uuid[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_result record;
  v_finished uuid[] := '{}';
begin
  for v_result in
    select f.*
    from jsonb_to_recordset(finish_flow_runs.results) as f (
      flow_run_id uuid, attempt integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
    )
    cross join lateral (
      select j.counted_deployment_id
      from public.flow_run as r
      join private.flow_run_jobs as j on j.flow_run_id = r.id
      where r.id = f.flow_run_id and r.end_time is null and j.attempt = f.attempt
      -- A run that another transaction has locked is skipped: waiting for it while holding other runs could end in a deadlock.
      for no key update of r skip locked
    ) as held
    -- The commit subtracts the ends from their deployments' usage in this order, which is the same for all.
    order by held.counted_deployment_id
  loop
    perform private.finish_flow_run(
      v_result.flow_run_id, v_result.attempt, v_result.status, v_result.output, v_result.errors, v_result.not_run, v_result.progress
    );
    v_finished := v_finished || v_result.flow_run_id;
  end loop;
  return v_finished;
end;
$$;
comment on function private.finish_flow_runs(jsonb) is
  'Does what public.finish_flow_runs says. Definer: only functions write runs, and the queue is private.';
grant execute on function private.finish_flow_runs(jsonb) to service_role;

create function public.finish_flow_runs(results jsonb)
returns uuid[]
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.finish_flow_runs(finish_flow_runs.results);
end;
$$;
comment on function public.finish_flow_runs(jsonb) is
  'For the runner: finishes several runs in one transaction, [{flow_run_id, attempt, status, output, errors, not_run, progress}], each as finish_flow_run does, and returns the ids of those that it finished. It skips runs of an older claim and runs that another transaction has locked. When one of them can''t be stored, it raises that error and finishes none.';
grant execute on function public.finish_flow_runs(jsonb) to service_role;

-- sql/70_queue/80_runner_metrics.sql

create function private.runner_metrics()
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  -- clock_timestamp() is in sub-selects, since a volatile function in a condition keeps an index from being used.
  -- Runs that sleep and runs that do not have an index each.
  with job as not materialized (
    select j.* from private.flow_run_jobs as j where j.message_id is not null and j.sleeps_until is null
    union all
    select j.* from private.flow_run_jobs as j where j.sleeps_until is not null
  ),
  queue as (
    select count(*) as length, (select clock_timestamp()) - min(m.vt) as age
    from pgmq.q_flow_runs as m
    where m.vt <= (select clock_timestamp())
  ),
  hidden as (
    select count(*) filter (where j.is_held) as running,
      count(*) filter (where not j.is_held and r.status <> 'waiting') as delayed
    from pgmq.q_flow_runs as m
    join job as j on j.message_id = m.msg_id
    join public.flow_run as r on r.id = j.flow_run_id
    where m.vt > (select clock_timestamp())
  )
  select jsonb_build_object(
    'queue_length', queue.length,
    'oldest_queued_seconds', round(extract(epoch from queue.age), 3),
    'delayed', hidden.delayed,
    'running', hidden.running,
    'waiting', (
      -- The sub-select is one look at an index for each run that has not ended. A join might read all runs.
      select count(*) from job as j
      where (select r.status from public.flow_run as r where r.id = j.flow_run_id) = 'waiting'
    ),
    'failed_last_hour', (
      select count(*) from private.flow_run_jobs as j where j.failed_at > (select clock_timestamp()) - interval '1 hour'
    )
  )
  from queue cross join hidden;
$$;
comment on function private.runner_metrics() is 'Does what public.runner_metrics says. Definer: the queue is private.';
grant execute on function private.runner_metrics() to service_role;

create function public.runner_metrics()
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.runner_metrics();
$$;
comment on function public.runner_metrics() is
  'For operators: counts of root runs. queue_length: runs that may be claimed now, those of lost workers included; oldest_queued_seconds: how long the first of them has waited, null when there is none; delayed: runs that were released for later; running: runs that a worker holds; waiting: runs that wait for a signature; failed_last_hour.';
grant execute on function public.runner_metrics() to service_role;

-- sql/70_queue/81_sweep_steps.sql

-- The steps of sweep_runner. Each skips rows that other transactions have locked, which the next sweep deletes: a sweep waits for nobody, so
-- nobody waits for a waiting sweep. `offset 0` makes a `not exists` one look at an index for each row; a join would read the whole table.
-- The steps are planned with the settings of sweep_runner.

create function private.delete_old_runs(max_age interval, max_runs integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
begin
  delete from public.flow_run as r
  where r.id = any (array(
    select old.id from public.flow_run as old
    -- An id holds the time at which its run was made, which is before its end. So the search needs no index on the ends, which would cost
    -- every start.
    where old.id < (select private.uuid_v7(greatest(now() - delete_old_runs.max_age, 'epoch')))
      and old.parent_flow_run_id is null and old.end_time < now() - delete_old_runs.max_age
    order by old.id limit delete_old_runs.max_runs
    for update skip locked
  ));
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_old_runs(interval, integer) is
  'Deletes root runs that ended longer than max_age ago with all that is theirs, and returns how many. Definer: only functions write runs.';

create function private.delete_old_idempotency_keys(max_keys integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
begin
  delete from private.idempotency_keys as k
  where k.key_hash = any (array(
    select old.key_hash from private.idempotency_keys as old
    where old.created_at < now() - interval '24 hours'
    order by old.created_at limit delete_old_idempotency_keys.max_keys
    for update skip locked
  ));
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_old_idempotency_keys(integer) is
  'Deletes idempotency keys of more than 24 hours, and returns how many. Definer: the keys are private.';

create function private.delete_stray_messages(max_messages integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (
    select count(*)
    from unnest(array(
      select m.msg_id from pgmq.q_flow_runs as m
      where not exists (
          select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.message_id is not null and j.sleeps_until is null
        )
        and not exists (select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.sleeps_until is not null)
      limit delete_stray_messages.max_messages
      for update skip locked
    )) as stray (id)
    where pgmq.delete('flow_runs', stray.id)
  );
end;
$$;
comment on function private.delete_stray_messages(integer) is
  'Deletes messages that belong to no run, and returns how many. Definer: queue and jobs are private.';

create function private.delete_idle_usage(max_shares integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_idle bigint;
begin
  with idle as (
    select u.deployment_id, u.share
    from private.deployment_usage as u
    where u.share <> 'all'
    group by u.deployment_id, u.share
    having sum(u.in_flight) = 0 and max(u.minute) < now() - interval '1 minute'
    limit delete_idle_usage.max_shares
  ), locked as (
    select u.deployment_id, u.share, u.slot, u.in_flight, u.minute
    from private.deployment_usage as u join idle as i on (i.deployment_id, i.share) = (u.deployment_id, u.share)
    for update of u skip locked
  ), forgotten as (
    -- Checked again with the values that the locked rows have now. Rows that add up to 0 change no sum, so they may go although rows of
    -- the same share that were locked or are new stay.
    delete from private.deployment_usage as u
    where (u.deployment_id, u.share, u.slot) in (
      select l.deployment_id, l.share, l.slot
      from locked as l join (
        select l.deployment_id, l.share from locked as l group by l.deployment_id, l.share
        having sum(l.in_flight) = 0 and max(l.minute) < now() - interval '1 minute'
      ) as unused on (unused.deployment_id, unused.share) = (l.deployment_id, l.share)
    )
  )
  select count(*) into v_idle from idle;
  return v_idle;
end;
$$;
comment on function private.delete_idle_usage(integer) is
  'Deletes the usage of shares, other than all, that have no run in flight and started none within the last minute: of max_shares at most. Returns how many such shares it found. Definer: the usage is private.';

create function private.delete_usage_of_deleted_deployments(max_rows integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- The end of a run writes such a row, or keeps it locked, while its deployment is being deleted.
  delete from private.deployment_usage as u
  where (u.deployment_id, u.share, u.slot) in (
    select old.deployment_id, old.share, old.slot from private.deployment_usage as old
    where not exists (select from public.flow_deployments as d where d.id = old.deployment_id offset 0)
    limit delete_usage_of_deleted_deployments.max_rows
    for update skip locked
  );
end;
$$;
comment on function private.delete_usage_of_deleted_deployments(integer) is
  'Deletes what is left of the usage of deleted deployments. Definer: the usage is private.';

-- sql/70_queue/82_sweep_snapshots.sql

create function private.snapshots_of_pending_runs()
returns bytea[]
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return array(
    select j.snapshot_hash from private.flow_run_jobs as j where j.message_id is not null and j.sleeps_until is null
    union
    select j.snapshot_hash from private.flow_run_jobs as j where j.sleeps_until is not null
  );
end;
$$;
comment on function private.snapshots_of_pending_runs() is 'The snapshots of runs that have not ended, by hash. Definer: the jobs are private.';

create function private.delete_unused_snapshots(max_snapshots integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
  v_hashes bytea[];
  v_used_hashes bytea[];
begin
  v_used_hashes := private.snapshots_of_pending_runs();
  v_hashes := array(
    select s.hash from private.flow_snapshots as s
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash offset 0)
      and s.hash <> all (v_used_hashes)
    limit delete_unused_snapshots.max_snapshots
    for update skip locked
  );
  -- From the lock on, nobody can take one of these snapshots for a new deployment or run. Those who took one before the lock are found by
  -- looking again, at deployments first and at runs second: if a deployment is gone by the first look, all runs that were started from it
  -- are committed by the second.
  v_hashes := array(
    select u.hash from unnest(v_hashes) as u (hash)
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = u.hash offset 0)
  );
  v_used_hashes := private.snapshots_of_pending_runs();
  delete from private.flow_snapshots as s where s.hash = any (v_hashes) and s.hash <> all (v_used_hashes);
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_unused_snapshots(integer) is
  'Deletes snapshots that neither a deployment nor a run that has not ended needs, and returns how many. Definer: snapshots and jobs are private.';

-- sql/70_queue/83_sweep_runner.sql

create function private.check_sweep_arguments(max_age interval, max_runs integer)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if check_sweep_arguments.max_age < interval '24 hours' then
    perform private.fail(400, 'request_invalid',
      'max_age: must be at least 24 hours, since a repeated start finds its run by the idempotency key for so long.');
  end if;
  if check_sweep_arguments.max_runs is null or check_sweep_arguments.max_runs not between 1 and 10000 then
    perform private.fail(400, 'request_invalid', 'max_runs: must be an integer from 1 to 10000.');
  end if;
end;
$$;
comment on function private.check_sweep_arguments(interval, integer) is 'Refuses arguments out of their range: 400 request_invalid.';

create function private.sweep_runner(max_age interval default '30 days', max_runs integer default 1000)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
-- The planner expects a scan of the whole table to meet a reference soon, as most rows have one. What is looked for here has none.
set enable_seqscan = off
as $$
declare
  v_runs bigint;
  v_keys bigint;
  v_messages bigint;
  v_idle_shares bigint;
  v_snapshots bigint;
begin
  perform private.check_sweep_arguments(sweep_runner.max_age, sweep_runner.max_runs);
  v_runs := private.delete_old_runs(sweep_runner.max_age, sweep_runner.max_runs);
  v_keys := private.delete_old_idempotency_keys(sweep_runner.max_runs);
  v_messages := private.delete_stray_messages(sweep_runner.max_runs);
  v_idle_shares := private.delete_idle_usage(sweep_runner.max_runs);
  perform private.delete_usage_of_deleted_deployments(sweep_runner.max_runs);
  -- Last, since a start of the same graph waits for it until the transaction ends.
  v_snapshots := private.delete_unused_snapshots(sweep_runner.max_runs);
  return jsonb_build_object(
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', v_messages, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_messages, v_snapshots, v_idle_shares)
  );
end;
$$;
comment on function private.sweep_runner(interval, integer) is
  'Does what public.sweep_runner says. Definer: only functions delete runs, and the rest is private.';
grant execute on function private.sweep_runner(interval, integer) to service_role;

create function public.sweep_runner(max_age interval default '30 days', max_runs integer default 1000)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.sweep_runner(sweep_runner.max_age, sweep_runner.max_runs);
$$;
comment on function public.sweep_runner(interval, integer) is
  'For operators: deletes runs that ended longer than max_age ago (null: none) with all that is theirs, idempotency keys of more than 24 hours, messages that belong to no run, usage of callers who are idle and of deployments that are deleted, and snapshots that neither a deployment nor a run that has not ended needs; of each kind max_runs at most. Returns {runs, idempotency_keys, messages, snapshots, has_more}: how many it deleted, and whether to call again. 400 request_invalid.';
grant execute on function public.sweep_runner(interval, integer) to service_role;

-- sql/70_queue/84_poke_runner.sql

-- Only hosted Supabase has pg_net and Vault, so dynamic SQL calls them.
create function private.vault_secret(name text)
returns text
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_secret text;
begin
  if to_regclass('vault.decrypted_secrets') is not null then
    execute 'select s.decrypted_secret from vault.decrypted_secrets as s where s.name = $1' into v_secret using vault_secret.name;
  end if;
  return nullif(v_secret, '');
end;
$$;
comment on function private.vault_secret(text) is 'A secret from Vault by its name; null when there is no such secret, or no Vault. For administrators only.';

create function private.poke_runner()
returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_url text;
  v_key text;
  v_request_id bigint;
begin
  -- An idle project sends no requests.
  if not private.has_claimable_run() then
    return 'nothing is queued';
  end if;
  if to_regproc('net.http_post') is null then
    return 'pg_net is not installed';
  end if;
  v_url := private.vault_secret('project_url');
  v_key := private.vault_secret('runner_key');
  if v_url is null or v_key is null then
    return 'Vault lacks the secret project_url or runner_key';
  end if;
  execute 'select net.http_post(url => $1, headers => $2, timeout_milliseconds => 5000)'
  into v_request_id
  using rtrim(v_url, '/') || '/functions/v1/runner', jsonb_build_object('apikey', v_key);
  return format('request %s is sent', v_request_id);
end;
$$;
comment on function private.poke_runner() is
  'For pg_cron: when a run may be claimed, sends POST functions/v1/runner with pg_net, to the address and with the secret key that Vault holds as project_url and runner_key. Returns what it did, or why it did nothing. The answer to request N is row N of net._http_response.';

-- sql/70_queue/85_schedule_runner.sql

-- Only hosted Supabase has pg_cron, so dynamic SQL calls it.
create function private.runner_cron_jobs(max_age interval)
returns table (name text, schedule text, command text)
language sql stable security invoker
set search_path = ''
as $$
  values
    ('flow_runner_poke', '10 seconds', 'select private.poke_runner()'),
    -- A job is one transaction, so it is bounded: 10,000 runs take about half a second. Once a minute keeps up with 166 starts a second.
    ('flow_runner_sweep', '* * * * *', format('select private.sweep_runner(max_age => %L::interval, max_runs => 10000)', runner_cron_jobs.max_age)),
    -- pg_cron never deletes its own history.
    ('flow_runner_history', '17 3 * * *', 'delete from cron.job_run_details as d using cron.job as j '
      'where j.jobid = d.jobid and j.jobname in (''flow_runner_poke'', ''flow_runner_sweep'', ''flow_runner_history'') '
      'and d.end_time < now() - interval ''1 day''');
$$;
comment on function private.runner_cron_jobs(interval) is 'The jobs for pg_cron: pokes keep runs going, sweeps delete runs that ended longer than max_age ago, and the history of the jobs is cut.';

create function private.check_runner_schedule()
returns table (item text, is_ok boolean, note text)
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_has_cron boolean := to_regprocedure('cron.schedule(text,text,text)') is not null;
  v_name text;
  v_waited numeric := private.runner_metrics() ->> 'oldest_queued_seconds';
begin
  return query values
    ('extension pg_cron', v_has_cron, 'runs the jobs; create extension pg_cron'),
    ('extension pg_net', to_regproc('net.http_post') is not null, 'sends the pokes; create extension pg_net'),
    ('secret project_url', private.vault_secret('project_url') is not null,
      'the project''s address; select vault.create_secret(''https://….supabase.co'', ''project_url'')'),
    ('secret runner_key', private.vault_secret('runner_key') is not null,
      'the project''s secret key; select vault.create_secret(''sb_secret_…'', ''runner_key'')');

  for v_name in select j.name from private.runner_cron_jobs(null) as j loop
    item := 'job ' || v_name;
    is_ok := null;
    if v_has_cron then
      execute $query$
        select j.active and r.status is distinct from 'failed',
          format('%s: %s; last run: %s', j.schedule, j.command,
            coalesce(nullif(concat_ws(', ', r.start_time, r.status, r.return_message), ''), 'none'))
        from cron.job as j
        left join lateral (
          select d.start_time, d.status, d.return_message from cron.job_run_details as d
          where d.jobid = j.jobid order by d.runid desc limit 1
        ) as r on true
        where j.jobname = $1
      $query$ into is_ok, note using v_name;
    end if;
    if is_ok is null then
      is_ok := false;
      note := 'is not scheduled; select * from private.schedule_runner()';
    end if;
    return next;
  end loop;

  return query select 'queue', coalesce(v_waited < 60, true),
    case
      when v_waited is null then 'no run waits for a worker'
      else format('a run has waited %s s for a worker; answers to pokes: select * from net._http_response order by id desc', v_waited)
    end;
end;
$$;
comment on function private.check_runner_schedule() is
  'Checks what private.schedule_runner needs and has set up: one row for each item, with what is missing and how to mend it. The row "queue" shows whether pokes arrive. For administrators only.';

create function private.schedule_runner(max_age interval default '30 days')
returns table (item text, is_ok boolean, note text)
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_job record;
begin
  perform private.check_sweep_arguments(schedule_runner.max_age, 1);
  if to_regprocedure('cron.schedule(text,text,text)') is not null then
    for v_job in select * from private.runner_cron_jobs(schedule_runner.max_age) loop
      execute 'select cron.schedule($1, $2, $3)' using v_job.name, v_job.schedule, v_job.command;
    end loop;
  end if;
  return query select c.* from private.check_runner_schedule() as c;
end;
$$;
comment on function private.schedule_runner(interval) is
  'Schedules, with pg_cron, the pokes of the runner and the sweep that deletes runs max_age after their end (null: never), and returns what private.check_runner_schedule finds. A second call changes the jobs of the first. 400 request_invalid. For administrators only.';

-- sql/80_transactions/10_flow_run_transactions.sql

create table private.flow_run_transactions (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  root_flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  members jsonb not null,
  message text not null,
  wire text,
  memo text,
  has_fees boolean not null,
  slot bigint not null,
  last_valid_block_height bigint not null,
  outcome text,
  signature text,
  primary key (flow_run_id, node_id, times),
  constraint flow_run_transactions_times_natural check (times >= 0),
  constraint flow_run_transactions_key_is_first_member check (
    (members -> 0) @> jsonb_build_object('flow_run_id', flow_run_id, 'node_id', node_id, 'times', times) is true
  ),
  constraint flow_run_transactions_message_base64 check (private.is_base64(message)),
  constraint flow_run_transactions_wire_base64 check (private.is_base64(wire)),
  constraint flow_run_transactions_heights_natural check (slot >= 0 and last_valid_block_height >= 0),
  constraint flow_run_transactions_outcome_known check (outcome in ('confirmed', 'failed')),
  constraint flow_run_transactions_signature_valid check (private.is_base58(signature, 64)),
  constraint flow_run_transactions_signature_matches_outcome check (
    case outcome when 'confirmed' then signature is not null when 'failed' then true else signature is null end
  )
);
comment on table private.flow_run_transactions is
  'The transactions of runs. A transaction is stored before it leaves the runner, to be signed or sent, so that it is never made a second time. Its key is the first node execution whose instructions are in it.';
comment on column private.flow_run_transactions.root_flow_run_id is 'The root of the tree that flow_run_id is in.';
comment on column private.flow_run_transactions.members is
  'The node executions whose instructions it contains, in order: [{flow_run_id, node_id, times, instruction_count}].';
comment on column private.flow_run_transactions.message is 'The compiled v0 message, base64.';
comment on column private.flow_run_transactions.wire is
  'The signed transaction, base64; null while signatures are missing. Once set, the transaction may have been sent, so it never changes.';
comment on column private.flow_run_transactions.memo is 'The text of the memo that the action identity signs; null when the message does not end with one.';
comment on column private.flow_run_transactions.has_fees is 'The transaction pays the fees of the run.';
comment on column private.flow_run_transactions.slot is 'The slot in which its blockhash was read. The transaction can''t be in an earlier one.';
comment on column private.flow_run_transactions.last_valid_block_height is 'After this block height its blockhash is not valid any more.';
comment on column private.flow_run_transactions.outcome is 'confirmed or failed; null while it is not known.';
comment on column private.flow_run_transactions.signature is 'Its first signature, base58; null when it was not sent, or while the outcome is not known.';

create index flow_run_transactions_root_flow_run_id_idx on private.flow_run_transactions (root_flow_run_id);

create function private.store_transaction(flow_run_id uuid, attempt integer, transaction jsonb, requests jsonb)
returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.lock_claimed_run(store_transaction.flow_run_id, store_transaction.attempt);
  v_new private.flow_run_transactions := jsonb_populate_record(
    null::private.flow_run_transactions, store_transaction.transaction - '{created_at,outcome,signature}'::text[]
  );
  v_stored private.flow_run_transactions;
begin
  select t.* into v_stored
  from private.flow_run_transactions as t
  where (t.flow_run_id, t.node_id, t.times) = (v_new.flow_run_id, v_new.node_id, v_new.times);
  if v_stored.wire is null and v_stored.outcome is null then
    insert into private.flow_run_transactions (
      flow_run_id, node_id, times, root_flow_run_id, members, message, wire, memo, has_fees, slot, last_valid_block_height
    ) values (
      v_new.flow_run_id, v_new.node_id, v_new.times, v_run.id, v_new.members, v_new.message, v_new.wire, v_new.memo, v_new.has_fees,
      v_new.slot, v_new.last_valid_block_height
    )
    on conflict on constraint flow_run_transactions_pkey do update
    set
      members = excluded.members, message = excluded.message, wire = excluded.wire, memo = excluded.memo, has_fees = excluded.has_fees,
      slot = excluded.slot, last_valid_block_height = excluded.last_valid_block_height;
  elsif (v_new.message, v_new.wire) is distinct from (v_stored.message, v_stored.wire) then
    -- If it were sent a second time in another form, it might be paid twice.
    perform private.fail(500, 'internal', 'This transaction can''t change any more: it may have been sent, or its outcome is stored.');
  end if;
  perform private.store_signature_requests(v_run, v_new, store_transaction.requests);
  return private.transaction_signature_requests(v_new.flow_run_id, v_new.node_id, v_new.times);
end;
$$;
comment on function private.store_transaction(uuid, integer, jsonb, jsonb) is
  'Does what public.store_transaction says. Definer: only functions write transactions.';
grant execute on function private.store_transaction(uuid, integer, jsonb, jsonb) to service_role;

create function public.store_transaction(flow_run_id uuid, attempt integer, transaction jsonb, requests jsonb)
returns json
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_transaction(
    store_transaction.flow_run_id, store_transaction.attempt, store_transaction.transaction, store_transaction.requests
  );
$$;
comment on function public.store_transaction(uuid, integer, jsonb, jsonb) is
  'For the runner: stores a transaction of a claimed run''s tree, {flow_run_id, node_id, times, members, message, wire, memo, has_fees, slot, last_valid_block_height}, makes its signature requests, [{pubkey, msg, signatures, timeout_ms}], once for each key, and returns all that it has, [{id, pubkey, signature, new_msg, expires_at}]. A called run must be stored before its transactions. Once a transaction is stored with its wire it may have been sent: storing it with another message or wire is 500 internal. 409 claim_lost for an older claim.';
grant execute on function public.store_transaction(uuid, integer, jsonb, jsonb) to service_role;

-- sql/80_transactions/20_signature_requests.sql

create table public.signature_requests (
  id uuid primary key default private.uuid_v7(),
  created_at timestamptz not null generated always as (private.uuid_v7_time(id)) stored,
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  root_flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  owner_id uuid not null,
  user_id uuid,
  pubkey text not null,
  msg text not null,
  signatures jsonb,
  signature text,
  new_msg text,
  expires_at timestamptz not null,
  constraint signature_requests_transaction_pubkey_key unique (flow_run_id, node_id, times, pubkey),
  constraint signature_requests_transaction_fkey foreign key (flow_run_id, node_id, times)
    references private.flow_run_transactions (flow_run_id, node_id, times) on delete cascade,
  constraint signature_requests_pubkey_valid check (private.is_public_key(pubkey)),
  constraint signature_requests_msg_base64 check (private.is_base64(msg)),
  constraint signature_requests_signatures_array check (jsonb_typeof(signatures) = 'array'),
  constraint signature_requests_signature_valid check (private.is_base58(signature, 64)),
  constraint signature_requests_new_msg_base64 check (private.is_base64(new_msg)),
  constraint signature_requests_new_msg_signed check (new_msg is null or signature is not null)
);
comment on table public.signature_requests is
  'Signatures that runs wait for. Only functions write them; the flow''s owner, the user whose key is asked and the holder of the run''s token read them.';
comment on column public.signature_requests.flow_run_id is
  'With node_id and times, the first node execution whose instructions are in the transaction. root_flow_run_id is the root of its tree, the run that a run token is for.';
comment on column public.signature_requests.owner_id is
  'The owner of the flow. There is no foreign key: the request is deleted with its run, and the run with its flow.';
comment on column public.signature_requests.user_id is
  'The user whose key is asked: the owner when it is the key of one of their wallets, else the starter of the run; null when the starter showed only a public key, and once the user is deleted. There is no foreign key, as in flow_run.started_by: deleting a user would lock the request before its run, and answers and workers lock the run first.';
comment on column public.signature_requests.pubkey is 'The public key that shall sign, base58.';
comment on column public.signature_requests.msg is 'The message to sign, base64.';
comment on column public.signature_requests.signatures is 'Signatures that the transaction already has, [{pubkey, signature}]; null when it has none.';
comment on column public.signature_requests.signature is 'The answer, base58; null while there is none.';
comment on column public.signature_requests.new_msg is 'The message that was signed instead, base64; null when the wallet did not change it.';
comment on column public.signature_requests.expires_at is 'The request fails when it has no answer by then. When the transaction or the run ends earlier, this is set to that time.';

create index signature_requests_root_flow_run_id_idx on public.signature_requests (root_flow_run_id, id);
create index signature_requests_owner_id_idx on public.signature_requests (owner_id);
create index signature_requests_user_id_idx on public.signature_requests (user_id);

alter table public.signature_requests enable row level security;
create policy signature_requests_select_party on public.signature_requests for select to authenticated
  using (
    owner_id = (select auth.uid()) or user_id = (select auth.uid()) or root_flow_run_id = (select private.token_run_id())
  );
create policy signature_requests_select_token on public.signature_requests for select to anon
  using (root_flow_run_id = (select private.token_run_id()));

grant select on public.signature_requests to anon, authenticated;
grant select on public.signature_requests to service_role;

create function private.open_signature_requests(root_flow_run_id uuid)
returns setof public.signature_requests
language sql stable security definer
set search_path = ''
as $$
  select s.* from public.signature_requests as s
  where s.root_flow_run_id = open_signature_requests.root_flow_run_id
    and s.signature is null and s.expires_at > clock_timestamp()
  order by s.id;
$$;
comment on function private.open_signature_requests(uuid) is
  'The signature requests in the tree of a root run that can still be answered, the oldest first. Definer: for callers that are already checked.';

create function private.transaction_signature_requests(flow_run_id uuid, node_id uuid, times integer)
returns json
language sql stable security definer
set search_path = ''
as $$
  select coalesce(json_agg(json_build_object(
    'id', s.id, 'pubkey', s.pubkey, 'signature', s.signature, 'new_msg', s.new_msg, 'expires_at', s.expires_at
  ) order by s.id), '[]')
  from public.signature_requests as s
  where s.flow_run_id = transaction_signature_requests.flow_run_id and s.node_id = transaction_signature_requests.node_id
    and s.times = transaction_signature_requests.times;
$$;
comment on function private.transaction_signature_requests(uuid, uuid, integer) is
  'The signature requests of a transaction as the runner reads them: [{id, pubkey, signature, new_msg, expires_at}]. Definer: the runner may read everything of the runs that it claims.';

create function private.store_signature_requests(run public.flow_run, transaction private.flow_run_transactions, requests jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into public.signature_requests (
    id, flow_run_id, node_id, times, root_flow_run_id, owner_id, user_id, pubkey, msg, signatures, expires_at
  )
  select
    made.id, transaction.flow_run_id, transaction.node_id, transaction.times, run.id, run.user_id,
    case
      when exists (select from public.wallets as w where w.user_id = run.user_id and w.public_key = made.pubkey) then run.user_id
      else run.started_by
    end,
    made.pubkey, made.msg, made.signatures, private.uuid_v7_time(made.id) + made.timeout_ms * interval '1 millisecond'
  from (
    select private.uuid_v7() as id, r.*
    from jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text, msg text, signatures jsonb, timeout_ms integer)
  ) as made
  on conflict on constraint signature_requests_transaction_pubkey_key do nothing;

  perform
  from public.signature_requests as s
  join jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text, msg text) on r.pubkey = s.pubkey
  where (s.flow_run_id, s.node_id, s.times) = (transaction.flow_run_id, transaction.node_id, transaction.times) and s.msg <> r.msg;
  if found then
    perform private.fail(500, 'internal', 'A key was already asked to sign another message for this transaction.');
  end if;
end;
$$;
comment on function private.store_signature_requests(public.flow_run, private.flow_run_transactions, jsonb) is
  'Makes the signature requests of a transaction, [{pubkey, msg, signatures, timeout_ms}], once for each key. Definer: only functions write them.';

-- sql/80_transactions/30_pending_signature_request.sql

create function private.pending_signature_request(flow_run_id uuid)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_run_id uuid := private.root_run_for_caller(pending_signature_request.flow_run_id);
begin
  perform from public.flow_run as r where r.id = v_run_id and r.end_time is null;
  if not found then
    perform private.fail(404, 'signature_request_not_found', 'The run has ended, so it asks for no signature.');
  end if;
  return jsonb_build_object(
    'request', (
      select jsonb_build_object(
        'id', s.id, 'time', floor(extract(epoch from s.created_at) * 1000), 'pubkey', s.pubkey, 'message', s.msg,
        'timeout', extract(epoch from s.expires_at - s.created_at), 'flow_run_id', s.flow_run_id, 'signatures', s.signatures
      )
      from private.open_signature_requests(v_run_id) as s
      limit 1
    ),
    'is_overdue', private.has_claimable_run(interval '2 seconds')
  );
end;
$$;
comment on function private.pending_signature_request(uuid) is
  'Does what public.pending_signature_request says. Definer, as private.run_for_caller is.';
grant execute on function private.pending_signature_request(uuid) to anon, authenticated, service_role;

create function public.pending_signature_request(flow_run_id uuid)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.pending_signature_request(pending_signature_request.flow_run_id);
$$;
comment on function public.pending_signature_request(uuid) is
  'The oldest open signature request in the tree of a run, {request, is_overdue}, for the run''s owner, its starter, and the holder of its token. request: null when there is none, else {id, time (milliseconds since 1970), pubkey, message, timeout (seconds), flow_run_id, signatures}. is_overdue: as in flow_run_result. 401; 404 flow_run_not_found; 404 signature_request_not_found once the run has ended.';
grant execute on function public.pending_signature_request(uuid) to anon, authenticated, service_role;

create function private.asking_flow_runs(flow_run_ids uuid[])
returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select asked.id
  from unnest(asking_flow_runs.flow_run_ids) as asked (id)
  cross join lateral private.root_run_id(asked.id) as root (id)
  where exists (select from private.open_signature_requests(root.id))
    -- A run that has ended or is deleted will never ask: its callers need not wait either.
    or not exists (select from public.flow_run as r where r.id = root.id and r.end_time is null);
$$;
comment on function private.asking_flow_runs(uuid[]) is 'Does what public.asking_flow_runs says. Definer: one call for many callers, who are already checked.';
grant execute on function private.asking_flow_runs(uuid[]) to service_role;

create function public.asking_flow_runs(flow_run_ids uuid[])
returns setof uuid
language sql stable security invoker
set search_path = ''
as $$
  select * from private.asking_flow_runs(asking_flow_runs.flow_run_ids);
$$;
comment on function public.asking_flow_runs(uuid[]) is
  'For the Edge Functions, which wait on behalf of callers: those of these runs for which waiting is over, since their tree asks for a signature now, or will never ask again.';
grant execute on function public.asking_flow_runs(uuid[]) to service_role;

-- sql/80_transactions/40_answer_signature_request.sql

create function private.may_answer(request public.signature_requests, caller private.caller)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select coalesce(
    -- The owner of the flow.
    may_answer.request.owner_id = may_answer.caller.user_id
    -- The user whose key is asked.
    or may_answer.request.user_id = may_answer.caller.user_id
    -- The starter of the run.
    or exists (
      select from public.flow_run as r
      where r.id = may_answer.request.root_flow_run_id and r.started_by = may_answer.caller.user_id
    )
    -- The holder of the run's token.
    or may_answer.request.root_flow_run_id = may_answer.caller.run_id,
    false
  );
$$;
comment on function private.may_answer(public.signature_requests, private.caller) is
  'Who may answer a signature request: whether the caller, a user or the holder of a run token, is one of them. The signature itself must be of the asked key, whoever sends it. Definer: it reads runs for callers who may not.';

create function private.check_answerable(request public.signature_requests, new_msg text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := (select r from public.flow_run as r where r.id = request.root_flow_run_id);
  v_state jsonb := jsonb_build_object(
    'signature', request.signature, 'new_msg', request.new_msg, 'expires_at', request.expires_at, 'run_status', v_run.status
  );
begin
  if request.signature is not null then
    perform private.fail(409, 'signature_request_answered', 'This signature request is already answered.', v_state,
      'If details.signature is the one that you sent, your answer was stored.');
  end if;
  if v_run.end_time is not null then
    perform private.fail(409, 'signature_request_expired', 'The run that asked for this signature has ended.', v_state);
  end if;
  if request.expires_at <= clock_timestamp() then
    perform private.fail(409, 'signature_request_expired', 'The time to answer this signature request is over.', v_state,
      'Start the run again, and sign before expires_at.');
  end if;
  if check_answerable.new_msg <> request.msg and (
    jsonb_array_length(request.signatures) > 0
      or exists (
        select from public.signature_requests as other
        where (other.flow_run_id, other.node_id, other.times) = (request.flow_run_id, request.node_id, request.times)
          and other.id <> request.id
      )
  ) then
    perform private.fail(400, 'transaction_changed',
      'new_msg can''t be used here: others have signed this transaction as it is, or are asked to, and a change would invalidate their signatures.',
      hint => 'Sign message unchanged, and leave new_msg out.');
  end if;
end;
$$;
comment on function private.check_answerable(public.signature_requests, text) is
  'Refuses an answer that comes too late (409, with the state of the request) or that changes what others sign (400). Definer: for callers that are already checked.';

create function private.signature_request_for_caller(id uuid, new_msg text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.require_caller();
  v_request public.signature_requests;
begin
  select s.* into v_request from public.signature_requests as s where s.id = signature_request_for_caller.id;
  if not private.may_answer(v_request, v_caller) then
    perform private.fail(404, 'signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answerable(v_request, signature_request_for_caller.new_msg);
  return jsonb_build_object('id', v_request.id, 'pubkey', v_request.pubkey, 'msg', v_request.msg);
end;
$$;
comment on function private.signature_request_for_caller(uuid, text) is
  'Does what public.signature_request_for_caller says. Definer: it checks the caller itself.';
grant execute on function private.signature_request_for_caller(uuid, text) to anon, authenticated, service_role;

create function public.signature_request_for_caller(id uuid, new_msg text default null)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.signature_request_for_caller(signature_request_for_caller.id, signature_request_for_caller.new_msg);
$$;
comment on function public.signature_request_for_caller(uuid, text) is
  'A signature request that can be answered, {id, pubkey, msg}, for the flow''s owner, the user whose key is asked, the starter of the run, and the holder of its token. new_msg: the message to be signed instead of msg. POST /signature/submit takes the answer. 400 transaction_changed; 401; 404 signature_request_not_found, also for requests of others; 409 signature_request_answered, signature_request_expired.';
grant execute on function public.signature_request_for_caller(uuid, text) to anon, authenticated, service_role;

create function private.answer_signature_request(id uuid, signature text, new_msg text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id uuid := (select s.root_flow_run_id from public.signature_requests as s where s.id = answer_signature_request.id);
  v_request public.signature_requests;
begin
  -- The run is locked first, as claims, stops and suspensions lock it. So of two answers the second sees the first, and a run that is
  -- being suspended either sees this answer or is woken by it.
  perform from public.flow_run as r where r.id = v_run_id for no key update;
  select s.* into v_request from public.signature_requests as s where s.id = answer_signature_request.id;
  if not found then
    perform private.fail(404, 'signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answerable(v_request, answer_signature_request.new_msg);

  update public.signature_requests as s
  set signature = answer_signature_request.signature, new_msg = nullif(answer_signature_request.new_msg, s.msg)
  where s.id = v_request.id;
  if not exists (select from private.open_signature_requests(v_run_id)) then
    perform private.wake_flow_run(v_run_id);
  end if;
end;
$$;
comment on function private.answer_signature_request(uuid, text, text) is
  'Does what public.answer_signature_request says. Definer: only functions write signature requests, and the queue is private.';
grant execute on function private.answer_signature_request(uuid, text, text) to service_role;

create function public.answer_signature_request(id uuid, signature text, new_msg text default null)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.answer_signature_request(
    answer_signature_request.id, answer_signature_request.signature, answer_signature_request.new_msg
  );
$$;
comment on function public.answer_signature_request(uuid, text, text) is
  'For the Edge Function signature, which has verified the signature, since SQL can''t: stores the answer to a signature request, and wakes the run when no other request is open. A new_msg that equals the request''s msg counts as no change. Errors as in signature_request_for_caller.';
grant execute on function public.answer_signature_request(uuid, text, text) to service_role;

-- sql/85_wallets/10_wallets.sql

create table public.wallets (
  id integer generated always as identity primary key,
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  type text not null,
  name text not null default '',
  public_key text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint wallets_user_id_public_key_key unique (user_id, public_key),
  constraint wallets_type_known check (type in ('HARDCODED', 'ADAPTER')),
  constraint wallets_name_length check (char_length(name) <= 200),
  constraint wallets_public_key_valid check (private.is_public_key(public_key))
);
comment on table public.wallets is
  'The wallets of users, without secrets. A client stores ADAPTER wallets here; a HARDCODED wallet is stored with its key pair by POST /wallets/upsert.';
comment on column public.wallets.type is
  'HARDCODED: the secret key is stored, encrypted, and the runner signs with it. ADAPTER: the holder of the key is asked to sign.';
comment on column public.wallets.public_key is 'Base58 of 32 bytes.';

alter table public.wallets enable row level security;
create policy wallets_select_owner on public.wallets for select to authenticated
  using (user_id = (select auth.uid()));
create policy wallets_insert_owner on public.wallets for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy wallets_update_owner on public.wallets for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy wallets_delete_owner on public.wallets for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.wallets to authenticated;
grant select, insert, update, delete on public.wallets to service_role;

create function private.refuse_missing_keypair()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(400, 'wallet_keypair_required', 'A HARDCODED wallet needs its key pair.',
    hint => 'Send keypair, base58 of 64 bytes, to POST /wallets/upsert.');
end;
$$;
comment on function private.refuse_missing_keypair() is 'Refuses a HARDCODED wallet that has no secret: 400 wallet_keypair_required.';
grant execute on function private.refuse_missing_keypair() to authenticated, service_role;

create function private.tg_wallets__before_insert()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- Whoever inserts it: store_wallet also inserts an ADAPTER wallet first, and stores its secret afterwards.
  if new.type = 'HARDCODED' then
    perform private.refuse_missing_keypair();
  end if;
  return new;
end;
$$;
comment on function private.tg_wallets__before_insert() is 'Refuses to insert a HARDCODED wallet, since it would have no secret.';
create trigger _100_refuse_hardcoded before insert on public.wallets
  for each row execute function private.tg_wallets__before_insert();

create trigger _800_check_quota after insert on public.wallets
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('wallets');

create function private.tg_wallets__before_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if (new.user_id, new.public_key, new.created_at) is distinct from (old.user_id, old.public_key, old.created_at)
    -- The type must match the secret, which only store_wallet stores and deletes. So nobody else can change the type.
    or new.type is distinct from old.type and new.type is distinct from (
      case when exists (select from private.wallet_secrets as s where s.wallet_id = old.id) then 'HARDCODED' else 'ADAPTER' end
    )
  then
    perform private.fail(400, 'column_read_only', 'user_id, type, public_key and created_at of a wallet can''t be changed.',
      hint => 'POST /wallets/upsert changes the type of a wallet.');
  end if;
  return new;
end;
$$;
comment on function private.tg_wallets__before_update() is
  'Refuses changes to the read-only columns of a wallet. Definer: the secrets are private.';
create trigger _100_refuse_read_only before update on public.wallets
  for each row execute function private.tg_wallets__before_update();
create trigger _200_touch before update on public.wallets
  for each row execute function private.tg_any__before_update_touch();

create function private.refuse_wallet_in_use(wallet public.wallets)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_deployment_id uuid;
begin
  select d.id into v_deployment_id
  from public.flow_deployments as d
  where d.user_id = wallet.user_id and d.action_identity = wallet.public_key
  order by d.id desc limit 1;
  if found then
    perform private.fail(409, 'wallet_in_use', format('The wallet is the action identity of deployment %s.', v_deployment_id),
      jsonb_build_object('deployment_id', v_deployment_id),
      'Change the action_identity of the deployments that name it first.');
  end if;
end;
$$;
comment on function private.refuse_wallet_in_use(public.wallets) is
  'Refuses to give up a wallet while a deployment of its owner names it as action_identity: 409 wallet_in_use. The caller has locked the wallet''s row, and the trigger _200_check_settings of the deployments waits for that lock. Definer: it must see all deployments.';

create function private.tg_wallets__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- With a deleted user everything is deleted: when the cascade arrives here, the user does not exist any more.
  if exists (select from auth.users as u where u.id = old.user_id) then
    perform private.refuse_wallet_in_use(old);
  end if;
  return old;
end;
$$;
comment on function private.tg_wallets__before_delete() is
  'Refuses to delete a wallet that is an action identity. Definer: users can''t read auth.users.';
create trigger _100_refuse_in_use before delete on public.wallets
  for each row execute function private.tg_wallets__before_delete();

-- sql/85_wallets/20_wallet_secrets.sql

create table private.wallet_secrets (
  wallet_id integer primary key references public.wallets (id) on delete cascade,
  key_id text not null,
  nonce bytea not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  constraint wallet_secrets_key_id_form check (key_id ~ '^[A-Za-z][A-Za-z0-9._-]{0,63}$'),
  constraint wallet_secrets_nonce_length check (octet_length(nonce) = 12),
  constraint wallet_secrets_ciphertext_length check (octet_length(ciphertext) = 48)
);
comment on table private.wallet_secrets is
  'The secret keys of HARDCODED wallets, encrypted. Only the environment of the Edge Functions holds the keys that decrypt them.';
comment on column private.wallet_secrets.key_id is 'The id of the key in WALLET_KEYS that it is encrypted with.';
comment on column private.wallet_secrets.ciphertext is
  'AES-256-GCM of the secret key: 32 bytes, and a tag of 16 bytes. user_id and public_key are its associated data, so that it opens for that wallet only.';
comment on column private.wallet_secrets.created_at is 'When this ciphertext was stored.';

create function private.store_wallet(
  user_id uuid, type text, name text, public_key text, key_id text, nonce bytea, ciphertext bytea
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_wallet public.wallets;
begin
  if coalesce(store_wallet.type not in ('HARDCODED', 'ADAPTER'), true)
    or store_wallet.type = 'ADAPTER' and store_wallet.ciphertext is not null
  then
    perform private.fail(400, 'request_invalid', 'type: must be HARDCODED, or ADAPTER without a key pair.');
  end if;
  perform private.hold_user(store_wallet.user_id);
  -- This locks the wallet's row, old or new, until the transaction ends. So nobody makes it an action identity between the check below and
  -- the change.
  insert into public.wallets as w (user_id, type, name, public_key)
  values (store_wallet.user_id, 'ADAPTER', store_wallet.name, store_wallet.public_key)
  on conflict on constraint wallets_user_id_public_key_key do update set name = excluded.name
  returning w.* into v_wallet;

  if store_wallet.type = 'ADAPTER' and v_wallet.type = 'HARDCODED' then
    perform private.refuse_wallet_in_use(v_wallet);
    delete from private.wallet_secrets as s where s.wallet_id = v_wallet.id;
  elsif store_wallet.type = 'HARDCODED' and store_wallet.ciphertext is not null then
    insert into private.wallet_secrets as s (wallet_id, key_id, nonce, ciphertext)
    values (v_wallet.id, store_wallet.key_id, store_wallet.nonce, store_wallet.ciphertext)
    on conflict (wallet_id) do update
    set key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext, created_at = excluded.created_at;
  elsif store_wallet.type = 'HARDCODED' and v_wallet.type = 'ADAPTER' then
    perform private.refuse_missing_keypair();
  end if;

  if v_wallet.type <> store_wallet.type then
    update public.wallets as w set type = store_wallet.type where w.id = v_wallet.id returning w.* into v_wallet;
  end if;
  return to_jsonb(v_wallet);
end;
$$;
comment on function private.store_wallet(uuid, text, text, text, text, bytea, bytea) is
  'Does what public.store_wallet says. Definer: the secrets are private.';
grant execute on function private.store_wallet(uuid, text, text, text, text, bytea, bytea) to service_role;

create function public.store_wallet(
  user_id uuid, type text, name text, public_key text, key_id text default null, nonce bytea default null, ciphertext bytea default null
)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_wallet(
    store_wallet.user_id, store_wallet.type, store_wallet.name, store_wallet.public_key,
    store_wallet.key_id, store_wallet.nonce, store_wallet.ciphertext
  );
$$;
comment on function public.store_wallet(uuid, text, text, text, text, bytea, bytea) is
  'For the Edge Function wallets, which has checked and encrypted the key pair: stores the wallet with this public key for the user, and returns its row without secrets. A HARDCODED wallet keeps the ciphertext it has when none is given; an ADAPTER wallet has none, and one that it had is deleted. 400 request_invalid, wallet_keypair_required; 401 token_invalid for a deleted user; 409 wallet_in_use, quota_exceeded.';
grant execute on function public.store_wallet(uuid, text, text, text, text, bytea, bytea) to service_role;

create function private.read_wallet_secret(user_id uuid, public_key text)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'key_id', s.key_id, 'nonce', '\x' || encode(s.nonce, 'hex'), 'ciphertext', '\x' || encode(s.ciphertext, 'hex')
  )
  from public.wallets as w
  join private.wallet_secrets as s on s.wallet_id = w.id
  where w.user_id = read_wallet_secret.user_id and w.public_key = read_wallet_secret.public_key;
$$;
comment on function private.read_wallet_secret(uuid, text) is 'Does what public.read_wallet_secret says. Definer: the secrets are private.';
grant execute on function private.read_wallet_secret(uuid, text) to service_role;

create function public.read_wallet_secret(user_id uuid, public_key text)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.read_wallet_secret(read_wallet_secret.user_id, read_wallet_secret.public_key);
$$;
comment on function public.read_wallet_secret(uuid, text) is
  'For the runner: the encrypted secret key of a HARDCODED wallet, {key_id, nonce, ciphertext}, with bytes as \x and hex, as store_wallet takes them; null when the user has no such wallet.';
grant execute on function public.read_wallet_secret(uuid, text) to service_role;

-- sql/90_nodes/10_json_faults.sql

create function private.json_faults(value jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- Half-way between the greatest double and 2^1024: from here on a double is infinite.
  v_infinite constant numeric := 179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792;
  v_size bigint;
  v_is_faulty boolean;
begin
  -- Counts only values that hold no others: each array or object in the result would be a copy of everything inside it. (Not
  -- jsonb_path_query: it takes each result from the front of a list, and moves all the rest.)
  select coalesce(sum(8 + case jsonb_typeof(leaf.value) when 'string' then octet_length(leaf.value #>> '{}') else 0 end), 0) into v_size
  from jsonb_array_elements(
    jsonb_path_query_array(json_faults.value, 'strict $.** ? (@.type() != "object" && @.type() != "array")')
  ) as leaf (value);
  if v_size <= 262144 then
    with recursive part as (
      select json_faults.value as value, 0 as depth, '' as name
      union all
      select inside.value, part.depth + 1, inside.name
      from part
      cross join lateral (
        select m.value, m.key as name
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, ''
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end) as e (value)
      ) as inside
      where part.depth <= 64
    )
    select
      -- The UTF-8 bytes of strings and member names, and 8 for each value: a size that TypeScript counts alike.
      sum(8 + octet_length(part.name) + case jsonb_typeof(part.value) when 'string' then octet_length(part.value #>> '{}') else 0 end),
      bool_or(
        part.depth > 64 or length(part.name) > 256
        or case jsonb_typeof(part.value) when 'number' then abs(part.value::numeric) >= v_infinite else false end
      )
    into v_size, v_is_faulty
    from part;
  end if;
  if v_size > 262144 then
    return '[{"path": "", "message": "holds more than 256 KiB"}]';
  end if;
  if not v_is_faulty then
    return '[]';
  end if;

  -- Only now are paths built, of shortened names: a long name would be copied into the path of everything below it.
  return (
    with recursive part as (
      select json_faults.value as value, '' as path, 0 as depth, false as is_named_too_long
      union all
      select inside.value, private.shorten(part.path || inside.step, 200), part.depth + 1, inside.is_named_too_long
      from part
      cross join lateral (
        select m.value, '.' || private.shorten(m.key) as step, length(m.key) > 256 as is_named_too_long
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, format('[%s]', e.position - 1), false
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end)
          with ordinality as e (value, position)
      ) as inside
      where part.depth <= 64
    ),
    fault as (
      select ltrim(part.path, '.') as path,
        case
          when part.depth > 64 then 'is nested deeper than 64 levels'
          when part.is_named_too_long then 'has a name of more than 256 characters'
          when jsonb_typeof(part.value) = 'number' then case
            when abs(part.value::numeric) >= v_infinite then 'takes a number that a double can hold'
          end
        end as message
      from part
    )
    select coalesce(jsonb_agg(jsonb_build_object('path', first.path, 'message', first.message) order by first.path collate "C"), '[]')
    from (select f.path, f.message from fault as f where f.message is not null order by f.path collate "C" limit 100) as first
  );
end;
$$;
comment on function private.json_faults(jsonb) is
  'What is wrong with a JSON value whatever it means, as an array of {path, message}, the first 100; empty when nothing is. A value may be too large, nested too deeply, have names that are too long or numbers that I-JSON (RFC 7493) does not allow. Its texts need no check: jsonb refuses NUL and lone surrogates.';
grant execute on function private.json_faults(jsonb) to authenticated, service_role;

create function private.shape_faults(value jsonb, shape jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  with recursive part as (
    select shape_faults.value as value, shape_faults.shape as shape, '' as path, true as is_required
    union all
    select inside.value, inside.shape, part.path || inside.step, inside.is_required
    from part
    cross join lateral (
      -- A member that is null counts as missing.
      select nullif(part.value -> rtrim(m.key, '!'), 'null') as value, m.value as shape, '.' || rtrim(m.key, '!') as step,
        m.key like '%!' as is_required
      from jsonb_each(case when jsonb_typeof(part.value) = 'object' and jsonb_typeof(part.shape) = 'object' then part.shape end) as m
      union all
      select e.value, part.shape -> 0, format('[%s]', e.position - 1), true
      from jsonb_array_elements(case when jsonb_typeof(part.value) = 'array' and jsonb_typeof(part.shape) = 'array' then part.value end)
        with ordinality as e (value, position)
    ) as inside
  ),
  typed as (
    select ltrim(part.path, '.') as path, part.is_required, jsonb_typeof(part.value) as type,
      case jsonb_typeof(part.shape) when 'string' then part.shape #>> '{}' else jsonb_typeof(part.shape) end as expected
    from part
  )
  select coalesce(jsonb_agg(jsonb_build_object('path', fault.path, 'message', case
    when fault.type is null then 'is missing'
    else 'takes ' || case fault.expected
      when 'boolean' then 'true or false' when 'object' then 'an object' when 'array' then 'an array' else 'a ' || fault.expected
    end
  end) order by fault.path collate "C"), '[]')
  from (
    select typed.path, typed.type, typed.expected from typed
    where case when typed.type is null then typed.is_required else typed.type <> typed.expected end
    order by typed.path collate "C" limit 100
  ) as fault;
$$;
comment on function private.shape_faults(jsonb, jsonb) is
  'Where a JSON value differs from a shape, as an array of {path, message}, the first 100; empty when it fits. A shape is the name of a JSON type, [the shape of every element], or {member: shape} with the names of mandatory members marked by !; further members may be there.';
grant execute on function private.shape_faults(jsonb, jsonb) to authenticated, service_role;

-- sql/90_nodes/20_node_definition.sql

-- What a node definition must be. types/node_definition.ts says the same in zod, and tests/sql/node_definition_agreement.test.ts
-- compares them.

create function private.node_definition_shape()
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select '{
    "type!": "string",
    "data!": {
      "node_id!": "string",
      "version!": "string",
      "display_name!": "string",
      "node_definition_version": "string",
      "unique_id": "string",
      "description": "string",
      "tags": ["string"],
      "related_to": [{"id": "string", "type": "string", "relationship": "string"}],
      "resources": {"source_code_url": "string", "documentation_url": "string"},
      "usage": {
        "license": "string",
        "license_url": "string",
        "pricing": {
          "currency": "string",
          "purchase_price": "number",
          "price_per_run": "number",
          "custom": {"unit": "string", "value": "string"}
        }
      },
      "authors": [{"name": "string", "contact": "string"}],
      "design": {
        "width": "number",
        "height": "number",
        "icon_url": "string",
        "backgroundColor": "string",
        "backgroundColorDark": "string"
      },
      "options": {},
      "instruction_info": {"before": ["string"], "signature": "string", "after": ["string"]},
      "width": "number",
      "height": "number",
      "backgroundColor": "string",
      "backgroundColorDark": "string"
    },
    "sources!": [{"name!": "string", "type!": "string", "optional": "boolean", "tooltip": "string"}],
    "targets!": [{
      "name!": "string",
      "type_bounds!": ["string"],
      "required": "boolean",
      "passthrough": "boolean",
      "tooltip": "string"
    }],
    "targets_form.json_schema": {},
    "targets_form.ui_schema": {},
    "targets_form.extra": {}
  }'::jsonb;
$$;
comment on function private.node_definition_shape() is 'The shape of a node definition, as private.shape_faults takes it.';
grant execute on function private.node_definition_shape() to authenticated, service_role;

create function private.node_definition_faults(definition jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_definition jsonb := node_definition_faults.definition;
  v_faults jsonb;
begin
  -- Nothing within the limit is stored as more than this, so what is far larger is refused before the checks that cost time.
  if pg_column_size(v_definition) > 1048576 then
    return '[{"path": "", "message": "holds more than 256 KiB"}]';
  end if;
  -- A row has nulls for the columns that its definition leaves out, which must not count towards the size.
  if jsonb_typeof(v_definition) = 'object' then
    v_definition := v_definition - array(select m.key from jsonb_each(v_definition) as m where m.value = 'null');
  end if;
  v_faults := private.json_faults(v_definition);
  if v_faults = '[]' then
    v_faults := private.shape_faults(v_definition, private.node_definition_shape());
  end if;
  if v_faults <> '[]' then
    return v_faults;
  end if;
  with fault (path, message) as (
    select private.shorten(m.name), 'there is no such member; there are: ' || (
      select string_agg(rtrim(s.name, '!'), ', ' order by rtrim(s.name, '!') collate "C")
      from jsonb_object_keys(private.node_definition_shape()) as s (name)
    )
    from jsonb_object_keys(node_definition_faults.definition) as m (name)
    where m.name <> all (array(select rtrim(s.name, '!') from jsonb_object_keys(private.node_definition_shape()) as s (name)))
    union all
    -- PostgREST writes numbers and booleans into the text column as their text.
    select 'type', 'takes a name: a letter, then letters, digits, _ and -, 64 at most, but neither true nor false'
    where v_definition ->> 'type' !~ '^(?!(true|false)$)[A-Za-z][A-Za-z0-9_-]{0,63}$'
    union all
    select 'data.' || l.name, format('takes 1 to %s characters', l.longest)
    from (values ('node_id', 200), ('version', 100)) as l (name, longest)
    where char_length(v_definition -> 'data' ->> l.name) not between 1 and l.longest
    union all
    -- A ui_schema without a json_schema is accepted: it defines no form, and definitions of other servers have it.
    select 'targets_form.ui_schema', 'is missing: targets_form.json_schema needs it'
    where v_definition ->> 'targets_form.ui_schema' is null and v_definition ->> 'targets_form.json_schema' is not null
    union all
    select format('%s[%s].name', p.side, p.position - 1), format('there is another one of the name %s', to_jsonb(private.shorten(p.port ->> 'name')))
    from (
      select s.side, e.port, e.position,
        row_number() over (partition by s.side, e.port ->> 'name' order by e.position) as occurrence
      from (values ('sources'), ('targets')) as s (side)
      cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    ) as p
    where p.occurrence > 1
    union all
    select format('%s[%s].name', s.side, e.position - 1), 'takes at most 256 characters'
    from (values ('sources'), ('targets')) as s (side)
    cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    where length(e.port ->> 'name') > 256
  )
  select coalesce(jsonb_agg(to_jsonb(first) order by first.path collate "C"), '[]') into v_faults
  from (select fault.* from fault order by fault.path collate "C" limit 100) as first;
  return v_faults;
end;
$$;
comment on function private.node_definition_faults(jsonb) is
  'What is wrong with a node definition, as an array of {path, message}, the first 100; empty when nothing is.';
grant execute on function private.node_definition_faults(jsonb) to authenticated, service_role;

create function private.check_node_definition(definition jsonb)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_faults jsonb := private.node_definition_faults(check_node_definition.definition);
begin
  if v_faults <> '[]' then
    perform private.fail(400, 'node_definition_invalid',
      format('%s: %s.', coalesce(nullif(v_faults #>> '{0,path}', ''), 'the definition'), v_faults #>> '{0,message}'),
      -- Twenty faults are enough to start with.
      details => jsonb_path_query_array(v_faults, '$[0 to 19]'),
      hint => format('This is the definition of node %s.', to_jsonb(private.shorten(check_node_definition.definition #>> '{data,node_id}', 200))));
  end if;
end;
$$;
comment on function private.check_node_definition(jsonb) is
  'Refuses an invalid node definition: 400 node_definition_invalid, whose details are a list of {path, message}.';
grant execute on function private.check_node_definition(jsonb) to authenticated, service_role;

-- sql/90_nodes/30_node_publishers.sql

create table private.node_publishers (
  user_id uuid primary key references auth.users (id) on delete cascade
);
comment on table private.node_publishers is
  'Users whose node definitions are public. Administrators of the project edit it in SQL. It takes effect with a user''s next post.';

create function private.node_poster(out user_id uuid, out is_publisher boolean)
returns record
language plpgsql stable security definer
set search_path = ''
as $$
begin
  user_id := private.require_user();
  is_publisher := exists (select from private.node_publishers as p where p.user_id = node_poster.user_id);
end;
$$;
comment on function private.node_poster() is
  'The calling user, and whether that user''s node definitions are public; 401 unauthenticated without one. Definer, since private.node_publishers is private.';
grant execute on function private.node_poster() to authenticated;

-- sql/90_nodes/40_nodes.sql

create table public.nodes (
  id uuid not null default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete cascade,
  is_public boolean not null default false,
  owner_key uuid not null default '00000000-0000-0000-0000-000000000000',
  node_id text not null default '',
  version text not null default '',
  type text not null,
  data jsonb not null,
  sources jsonb not null,
  targets jsonb not null,
  "targets_form.json_schema" jsonb,
  "targets_form.ui_schema" jsonb,
  "targets_form.extra" jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (owner_key, node_id, version),
  constraint nodes_id_key unique (id),
  constraint nodes_owner_key_is_user_id check (owner_key = coalesce(user_id, '00000000-0000-0000-0000-000000000000')),
  constraint nodes_node_id_in_data check (node_id = data ->> 'node_id'),
  constraint nodes_version_in_data check (version = data ->> 'version'),
  constraint nodes_without_user_public check (user_id is not null or is_public),
  constraint nodes_json_schema_with_ui_schema check ("targets_form.json_schema" is null or "targets_form.ui_schema" is not null)
);
comment on table public.nodes is
  'Node definitions, from which front-ends draw nodes. Everybody reads public ones, and each user their own. The database sets id, user_id, is_public, owner_key, node_id, version, created_at and updated_at: it ignores what a write says of them.';
comment on column public.nodes.user_id is 'Who posted it; null for the service role.';
comment on column public.nodes.is_public is 'Posted by the service role or by a user in private.node_publishers.';
comment on column public.nodes.owner_key is 'user_id, or zeros where it is null: the part of the primary key by which an upsert finds the row to update.';
comment on column public.nodes.node_id is 'data.node_id.';
comment on column public.nodes.version is 'data.version.';
comment on column public.nodes.type is 'native, or the name of another kind of nodes.';
comment on column public.nodes.data is 'node_id, version, display_name and more about the node.';
comment on column public.nodes.sources is 'Its outputs: {name, type, …}.';
comment on column public.nodes.targets is 'Its inputs: {name, type_bounds, …}.';
comment on column public.nodes."targets_form.json_schema" is 'The form for its settings; needs targets_form.ui_schema.';

create unique index nodes_node_id_version_public_idx on public.nodes (node_id, version) where is_public;
create index nodes_user_id_idx on public.nodes (user_id);

alter table public.nodes enable row level security;
create policy nodes_select_public on public.nodes for select to anon
  using (is_public);
create policy nodes_select_owner_or_public on public.nodes for select to authenticated
  using (user_id = (select auth.uid()) or is_public);
create policy nodes_insert_owner on public.nodes for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy nodes_update_owner on public.nodes for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy nodes_delete_owner on public.nodes for delete to authenticated
  using (user_id = (select auth.uid()));

grant select on public.nodes to anon;
grant select, insert, update, delete on public.nodes to authenticated;
grant select, insert, update, delete on public.nodes to service_role;

create function private.node_definition(node public.nodes)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select jsonb_build_object(
    'type', node_definition.node.type, 'data', node_definition.node.data,
    'sources', node_definition.node.sources, 'targets', node_definition.node.targets,
    'targets_form.json_schema', node_definition.node."targets_form.json_schema",
    'targets_form.ui_schema', node_definition.node."targets_form.ui_schema",
    'targets_form.extra', node_definition.node."targets_form.extra"
  );
$$;
comment on function private.node_definition(public.nodes) is 'The definition in a row, without what the database keeps about it.';
grant execute on function private.node_definition(public.nodes) to authenticated, service_role;

create function private.tg_nodes__before_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_poster record;
begin
  perform private.check_node_definition(private.node_definition(new));
  new.node_id := new.data ->> 'node_id';
  new.version := new.data ->> 'version';

  if tg_op = 'INSERT' then
    -- Always a new id, since a copied definition may carry the id of the original's row. An upsert passes here first, too.
    new.id := gen_random_uuid();
    new.created_at := now();
    new.user_id := null;
    new.is_public := true;
  else
    new.id := old.id;
    new.created_at := old.created_at;
    new.user_id := old.user_id;
    new.is_public := old.is_public;
  end if;
  -- Row level security doesn't apply to the service role and to administrators. Everybody else is a user.
  if row_security_active('public.nodes') then
    v_poster := private.node_poster();
    new.is_public := v_poster.is_publisher;
    if tg_op = 'INSERT' then
      new.user_id := v_poster.user_id;
    end if;
  end if;
  new.owner_key := coalesce(new.user_id, '00000000-0000-0000-0000-000000000000');

  if tg_op = 'UPDATE' and private.node_definition(new) = private.node_definition(old) and new.is_public = old.is_public then
    new.updated_at := old.updated_at;
  else
    new.updated_at := now();
  end if;
  return new;
end;
$$;
comment on function private.tg_nodes__before_write() is
  'Refuses an invalid node definition, and sets the columns that the database keeps: a definition belongs to the user who posted it, and is public when that user is a publisher or when the service role posted it.';
create trigger _100_check_and_keep before insert or update on public.nodes
  for each row execute function private.tg_nodes__before_write();
create trigger _800_check_quota after insert on public.nodes
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('nodes');

-- sql/90_nodes/50_native_nodes.sql

create table private.native_nodes (
  id boolean primary key default true,
  version bigint not null default 0,
  constraint native_nodes_single check (id)
);
comment on table private.native_nodes is
  'Counts the changes of the service role''s node definitions, in one row, which the first change inserts. Stored warnings about flows hold for one version.';

create function private.tg_nodes__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if exists (select from changed as c where c.user_id is null) then
    insert into private.native_nodes as n (version) values (1) on conflict (id) do update set version = n.version + 1;
  end if;
  return null;
end;
$$;
comment on function private.tg_nodes__after_write() is
  'Counts new and deleted definitions of the service role. Definer: the count is private.';

create function private.tg_nodes__after_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Each start of a stack writes all definitions, most of them unchanged.
  if exists (
    select from former as f join changed as c on c.id = f.id
    where c.user_id is null and private.node_definition(c) <> private.node_definition(f)
  ) then
    insert into private.native_nodes as n (version) values (1) on conflict (id) do update set version = n.version + 1;
  end if;
  return null;
end;
$$;
comment on function private.tg_nodes__after_update() is
  'Counts changes of the service role''s definitions. Definer: the count is private.';
create trigger _100_count_inserted after insert on public.nodes
  referencing new table as changed
  for each statement execute function private.tg_nodes__after_write();
create trigger _110_count_updated after update on public.nodes
  referencing old table as former new table as changed
  for each statement execute function private.tg_nodes__after_update();
create trigger _120_count_deleted after delete on public.nodes
  referencing old table as changed
  for each statement execute function private.tg_nodes__after_write();

-- sql/95_kv/10_kv_usage.sql

create table private.kv_usage (
  user_id uuid primary key references auth.users (id) on delete cascade,
  store_count integer not null default 0,
  item_bytes bigint not null default 0,
  constraint kv_usage_natural check (store_count >= 0 and item_bytes >= 0)
);
comment on table private.kv_usage is
  'What each user''s key-value stores add up to. The triggers of kv_stores and kv_items keep it, so that limits are checked without adding up 100 MiB of items. Writers for one user lock its row, and so take turns.';
comment on column private.kv_usage.item_bytes is 'The sum of size_bytes of the user''s items.';

create function private.add_kv_usage(user_id uuid, stores bigint, bytes bigint)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_usage private.kv_usage;
begin
  if add_kv_usage.stores <= 0 and add_kv_usage.bytes <= 0 then
    -- There may be no row: when a user is deleted, the row may be deleted before the last items are.
    update private.kv_usage as u
    set store_count = u.store_count + add_kv_usage.stores, item_bytes = u.item_bytes + add_kv_usage.bytes
    where u.user_id = add_kv_usage.user_id;
    return;
  end if;
  insert into private.kv_usage as u (user_id, store_count, item_bytes)
  values (add_kv_usage.user_id, add_kv_usage.stores, add_kv_usage.bytes)
  on conflict on constraint kv_usage_pkey do update
  set store_count = u.store_count + excluded.store_count, item_bytes = u.item_bytes + excluded.item_bytes
  returning u.* into v_usage;
  if add_kv_usage.stores > 0 and v_usage.store_count > 100 then
    perform private.fail(409, 'kv_stores_limit', 'A user can have 100 key-value stores at most.', hint => 'Delete a store that is not needed any more.');
  end if;
  if add_kv_usage.bytes > 0 and v_usage.item_bytes > 104857600 then
    perform private.fail(413, 'kv_size_limit', 'The key-value stores of a user can hold 100 MiB at most, counting keys and values as text.',
      jsonb_build_object('size_bytes', v_usage.item_bytes), 'Delete a store that is not needed any more, or write smaller values.');
  end if;
end;
$$;
comment on function private.add_kv_usage(uuid, bigint, bigint) is
  'Adds stores and bytes to a user''s usage, negative numbers too, and refuses what exceeds the limits: 409 kv_stores_limit, 413 kv_size_limit. Definer: the usage is private.';

-- sql/95_kv/20_kv_effects.sql

-- An effect is a change that a node makes in the database, such as writing an item. It is known by the node run that makes it,
-- {flow_run_id, node_id, times}, and is made once: the output is stored with the node run in the transaction of the change, so a worker that
-- asks again, or executes the node again after another was lost, gets the output of the first time.

create function private.lock_claimed_run_and_owner(claim jsonb)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id constant uuid := lock_claimed_run_and_owner.claim ->> 'flow_run_id';
begin
  -- The owner is locked before the run, the order in which the deletion of a user locks them. So neither waits for the other.
  perform from auth.users as u join public.flow_run as r on r.user_id = u.id where r.id = v_run_id for key share of u;
  return (private.lock_claimed_run(v_run_id, (lock_claimed_run_and_owner.claim ->> 'attempt')::integer)).user_id;
end;
$$;
comment on function private.lock_claimed_run_and_owner(jsonb) is
  'Locks the run of a claim, {flow_run_id, attempt}, and its owner, for a change to what the owner has, and returns the owner; 409 claim_lost for an older claim. Definer: it locks users.';

create function private.earlier_effect_output(effect jsonb, user_id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_output jsonb;
begin
  select n.output into v_output
  from public.node_run as n
  where n.flow_run_id = (earlier_effect_output.effect ->> 'flow_run_id')::uuid
    and n.node_id = (earlier_effect_output.effect ->> 'node_id')::uuid
    and n.times = (earlier_effect_output.effect ->> 'times')::integer and n.user_id = earlier_effect_output.user_id
  for no key update;
  if not found then
    perform private.fail(500, 'internal', 'The node run that makes this change is not stored.');
  end if;
  return v_output;
end;
$$;
comment on function private.earlier_effect_output(jsonb, uuid) is
  'Locks the node run of an effect, and returns the output that was stored with it when the change was made; null when the change is still to be made. Definer: only functions write node runs.';

create function private.store_effect_output(effect jsonb, output jsonb)
returns void
language sql volatile security definer
set search_path = ''
as $$
  update public.node_run as n
  set output = store_effect_output.output
  where n.flow_run_id = (store_effect_output.effect ->> 'flow_run_id')::uuid
    and n.node_id = (store_effect_output.effect ->> 'node_id')::uuid
    and n.times = (store_effect_output.effect ->> 'times')::integer;
$$;
comment on function private.store_effect_output(jsonb, jsonb) is
  'Stores with the node run of an effect that the change is made, and its output, {"M": {…}}, which earlier_effect_output returns from then on. Definer: only functions write node runs.';

-- sql/95_kv/30_kv_stores.sql

create table public.kv_stores (
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (user_id, name),
  constraint kv_stores_name_form check (name ~ '^[A-Za-z][A-Za-z0-9_-]{0,119}$')
);
comment on table public.kv_stores is
  'Key-value stores, 100 a user at most. The nodes of a user''s flows create and delete them; the user reads them.';
comment on column public.kv_stores.name is '1 to 120 letters, digits, _ and -, beginning with a letter.';

alter table public.kv_stores enable row level security;
create policy kv_stores_select_owner on public.kv_stores for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.kv_stores to authenticated;
grant select on public.kv_stores to service_role;

create function private.tg_kv_stores__after_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(s.user_id, count(*), 0) from inserted as s group by s.user_id order by s.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_stores__after_insert() is 'Counts new stores, and refuses those beyond the limit. Definer: the usage is private.';
create trigger _100_count_inserted after insert on public.kv_stores
  referencing new table as inserted
  for each statement execute function private.tg_kv_stores__after_insert();

create function private.tg_kv_stores__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(s.user_id, -count(*), 0) from deleted as s group by s.user_id order by s.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_stores__after_delete() is 'Counts deleted stores. Definer: the usage is private.';
create trigger _100_count_deleted after delete on public.kv_stores
  referencing old table as deleted
  for each statement execute function private.tg_kv_stores__after_delete();

create function private.kv_create_store(claim jsonb, effect jsonb, store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_claimed_run_and_owner(kv_create_store.claim);
begin
  if private.earlier_effect_output(kv_create_store.effect, v_user_id) is not null then
    return;
  end if;
  begin
    insert into public.kv_stores (user_id, name) values (v_user_id, kv_create_store.store) on conflict do nothing;
  exception when check_violation then
    perform private.fail(400, 'kv_store_name_invalid',
      'The name of a store must be 1 to 120 letters, digits, _ and -, beginning with a letter.');
  end;
  if not found then
    perform private.fail(409, 'kv_store_exists', format('The store %s already exists.', to_jsonb(private.shorten(kv_create_store.store, 120))));
  end if;
  perform private.store_effect_output(kv_create_store.effect, '{"M": {}}');
end;
$$;
comment on function private.kv_create_store(jsonb, jsonb, text) is 'Does what public.kv_create_store says. Definer: only claimed runs write stores.';
grant execute on function private.kv_create_store(jsonb, jsonb, text) to service_role;

create function public.kv_create_store(claim jsonb, effect jsonb, store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_create_store(kv_create_store.claim, kv_create_store.effect, kv_create_store.store);
$$;
comment on function public.kv_create_store(jsonb, jsonb, text) is
  'For the runner: creates a store for the run''s owner, once for each effect. 400 kv_store_name_invalid; 409 kv_store_exists, kv_stores_limit, claim_lost.';
grant execute on function public.kv_create_store(jsonb, jsonb, text) to service_role;

create function private.refuse_missing_kv_store(store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.fail(404, 'kv_store_not_found', format('There is no store %s.', to_jsonb(private.shorten(refuse_missing_kv_store.store, 120))));
$$;
comment on function private.refuse_missing_kv_store(text) is 'Refuses the name of a store that does not exist: 404 kv_store_not_found.';

create function private.kv_delete_store(claim jsonb, effect jsonb, store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_claimed_run_and_owner(kv_delete_store.claim);
begin
  if private.earlier_effect_output(kv_delete_store.effect, v_user_id) is not null then
    return;
  end if;
  -- Writers for one user take turns, so that none of them waits for a row of another that waits for this one.
  perform from private.kv_usage as u where u.user_id = v_user_id for no key update;
  delete from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_delete_store.store;
  if not found then
    perform private.refuse_missing_kv_store(kv_delete_store.store);
  end if;
  perform private.store_effect_output(kv_delete_store.effect, '{"M": {}}');
end;
$$;
comment on function private.kv_delete_store(jsonb, jsonb, text) is 'Does what public.kv_delete_store says. Definer: only claimed runs write stores.';
grant execute on function private.kv_delete_store(jsonb, jsonb, text) to service_role;

create function public.kv_delete_store(claim jsonb, effect jsonb, store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_delete_store(kv_delete_store.claim, kv_delete_store.effect, kv_delete_store.store);
$$;
comment on function public.kv_delete_store(jsonb, jsonb, text) is
  'For the runner: deletes a store of the run''s owner with its items, once for each effect. 404 kv_store_not_found; 409 claim_lost.';
grant execute on function public.kv_delete_store(jsonb, jsonb, text) to service_role;

-- sql/95_kv/40_kv_items.sql

create table public.kv_items (
  user_id uuid not null,
  store text not null,
  key text not null,
  value jsonb not null,
  size_bytes integer not null generated always as (octet_length(key) + octet_length(value::text)) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, store, key),
  constraint kv_items_store_fkey foreign key (user_id, store) references public.kv_stores (user_id, name) on delete cascade,
  constraint kv_items_key_length check (octet_length(key) between 1 and 1024)
);
comment on table public.kv_items is
  'The items of the key-value stores, 100 MiB a user at most. The nodes of a user''s flows write them; the user reads them.';
comment on column public.kv_items.value is 'One value with its tag, such as {"S": "text"}.';
comment on column public.kv_items.size_bytes is 'What the item counts towards the user''s limit: the bytes of its key and of its value as text.';

alter table public.kv_items enable row level security;
create policy kv_items_select_owner on public.kv_items for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.kv_items to authenticated;
grant select on public.kv_items to service_role;

create trigger _200_touch before update on public.kv_items
  for each row execute function private.tg_any__before_update_touch();

create function private.tg_kv_items__after_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(i.user_id, 0, sum(i.size_bytes)) from inserted as i group by i.user_id order by i.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_items__after_insert() is
  'Counts the bytes of new items, and refuses those beyond the limit. Definer: the usage is private.';
create trigger _100_count_inserted after insert on public.kv_items
  referencing new table as inserted
  for each statement execute function private.tg_kv_items__after_insert();

create function private.tg_kv_items__after_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(i.user_id, 0, sum(i.size_bytes))
  from (
    select u.user_id, u.size_bytes from updated as u
    union all
    select f.user_id, -f.size_bytes from former as f
  ) as i
  group by i.user_id order by i.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_items__after_update() is
  'Counts how much changed items grew or shrank, and refuses growth beyond the limit. Definer: the usage is private.';
create trigger _100_count_updated after update on public.kv_items
  referencing old table as former new table as updated
  for each statement execute function private.tg_kv_items__after_update();

create function private.tg_kv_items__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(i.user_id, 0, -sum(i.size_bytes)) from deleted as i group by i.user_id order by i.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_items__after_delete() is 'Counts the bytes of deleted items. Definer: the usage is private.';
create trigger _100_count_deleted after delete on public.kv_items
  referencing old table as deleted
  for each statement execute function private.tg_kv_items__after_delete();

create function private.kv_write_item(claim jsonb, effect jsonb, store text, key text, value jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_claimed_run_and_owner(kv_write_item.claim);
  v_output jsonb := private.earlier_effect_output(kv_write_item.effect, v_user_id);
  v_bad text;
  v_old_value jsonb;
begin
  if v_output is not null then
    return v_output #> '{M,old_value}';
  end if;
  v_bad := private.bad_value(kv_write_item.value, 64);
  if v_bad is not null then
    perform private.fail(400, 'kv_value_invalid', 'value' || v_bad);
  end if;

  -- Writers for one user take turns, so that the value read below is the one replaced.
  perform from private.kv_usage as u where u.user_id = v_user_id for no key update;
  if not exists (select from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_write_item.store) then
    perform private.refuse_missing_kv_store(kv_write_item.store);
  end if;
  select i.value into v_old_value
  from public.kv_items as i
  where i.user_id = v_user_id and i.store = kv_write_item.store and i.key = kv_write_item.key;
  begin
    insert into public.kv_items (user_id, store, key, value)
    values (v_user_id, kv_write_item.store, kv_write_item.key, kv_write_item.value)
    on conflict on constraint kv_items_pkey do update set value = excluded.value;
  exception when check_violation then
    perform private.fail(400, 'kv_key_invalid', 'A key must have 1 to 1024 bytes.');
  end;

  perform private.store_effect_output(kv_write_item.effect, jsonb_build_object(
    'M', case when v_old_value is null then '{}' else jsonb_build_object('old_value', v_old_value) end
  ));
  return v_old_value;
end;
$$;
comment on function private.kv_write_item(jsonb, jsonb, text, text, jsonb) is
  'Does what public.kv_write_item says. Definer: only claimed runs write items.';
grant execute on function private.kv_write_item(jsonb, jsonb, text, text, jsonb) to service_role;

create function public.kv_write_item(claim jsonb, effect jsonb, store text, key text, value jsonb)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_write_item(
    kv_write_item.claim, kv_write_item.effect, kv_write_item.store, kv_write_item.key, kv_write_item.value
  );
$$;
comment on function public.kv_write_item(jsonb, jsonb, text, text, jsonb) is
  'For the runner: stores a value under a key in a store of the run''s owner, once for each effect, and returns the value that it replaces, or null. 400 kv_key_invalid, kv_value_invalid; 404 kv_store_not_found; 409 claim_lost; 413 kv_size_limit.';
grant execute on function public.kv_write_item(jsonb, jsonb, text, text, jsonb) to service_role;

create function private.kv_read_item(claim jsonb, store text, key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := (private.lock_claimed_run(
    (kv_read_item.claim ->> 'flow_run_id')::uuid, (kv_read_item.claim ->> 'attempt')::integer
  )).user_id;
  v_value jsonb;
begin
  if not exists (select from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_read_item.store) then
    perform private.refuse_missing_kv_store(kv_read_item.store);
  end if;
  select i.value into v_value
  from public.kv_items as i
  where i.user_id = v_user_id and i.store = kv_read_item.store and i.key = kv_read_item.key;
  return v_value;
end;
$$;
comment on function private.kv_read_item(jsonb, text, text) is 'Does what public.kv_read_item says. Definer, as private.lock_claimed_run is.';
grant execute on function private.kv_read_item(jsonb, text, text) to service_role;

create function public.kv_read_item(claim jsonb, store text, key text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_read_item(kv_read_item.claim, kv_read_item.store, kv_read_item.key);
$$;
comment on function public.kv_read_item(jsonb, text, text) is
  'For the runner: the value under a key in a store of the run''s owner, or null. 404 kv_store_not_found; 409 claim_lost.';
grant execute on function public.kv_read_item(jsonb, text, text) to service_role;
