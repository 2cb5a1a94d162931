create function private.with_secret(connection public.connections)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select to_jsonb(with_secret.connection) || private.sealed_row(s.key_id, s.nonce, s.ciphertext) || jsonb_build_object(
    'token', (
      select private.sealed_row(t.key_id, t.nonce, t.ciphertext) from private.connection_tokens as t
      where t.connection_id = with_secret.connection.id and t.expires_at > clock_timestamp()
    )
  )
  from private.connection_secrets as s where s.connection_id = with_secret.connection.id;
$$;
comment on function private.with_secret(public.connections) is
  'A connection with its encrypted secret, {key_id, nonce, ciphertext}. `token` is the connection''s valid access token in the same form, or null. Calling functions must check who may read the secret. Definer, because no API role may access the secrets.';

create function private.read_connection_secret(user_id uuid, name text)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.with_secret(c) from public.connections as c
  where c.user_id = read_connection_secret.user_id and c.name = read_connection_secret.name;
$$;
comment on function private.read_connection_secret(uuid, text) is
  'Implements public.read_connection_secret. Definer, because no API role may access the secrets.';
grant execute on function private.read_connection_secret(uuid, text) to service_role;

create function public.read_connection_secret(user_id uuid, name text)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.read_connection_secret(user_id, name);
$$;
comment on function public.read_connection_secret(uuid, text) is
  'For the Edge Function connections, to test a connection: the user''s connection with its encrypted secret, as read_claimed_connection returns it. Null if the user has no connection with this name.';
grant execute on function public.read_connection_secret(uuid, text) to service_role;

create function private.read_claimed_connection(claim jsonb, name text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run constant public.flow_run := private.lock_claimed_run(
    (read_claimed_connection.claim ->> 'flow_run_id')::uuid, (read_claimed_connection.claim ->> 'claim_number')::integer
  );
  v_connection public.connections;
begin
  select c.* into v_connection
  from private.flow_run_jobs as j
  join public.connections as c
    on c.id = (j.settings -> 'connections' ->> read_claimed_connection.name)::uuid and c.user_id = v_run.user_id
  where j.flow_run_id = v_run.id and j.state in ('held', 'lost');
  if not found then
    return null;
  end if;
  -- The time is written at most once a minute. If several runs read the secret at the same time, only one of them
  -- writes the time, and the others do not wait.
  update public.connections as c set last_used_at = now()
  where c.id = (
    select o.id from public.connections as o
    where o.id = v_connection.id and (o.last_used_at < now() - interval '1 minute') is not false
    for no key update skip locked
  );
  return private.with_secret(v_connection);
end;
$$;
comment on function private.read_claimed_connection(jsonb, text) is
  'Implements public.read_claimed_connection. Definer, because no API role may access secrets and jobs.';
grant execute on function private.read_claimed_connection(jsonb, text) to service_role;

create function public.read_claimed_connection(claim jsonb, name text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.read_claimed_connection(claim, name);
$$;
comment on function public.read_claimed_connection(jsonb, text) is
  'For the runner: the connection with this name; null if the run of the claim, {flow_run_id, claim_number}, may use no such connection. The result has the encrypted secret {key_id, nonce, ciphertext}, and `token`: a valid access token in the same form, or null. 409 claim_lost.';
grant execute on function public.read_claimed_connection(jsonb, text) to service_role;
