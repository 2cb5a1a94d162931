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
  perform private.fail('token_invalid', 'The service role can''t do this: it needs a user.',
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
  perform private.fail('token_invalid', 'The user of this access token has been deleted.');
end;
$$;
comment on function private.refuse_deleted_user() is 'Raises the refusal of a user who has been deleted: 401 token_invalid.';

create function private.user_claims()
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_claims jsonb := auth.jwt();
begin
  if v_claims ->> 'role' = 'service_role' then
    perform private.refuse_service_role();
  end if;
  return v_claims;
end;
$$;
comment on function private.user_claims() is
  'The claims of the request''s access token or API key; null for a request without. 401 token_invalid for the service role, which is not a user.';

create type private.caller as (user_id uuid, is_anonymous boolean, run_id uuid, public_key text, webhook_id uuid, chain_depth integer);
comment on type private.caller is
  'Who calls: user_id by access token or API key, is_anonymous for Supabase''s anonymous sign-ins, run_id by a run token; public_key, which a start may show instead of a user; webhook_id by a webhook''s token, which starts as the user whose webhook it is, and chain_depth, how many runs have led to its request. Null is what nothing proves.';

create function private.caller()
returns private.caller
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_claims jsonb := private.user_claims();
  v_caller private.caller;
begin
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
  v_claims jsonb := private.user_claims();
  v_caller private.caller;
begin
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
  perform private.fail('unauthenticated', 'The request carries no credential that this call accepts.',
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
