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
  perform private.fail(401, 'token_invalid', 'This needs a user: the service role is nobody in particular.',
    hint => 'Send the access token of the user on whose behalf you call.');
end;
$$;
comment on function private.refuse_service_role() is 'Raises the one refusal of the service role, where a user is needed.';

create function private.refuse_deleted_user()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(401, 'token_invalid', 'The user of this access token does not exist any more.');
end;
$$;
comment on function private.refuse_deleted_user() is 'Raises the one refusal of users who are deleted.';

create function private.caller(out user_id uuid, out is_anonymous boolean, out run_id uuid)
returns record
language plpgsql stable security definer
set search_path = ''
as $$
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
$$;
comment on function private.caller() is
  'Who calls, as far as it is proved: user_id by access token or API key, is_anonymous for Supabase''s anonymous sign-ins, run_id by a run token; null where nothing proves it. Definer, since the API roles can''t read auth.users, where a deleted user is missed; one that Auth keeps (soft deletion) is deleted too.';

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
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
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
$$;
comment on function private.lock_caller() is
  'The calling user, for what is stored in the user''s name: nobody deletes the user until the transaction ends. Null for a caller who is no user. Definer for the same reason as private.caller().';

create function private.unauthenticated()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(401, 'unauthenticated', 'This needs a credential.',
    hint => 'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>); a run token does for its run, a public key for a start only.');
end;
$$;
comment on function private.unauthenticated() is 'Raises the one refusal of callers who show nothing.';

create function private.require_user()
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user_id uuid := (select c.user_id from private.caller() as c);
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
  v_user_id uuid := private.lock_caller();
begin
  if v_user_id is null then
    perform private.unauthenticated();
  end if;
  return v_user_id;
end;
$$;
comment on function private.lock_user() is
  'As private.lock_caller(), where only a user does; 401 unauthenticated when there is none. Definer for the same reason.';

create function private.require_caller(out user_id uuid, out is_anonymous boolean, out run_id uuid)
returns record
language plpgsql stable security definer
set search_path = ''
as $$
begin
  select c.user_id, c.is_anonymous, c.run_id into user_id, is_anonymous, run_id from private.caller() as c;
  if user_id is null and run_id is null then
    perform private.unauthenticated();
  end if;
end;
$$;
comment on function private.require_caller() is
  'Who calls, as private.caller() says, where a run token does too; 401 unauthenticated when nothing proves it. Definer for the same reason.';

create function private.whoami()
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller record := private.caller();
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
