create function private.request_header(name text)
returns text
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return nullif(current_setting('request.headers', true), '')::json ->> request_header.name;
end;
$$;
comment on function private.request_header(text) is
  'The value of the request header `name`, which must be in lower case; null if the request has no such header.';
grant execute on function private.request_header(text) to anon, authenticated, service_role;

create function private.refuse_service_role()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('token_invalid', 'This call needs a user, but the service role is not a user.',
    hint => 'Send the access token of the user on whose behalf you call.');
end;
$$;
comment on function private.refuse_service_role() is
  'Refuses the service role where a user is needed: 401 token_invalid.';

create function private.refuse_deleted_user()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('token_invalid', 'The user of this access token has been deleted.');
end;
$$;
comment on function private.refuse_deleted_user() is 'Refuses a deleted user: 401 token_invalid.';

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
  'The claims of the request''s access token, API key or claim token; null if the request has no claims. 401 token_invalid for the service role, which is not a user.';

-- The caller of a request. A field is null if the request has no value for it.
--
--   user_id       the user of an access token, API key or claim token
--   is_anonymous  true for Supabase's anonymous sign-ins
--   run_id        the run of a run token
--   public_key    the public key that a start without a user sends; nothing proves that the caller owns it
--   webhook_id    the incoming webhook whose token the URL contains; the request starts runs as the webhook's owner
--   chain_depth   for a webhook: the number of runs in the chain that led to the request
--   row_start_id  the row start that starts a run as the flow's owner
create type private.caller as (
  user_id uuid, is_anonymous boolean, run_id uuid, public_key text, webhook_id uuid, chain_depth integer,
  row_start_id uuid
);
comment on type private.caller is
  'The caller of a request: its user, run, public key, webhook or row start. A field is null if the request has no value for it.';

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
  'The caller of this request. 401 token_invalid for the service role, and for a user whose row in auth.users is missing or marked as deleted. Definer, because no API role may read auth.users.';

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
  'Prevents the deletion of a user until the transaction ends; 401 token_invalid for a deleted user. Definer, because no API role may lock rows of auth.users.';

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
  'For requests that write in the name of a user: returns user_id and is_anonymous of the caller, and prevents the deletion of this user until the transaction ends. Both fields are null if the caller is not a user. Definer, because no API role may call private.hold_user().';

create function private.unauthenticated()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('unauthenticated', 'The request carries no credential that this call accepts.',
    hint => 'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>). '
      'A run token is accepted only for its own run, and a public key only for a start.');
end;
$$;
comment on function private.unauthenticated() is
  'Refuses a caller who has sent no credential that the calling function accepts: 401 unauthenticated.';

create function private.confirmed_email(user_id uuid)
returns text
language sql stable security definer
set search_path = ''
as $$
  select lower(u.email) from auth.users as u
  where u.id = confirmed_email.user_id and u.email_confirmed_at is not null and u.deleted_at is null;
$$;
comment on function private.confirmed_email(uuid) is
  'The confirmed e-mail address of a user, in lower case; null if the user has none. The address comes from auth.users, because the claim of a token may be old or unconfirmed. Definer, because no API role may read auth.users.';

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
  'The id of the calling user; 401 unauthenticated if the caller is not a user. Definer, because no API role may call private.caller().';

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
  'Returns the id of the calling user, and prevents the deletion of this user until the transaction ends; 401 unauthenticated if the caller is not a user. Definer, because no API role may call private.lock_caller().';

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
  'The caller, who may be a user or the holder of a run token; 401 unauthenticated for anybody else. Definer, because no API role may call private.caller().';

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
comment on function private.whoami() is
  'Implements public.whoami. Definer, because no API role may call private.caller().';
grant execute on function private.whoami() to anon, authenticated, service_role;

create function public.whoami()
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.whoami();
$$;
comment on function public.whoami() is
  'The calling user, {user_id, is_anonymous}; 401 unauthenticated or token_invalid.';
grant execute on function public.whoami() to anon, authenticated, service_role;
