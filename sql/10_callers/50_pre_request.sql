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
  -- A banned user gets no access token any more, and those of before end within the hour.
  join auth.users as u on u.id = k.user_id and u.deleted_at is null and u.banned_until > now() is not true
  where h.hash = sha256(convert_to(api_key_claims.key, 'UTF8'));
  if not found then
    perform private.fail(401, 'api_key_invalid', 'There is no such API key.');
  end if;
  return jsonb_build_object('sub', v_key.user_id, 'role', 'authenticated', 'aud', 'authenticated', 'api_key_id', v_key.id);
end;
$$;
comment on function private.api_key_claims(text) is
  'The claims with which the holder of an API key acts, as the key''s owner; 401 api_key_invalid for an unknown key, and for that of a user who is banned or deleted. Definer: the hashes are private, and the keys are others''.';
grant execute on function private.api_key_claims(text) to anon;

create function private.pre_request()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_api_key text;
begin
  -- The planner's estimates count rows that policies hide. The first condition spares other requests the parsing.
  if current_setting('request.headers', true) like '%count=%' and current_setting('role') <> 'service_role'
    and private.request_header('prefer') ~ 'count=(planned|estimated)' then
    perform private.fail(400, 'count_inexact', 'Prefer: count= takes exact only.',
      hint => 'Planned and estimated counts tell of rows that the caller may not see. Send Prefer: count=exact.');
  end if;
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
$$;
comment on function private.pre_request() is
  'PostgREST runs it before each request: it refuses invalid run tokens and counts that are estimates, and lets the holder of an API key act as the key''s owner, so that auth.uid() and policies hold on every path. Invoker, since a definer can''t change the role.';
grant execute on function private.pre_request() to anon, authenticated, service_role;
