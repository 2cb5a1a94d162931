SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.check_inputs (
  inputs jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_pairs jsonb;
  v_bad text;
begin
  if jsonb_typeof(check_inputs.inputs) <> 'object' then
    perform private.fail(400, 'inputs_invalid', 'inputs: takes an object of values, such as {"a": {"S": "text"}}');
  end if;
  if octet_length(check_inputs.inputs::text) > 1048576 then
    perform private.fail(413, 'inputs_too_large', 'inputs: larger than 1 MiB');
  end if;
  -- No number and no key needs as many digits, and reading them takes quadratic time. In JSON text only a member's name stands so
  -- before a string, and only a tag may stand before one.
  if octet_length(check_inputs.inputs::text) > 1000 and exists (
    select
    from (
      select part.text, right(lag(part.text) over (order by part.place), 4) as before
      from string_to_table(check_inputs.inputs::text, '": "') with ordinality as part (text, place)
    ) as strings
    where strpos(strings.text, '"') > 1001 and strings.before ~ '"([FD]|[UI]1?|B[36])$'
  ) then
    perform private.fail(400, 'inputs_invalid', 'inputs: the text of a number or a key has at most 1000 characters');
  end if;
  -- One look at all levels, which copies nothing: what is good by it is good. Only a lax path counts members ((…) is unknown unless
  -- there is exactly one), and as it looks into arrays where an object belongs, no value may be an array.
  if not jsonb_path_exists(check_inputs.inputs, (
    'lax $ ? (@.*.type() == "array" || exists (@.* ? ('
    || repeat(
      '@.type() != "object" || (@.*.size() * 0 == 0) is unknown || !('
      '@.*.type() == "string" && (exists (@.S) || exists (@.U) || exists (@.D) || exists (@.B3) || exists (@.I) || exists (@.F)'
      ' || exists (@.BY) || exists (@.B6) || exists (@.U1) || exists (@.I1))'
      ' || @.M.type() == "object" || @.A.type() == "array" || @.B.type() == "boolean" || @.N.type() == "number" && @.N == 0'
      ') || @.*.**{1}.type() == "array" || exists (@.*.**{1} ? (', 64
    )
    -- The 65th level.
    || '1 == 1' || repeat('))', 65) || ')'
  )::jsonpath) then
    return;
  end if;
  -- Otherwise what is wrong is looked for, level by level.
  v_pairs := jsonb_path_query_array(check_inputs.inputs, '$.keyvalue()');
  for v_index in 0..jsonb_array_length(v_pairs) - 1 loop
    v_bad := private.bad_value(v_pairs -> v_index -> 'value', 64);
    if v_bad is not null then
      perform private.fail(400, 'inputs_invalid', 'inputs.' || (v_pairs -> v_index ->> 'key') || v_bad);
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_chain_network (
  value jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return coalesce(
    jsonb_typeof(is_chain_network.value) = 'object'
      and is_chain_network.value ->> 'cluster' in ('devnet', 'testnet', 'mainnet-beta')
      and jsonb_typeof(is_chain_network.value -> 'url') = 'string'
      and is_chain_network.value ->> 'url' ~ '^https?://[^[:space:]/?#]+([/?#][^[:space:]]*)?$'
      and length(is_chain_network.value ->> 'url') <= 2048,
    false
  );
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
$function$;

COMMENT ON FUNCTION "private"."check_inputs"(jsonb) IS 'Refuses inputs of a flow that are not an object of one-tag values, 64 levels deep and 1 MiB at most, with numbers and keys of at most 1000 characters: 400 inputs_invalid, 413 inputs_too_large.';

COMMENT ON FUNCTION "private"."pre_request"() IS 'PostgREST runs it before each request: it refuses invalid run tokens and counts that are estimates, and lets the holder of an API key act as the key''s owner, so that auth.uid() and policies hold on every path. Invoker, since a definer can''t change the role.';
