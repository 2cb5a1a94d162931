SET local check_function_bodies = off;

DROP POLICY "flow_deployments_tags_insert_owner" ON "public"."flow_deployments_tags";

DROP POLICY "flow_deployments_tags_update_owner" ON "public"."flow_deployments_tags";

ALTER TABLE "public"."signature_requests"
  DROP CONSTRAINT "signature_requests_owner_id_fkey";

ALTER TABLE "public"."signature_requests"
  DROP CONSTRAINT "signature_requests_user_id_fkey";

CREATE OR REPLACE FUNCTION private.api_key_claims (
  key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_key record;
begin
  select k.id, k.user_id into v_key
  from private.api_key_hashes as h
  join public.api_keys as k on k.id = h.api_key_id
  -- A banned user gets no access token any more, and those of before end within the hour.
  join auth.users as u on u.id = k.user_id and u.deleted_at is null and u.banned_until > now() is not true
  where h.hash = sha256(convert_to(api_key_claims.key, 'UTF8'));
  if not found then
    perform private.fail(401, 'api_key_invalid', 'There is no such API key.');
  end if;
  return jsonb_build_object('sub', v_key.user_id, 'role', 'authenticated', 'aud', 'authenticated', 'api_key_id', v_key.id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.caller (
  OUT user_id uuid,
  OUT is_anonymous boolean,
  OUT run_id uuid
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_claims jsonb := auth.jwt();
begin
  if v_claims ->> 'role' = 'service_role' then
    perform private.refuse_service_role();
  end if;
  user_id := v_claims ->> 'sub';
  is_anonymous := coalesce((v_claims ->> 'is_anonymous')::boolean, false);
  run_id := private.token_run_id();
  if user_id is not null and not exists (select from auth.users as u where u.id = caller.user_id and u.deleted_at is null) then
    perform private.refuse_deleted_user();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_api_key (
  name text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_user();
  v_key text;
  v_row public.api_keys;
begin
  if coalesce((auth.jwt() ->> 'is_anonymous')::boolean, false) or auth.jwt() ? 'api_key_id' then
    perform private.fail(403, 'token_required', 'This needs the access token of a user who has signed up: API keys and anonymous users can''t make API keys.');
  end if;
  if char_length(create_api_key.name) not between 1 and 100 or create_api_key.name is null then
    perform private.fail(400, 'request_invalid', 'name: takes 1 to 100 characters.');
  end if;

  -- 32 bytes: their base64 has one = at its end.
  v_key := 'fk_' || translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
  insert into public.api_keys as k (user_id, name, prefix)
  values (v_user_id, create_api_key.name, substr(v_key, 1, 10))
  returning k.* into v_row;
  insert into private.api_key_hashes (hash, api_key_id) values (sha256(convert_to(v_key, 'UTF8')), v_row.id);
  return to_jsonb(v_row) - 'user_id' || jsonb_build_object('key', v_key);
end;
$function$;

CREATE OR REPLACE FUNCTION private.hold_user (
  user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from auth.users as u where u.id = hold_user.user_id and u.deleted_at is null for key share;
  if not found then
    perform private.refuse_deleted_user();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_caller()
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_claims jsonb := auth.jwt();
  v_user_id uuid := v_claims ->> 'sub';
begin
  if v_claims ->> 'role' = 'service_role' then
    perform private.refuse_service_role();
  end if;
  if v_user_id is not null then
    perform private.hold_user(v_user_id);
  end if;
  return v_user_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pre_request()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_api_key text;
begin
  if private.request_header('x-flow-run-token') is not null and private.token_run_id() is null then
    perform private.fail(401, 'token_invalid', 'The run token is not valid.');
  end if;
  -- Only a caller without a token: a user token beats an API key.
  if current_setting('role') = 'anon' then
    v_api_key := private.request_header('x-api-key');
    if v_api_key is not null then
      perform set_config('request.jwt.claims', private.api_key_claims(v_api_key)::text, true);
      perform set_config('role', 'authenticated', true);
      -- PostgREST has taken over what anon may take.
      perform set_config('statement_timeout', split_part(o.setting, '=', 2), true)
      from pg_catalog.pg_db_role_setting as s cross join unnest(s.setconfig) as o (setting)
      where s.setdatabase = 0 and s.setrole = 'authenticated'::regrole and o.setting like 'statement\_timeout=%';
    end if;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_deployment (
  id              uuid,
  flow            integer,
  tag             text,
  inputs          jsonb,
  action_signer   text,
  public_key      text,
  idempotency_key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_claims jsonb := auth.jwt();
  v_user_id uuid := v_claims ->> 'sub';
  v_tagged_id uuid;
  v_deployment public.flow_deployments;
  v_request jsonb;
begin
  -- A start pays for each expression that it comes through, and for each function in it: most come through one here.
  if (
    start_deployment.idempotency_key is null
    and (start_deployment.id is null) <> (start_deployment.flow is null) and (start_deployment.id is null or start_deployment.tag is null)
    and v_claims ->> 'role' <> 'service_role'
  ) is not true then
    perform private.check_start(start_deployment.id, start_deployment.flow, start_deployment.tag);
    if start_deployment.idempotency_key is not null then
      v_request := jsonb_build_object(
        'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
        'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
      );
    end if;
  end if;

  -- Key share: the deployment, and so its snapshot, stays until the run is stored; deploys, customising and other starts don't wait.
  loop
    if start_deployment.flow is not null then
      select t.deployment_id into v_tagged_id
      from public.flow_deployments_tags as t
      where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest');
    end if;
    if v_user_id is null then
      -- Nearly every key has as many digits, and is told to be one without a call.
      if (
        length(start_deployment.public_key) = 44 and start_deployment.public_key !~ '[^1-9A-HJ-NP-Za-km-z]'
        and start_deployment.public_key collate "C" >= '2'
        and start_deployment.public_key collate "C" < 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'
      ) is not true then
        perform private.check_public_key(start_deployment.public_key);
      end if;
      select d.* into v_deployment
      from public.flow_deployments as d where d.id = coalesce(start_deployment.id, v_tagged_id) for key share;
    else
      -- The caller first, as the deletion of a user goes: whoever had the deployment already would wait for the user in a circle.
      -- By one statement, which locks in the order of its names, since a second one would cost every start a twentieth.
      select d.* into v_deployment
      from auth.users as u, public.flow_deployments as d
      where u.id = v_user_id and u.deleted_at is null and d.id = coalesce(start_deployment.id, v_tagged_id)
      for key share of u, d;
    end if;
    -- Nothing is equal to what is not there.
    exit when v_deployment.user_id = v_user_id or v_deployment.start_permission = 'Anonymous'
      or v_deployment.start_permission = 'Authenticated' and v_user_id is not null
        and not coalesce((v_claims ->> 'is_anonymous')::boolean, false);
    if v_deployment.id is null then
      -- It may be the caller who is gone.
      perform private.lock_caller();
      -- Whoever deleted it while it was waited for has moved the tag, as latest always is: it is looked up anew.
      continue when start_deployment.flow is not null and v_tagged_id is not null;
    end if;
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end loop;

  return private.enqueue_run(
    user_id => v_deployment.user_id, flow_id => v_deployment.entrypoint, deployment_id => v_deployment.id,
    started_by => v_user_id,
    started_by_public_key => case when v_user_id is null then start_deployment.public_key end,
    inputs => coalesce(start_deployment.inputs, '{}'),
    output_instructions => v_deployment.output_instructions, action_identity => v_deployment.action_identity,
    action_signer => start_deployment.action_signer, fees => v_deployment.fees,
    chain_network => v_deployment.chain_network, snapshot_hash => v_deployment.snapshot_hash,
    max_starts_per_minute => case when v_deployment.user_id is distinct from v_user_id then v_deployment.max_starts_per_minute end,
    max_runs_in_flight => v_deployment.max_runs_in_flight,
    idempotency_key => start_deployment.idempotency_key, request => v_request
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_wallet (
  user_id    uuid,
  type       text,
  name       text,
  public_key text,
  key_id     text,
  nonce      bytea,
  ciphertext bytea
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_wallet public.wallets;
begin
  if coalesce(store_wallet.type not in ('HARDCODED', 'ADAPTER'), true)
    or store_wallet.type = 'ADAPTER' and store_wallet.ciphertext is not null
  then
    perform private.fail(400, 'request_invalid', 'type: takes HARDCODED, or ADAPTER without a key pair.');
  end if;
  perform private.hold_user(store_wallet.user_id);
  -- Locks the row, old or new, until the end: whoever sets it as action identity waits, and was waited for.
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
    perform private.keypair_required();
  end if;

  if v_wallet.type <> store_wallet.type then
    update public.wallets as w set type = store_wallet.type where w.id = v_wallet.id returning w.* into v_wallet;
  end if;
  return to_jsonb(v_wallet);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_users__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  loop
    update public.flow_run as r set started_by = null where r.started_by = old.id;
    -- A run that had to be waited for may have got children meanwhile, which took its starter over.
    exit when not found;
  end loop;
  update public.signature_requests as s set user_id = null where s.user_id = old.id;
  return null;
end;
$function$;

CREATE POLICY "flow_deployments_tags_insert_owner" ON "public"."flow_deployments_tags"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND (EXISTS ( SELECT
   FROM public.flows f
  WHERE ((f.id = flow_deployments_tags.entrypoint) AND (f.user_id = ( SELECT auth.uid() AS uid)))))));

CREATE POLICY "flow_deployments_tags_update_owner" ON "public"."flow_deployments_tags"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND (EXISTS ( SELECT
   FROM public.flows f
  WHERE ((f.id = flow_deployments_tags.entrypoint) AND (f.user_id = ( SELECT auth.uid() AS uid)))))));

COMMENT ON COLUMN "public"."signature_requests"."owner_id" IS 'The owner of the flow. No foreign key: the request goes with its run, and that with its flow.';

COMMENT ON COLUMN "public"."signature_requests"."user_id" IS 'The user whose key is asked: the owner, where it is the key of a wallet of theirs, else who started the run; null for a caller with a public key only, and once the user is deleted. No foreign key, as of flow_run.started_by: the deletion of a user would have the request before its run, which answers and workers lock first.';

COMMENT ON FUNCTION "private"."api_key_claims"(text) IS 'The claims with which the holder of an API key acts, as the key''s owner; 401 api_key_invalid for an unknown key, and for that of a user who is banned or deleted. Definer: the hashes are private, and the keys are others''.';

COMMENT ON FUNCTION "private"."caller"() IS 'Who calls, as far as it is proved: user_id by access token or API key, is_anonymous for Supabase''s anonymous sign-ins, run_id by a run token; null where nothing proves it. Definer, since the API roles can''t read auth.users, where a deleted user is missed; one that Auth keeps (soft deletion) is deleted too.';

COMMENT ON FUNCTION "private"."hold_user"(uuid) IS 'Keeps a user from being deleted until the transaction ends; 401 token_invalid for one who is deleted. Definer for the same reason as private.caller().';

COMMENT ON FUNCTION "private"."tg_users__after_delete"() IS 'Runs of others'' flows that a deleted user started, and what they asked the user for, name nobody any more. Definer: who deletes users has no part in runs.';

COMMENT ON FUNCTION "public"."store_wallet"(uuid, text, text, text, text, bytea, bytea) IS 'For the function wallets, which has checked and encrypted the key pair: stores a wallet of the user, by public key, and returns its row without secrets. Without a ciphertext a HARDCODED wallet keeps the one it has; an ADAPTER wallet has none. 400 request_invalid, wallet_keypair_required; 401 token_invalid for a user who is deleted; 409 wallet_in_use.';

REVOKE ALL ON FUNCTION "private"."hold_user"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hold_user"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_user"(uuid) TO "postgres";
