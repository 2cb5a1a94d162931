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
  'The time limit of a statement by a caller without a credential, by request path. It is short, because guests choose their filters and so the cost. It is longer for starts and for reads of deployments and outputs, which may wait for locks.';
grant execute on function private.guest_time_limit(text) to anon;

-- PostgREST runs this function before each request. It
-- refuses run tokens that are not valid, and counts that are estimates;
-- lets the holder of an API key act as the key's owner, so that auth.uid() and policies apply on every path;
-- and sets a short time limit for guests.
create function private.pre_request()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_api_key text;
begin
  -- The planner's estimates count rows that policies hide. The first condition saves requests without such a header
  -- from parsing the headers.
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
          'The run token is malformed: it must be fr_ and 64 letters, digits, - and _, and has %s characters.',
          length(private.request_header('x-flow-run-token'))
        )
      end,
      hint => 'Send the whole token, as the start of the run answered it.');
  end if;
  -- Only for a caller without an access token: a user's token takes precedence over an API key.
  if current_setting('role') = 'anon' then
    v_api_key := private.request_header('x-api-key');
    if v_api_key is not null then
      perform set_config('request.jwt.claims', private.api_key_claims(v_api_key)::text, true);
      perform set_config('role', 'authenticated', true);
      -- PostgREST has already applied the settings of anon. Set the users' time limit here.
      perform set_config('statement_timeout', split_part(o.setting, '=', 2), true)
      from pg_catalog.pg_db_role_setting as s cross join unnest(s.setconfig) as o (setting)
      where s.setdatabase = 0 and s.setrole = 'authenticated'::regrole and o.setting like 'statement\_timeout=%';
    elsif private.request_header('x-flow-run-token') is null then
      -- The limit takes effect from the next statement, which is the request's own.
      perform set_config('statement_timeout', private.guest_time_limit(current_setting('request.path', true)), true);
    end if;
  end if;
end;
$$;
comment on function private.pre_request() is
  'PostgREST runs it before each request: it checks the run token, applies an API key, refuses inexact counts and limits the time of guests. Invoker, since a definer can''t change the role.';
grant execute on function private.pre_request() to anon, authenticated, service_role;
