create function private.claim_token(flow_run_id uuid, claim_number integer, expires_at timestamptz, secret bytea)
returns text
language sql stable security invoker
begin atomic
  -- The signature of a run token covers 16 bytes, and that of a claim token covers a longer text. So a signature of one
  -- kind of token is never valid in the other kind.
  select s.text || '_' || encode(extensions.hmac(convert_to(s.text, 'UTF8'), claim_token.secret, 'sha256'), 'hex')
  from (
    select format(
      'fc_%s_%s_%s', encode(uuid_send(claim_token.flow_run_id), 'hex'), claim_token.claim_number,
      floor(extract(epoch from claim_token.expires_at))::bigint
    ) as text
  ) as s;
end;
comment on function private.claim_token(uuid, integer, timestamptz, bytea) is
  'The token of a claim. Its parts are joined by _: fc, the run id, the claim number, the expiry in seconds since 1970, and the HMAC-SHA256, in hex, of the parts before it.';

create function private.make_claim_token(flow_run_id uuid, claim_number integer)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds constant integer := private.limit_claim_token_seconds();
begin
  perform from private.flow_run_jobs as j
  where j.flow_run_id = make_claim_token.flow_run_id and j.claim_number = make_claim_token.claim_number
    and j.state in ('held', 'lost');
  if not found then
    perform private.refuse_lost_claim();
  end if;
  return jsonb_build_object(
    'token', private.claim_token(
      make_claim_token.flow_run_id, make_claim_token.claim_number, clock_timestamp() + make_interval(secs => v_seconds),
      private.run_token_secret()
    ),
    'seconds', v_seconds
  );
end;
$$;
comment on function private.make_claim_token(uuid, integer) is
  'Implements public.make_claim_token. Definer, because no API role may access jobs and the secret.';
grant execute on function private.make_claim_token(uuid, integer) to service_role;

create function public.make_claim_token(flow_run_id uuid, claim_number integer)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.make_claim_token(flow_run_id, claim_number);
$$;
comment on function public.make_claim_token(uuid, integer) is
  'For the runner: a token with which the nodes of a held claim call the project''s REST API as the flow''s owner. Returns {token, seconds}: the token, and the seconds for which it is valid. 409 claim_lost.';
grant execute on function public.make_claim_token(uuid, integer) to service_role;

create function private.claim_token_claims(token text)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_signature constant text := right(claim_token_claims.token, 64);
  v_signed constant text := left(claim_token_claims.token, -65);
  v_parts constant text[] := string_to_array(v_signed, '_');
  v_run_id uuid;
  v_claims jsonb;
begin
  if claim_token_claims.token !~ '^fc_[0-9a-f]{32}_[0-9]{1,10}_[0-9]{1,12}_[0-9a-f]{64}$' then
    perform private.fail('token_invalid', 'The claim token is malformed.');
  end if;
  if not private.is_signed(convert_to(v_signed, 'UTF8'), decode(v_signature, 'hex')) then
    perform private.fail('token_invalid', 'The claim token is not valid: it was changed, or is of another project.');
  end if;
  if to_timestamp(v_parts[4]::bigint) <= clock_timestamp() then
    perform private.fail('token_invalid', 'The claim token has expired.');
  end if;
  v_run_id := v_parts[2];
  -- If the owner of the run is banned, the token is refused. In the same way, Auth issues no access tokens to a banned
  -- user.
  select jsonb_build_object(
    'sub', u.id, 'role', 'authenticated', 'aud', 'authenticated', 'is_anonymous', u.is_anonymous,
    'claimed_run_id', v_run_id, 'chain_depth', j.chain_depth + 1
  ) into v_claims
  from private.flow_run_jobs as j
  join auth.users as u on u.id = j.user_id and u.deleted_at is null and u.banned_until > now() is not true
  where j.flow_run_id = v_run_id and j.claim_number = v_parts[3]::integer and j.state in ('held', 'lost');
  if v_claims is null then
    perform private.fail('token_invalid',
      'The claim of this token is over: the run has ended, was released or claimed again, '
        'or its owner has been deleted or banned.'
    );
  end if;
  return v_claims;
end;
$$;
comment on function private.claim_token_claims(text) is
  'The claims of a caller with this claim token, who acts as the owner of the run. 401 token_invalid if the token is malformed, forged or expired, or if the claim is over. Definer, because no API role may access jobs and the secret.';
grant execute on function private.claim_token_claims(text) to anon;
