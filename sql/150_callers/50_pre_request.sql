create function private.guest_time_limit(path text)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(
    (
      select l.time_limit
      from (values
        ('/rpc/start_deployment', '3s'), ('/rpc/receive_webhook', '3s'), ('/rpc/read_deployment', '3s'),
        ('/rpc/flow_run_result', '3s'), ('/rpc/await_flow_run_result', '3s')
      ) as l (path, time_limit)
      where l.path = guest_time_limit.path
    ),
    '500ms'
  );
$$;
comment on function private.guest_time_limit(text) is
  'The time limit of a guest''s statement, by request path. A guest is a caller without a credential. The limit is short, because guests choose the filters of a query and thereby its cost. Starts of runs, and reads of deployments and of runs'' outputs, have more time, because they may wait for locks.';
grant execute on function private.guest_time_limit(text) to anon;

-- A user's access token takes precedence over an API key. The nodes of a run send only a claim token. A request with a
-- claim token and another credential is refused, because a claim token must never act for the service role.
create function private.credential_claims()
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_role constant text := current_setting('role');
  v_claim_token text;
  v_api_key text;
begin
  -- Most requests have no claim token. This quick test avoids parsing their headers.
  if current_setting('request.headers', true) like '%x-flow-claim-token%' then
    v_claim_token := private.request_header('x-flow-claim-token');
  end if;
  if v_role = 'anon' or v_claim_token is not null then
    v_api_key := private.request_header('x-api-key');
  end if;
  if v_claim_token is not null then
    if v_role <> 'anon' or v_api_key is not null then
      perform private.fail('token_invalid', 'A request with a claim token may carry no other credential.');
    end if;
    return private.claim_token_claims(v_claim_token);
  end if;
  if v_role = 'anon' and v_api_key is not null then
    return private.api_key_claims(v_api_key);
  end if;
  return null;
end;
$$;
comment on function private.credential_claims() is
  'The claims of the request''s API key or claim token. Null if the request has neither, or if it has an access token, which takes precedence over an API key. 401 token_invalid, api_key_invalid.';
grant execute on function private.credential_claims() to anon, authenticated, service_role;

-- PostgREST runs this function before each request. The function
--
--   - refuses invalid run tokens, invalid claim tokens and requests for estimated counts;
--   - lets the holder of an API key act as the key's owner, and a node with a claim token act as the flow's owner, so
--     that auth.uid() and policies apply on every path;
--   - sets a short time limit for guests, and for reads of tables.
create function private.pre_request()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_claims jsonb;
begin
  -- Refuse estimated counts, because the planner's estimates count rows that policies hide. The first condition is a
  -- quick test: most requests do not ask for a count, and their headers need not be parsed.
  if current_setting('request.headers', true) like '%count=%' and current_setting('role') <> 'service_role'
    and private.request_header('prefer') ~ 'count=(planned|estimated)' then
    perform private.fail('count_inexact', 'Prefer: count= must be exact.',
      hint => 'Planned and estimated counts include rows that the caller may not see. Send Prefer: count=exact.');
  end if;
  if private.request_header('x-flow-run-token') is not null and private.token_run_id() is null then
    perform private.fail('token_invalid',
      case
        when private.request_header('x-flow-run-token') ~ '^fr_[A-Za-z0-9_-]{64}$'
          then 'The run token is not valid: it was changed, is of another project, '
            'or is older than the last two rotations of the secret.'
        else format(
          'The run token is malformed: it must be fr_ and 64 letters, digits, - or _, but it has %s characters.',
          length(private.request_header('x-flow-run-token'))
        )
      end,
      hint => 'Send the whole token that the start of the run returned.');
  end if;
  v_claims := private.credential_claims();
  if v_claims is not null then
    -- Functions of the project can read the request's headers. Remove the claim token, because such a function could
    -- return it.
    if v_claims ? 'claimed_run_id' then
      perform set_config(
        'request.headers', (current_setting('request.headers')::jsonb - 'x-flow-claim-token')::text, true
      );
    end if;
    perform set_config('request.jwt.claims', v_claims::text, true);
    perform set_config('role', 'authenticated', true);
    -- PostgREST has already applied the settings of the role anon. Replace the time limit of anon by the time limit of
    -- the role authenticated.
    perform set_config('statement_timeout', split_part(o.setting, '=', 2), true)
    from pg_catalog.pg_db_role_setting as s cross join unnest(s.setconfig) as o (setting)
    where s.setdatabase = 0 and s.setrole = 'authenticated'::regrole and o.setting like 'statement\_timeout=%';
  elsif current_setting('role') = 'anon' and private.request_header('x-flow-run-token') is null then
    -- The limit takes effect from the next statement, which is the statement of the request itself.
    perform set_config('statement_timeout', private.guest_time_limit(current_setting('request.path', true)), true);
  end if;
  -- The caller of a read chooses its filters, and thereby its cost. A limit of 0 means no limit.
  if current_setting('request.method', true) in ('GET', 'HEAD')
    and current_setting('request.path', true) not like '/rpc/%' and current_setting('role') <> 'service_role'
    and current_setting('statement_timeout')::interval not between interval '1 ms' and interval '2 s' then
    perform set_config('statement_timeout', '2s', true);
  end if;
end;
$$;
comment on function private.pre_request() is
  'PostgREST calls this function before each request. It checks the run token, lets a caller with an API key or claim token act as a user, refuses inexact counts, and limits how long a guest''s statement and any caller''s read of a table may take. Invoker, because a definer function can''t change the role.';
grant execute on function private.pre_request() to anon, authenticated, service_role;
