create function private.caller(out user_id uuid, out is_anonymous boolean)
returns record
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_claims jsonb := coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;
begin
  is_anonymous := false;
  if v_claims ->> 'role' = 'service_role' then
    perform private.fail(401, 'token_invalid', 'This needs a user: the service role is nobody in particular.',
      hint => 'Send the access token of the user on whose behalf you call.');
  end if;
  if v_claims ->> 'sub' is null then
    return;
  end if;
  user_id := (v_claims ->> 'sub')::uuid;
  is_anonymous := coalesce((v_claims ->> 'is_anonymous')::boolean, false);
  if not exists (select from auth.users as u where u.id = caller.user_id) then
    perform private.fail(401, 'token_invalid', 'The user of this access token does not exist any more.');
  end if;
end;
$$;
comment on function private.caller() is
  'Who calls, from the claims that PostgREST has verified: user_id is null for a caller without a user token; is_anonymous tells Supabase''s anonymous sign-ins. Definer, since the API roles can''t read auth.users, where a deleted user is missed.';

create function private.require_user()
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user_id uuid := (select c.user_id from private.caller() as c);
begin
  if v_user_id is null then
    perform private.fail(401, 'unauthenticated', 'This needs a signed-in user.',
      hint => 'Send an access token: Authorization: Bearer <ACCESS_TOKEN>.');
  end if;
  return v_user_id;
end;
$$;
comment on function private.require_user() is
  'The id of the calling user; 401 unauthenticated when there is none. Definer for the same reason as private.caller().';
