SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.environment_findings (
  environment jsonb,
  owner_id    uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object('code', finding.code, 'path', 'environment.' || setting.name, 'message', finding.message) order by setting.name
    ), '[]')
    from jsonb_each_text(environment_findings.environment) as setting (name, value)
    cross join lateral (
      select case
        when setting.name = 'OVERWRITE_FEEPAYER' and private.is_key_pair(setting.value) then 'environment_key_pair'
        when private.environment_fault(setting.name, setting.value) is not null then 'environment_value_invalid'
        when setting.name = 'OVERWRITE_FEEPAYER' and not exists (
          select from public.wallets as w
          where w.user_id = environment_findings.owner_id and w.public_key = setting.value and w.type = 'HARDCODED'
        ) then 'environment_wallet_unknown'
      end
    ) as fault (code)
    cross join lateral (
      select fault.code, case fault.code
        when 'environment_key_pair'
          then 'OVERWRITE_FEEPAYER holds a key pair, and no secret belongs into a flow: store it as a HARDCODED wallet, and give its public key there'
        when 'environment_wallet_unknown' then 'OVERWRITE_FEEPAYER takes the public key of a HARDCODED wallet of yours, and you have none of this one'
        else setting.name || ' ' || private.environment_fault(setting.name, setting.value)
      end
    ) as finding (code, message)
    where finding.code is not null
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.fees_faults (
  fees jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_faults jsonb := '[]';
  v_fee record;
begin
  if jsonb_typeof(fees_faults.fees) is distinct from 'array' then
    return '[{"path": "fees", "message": "takes a list of [address, amount] pairs"}]';
  end if;
  for v_fee in
    select f.pair, format('fees[%s]', f.position - 1) as path from jsonb_array_elements(fees_faults.fees) with ordinality as f (pair, position)
  loop
    -- A list of nothing but faults needs no complete answer.
    exit when jsonb_array_length(v_faults) >= 100;
    if jsonb_typeof(v_fee.pair) <> 'array' then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'takes a pair [address, amount]');
      continue;
    end if;
    if jsonb_array_length(v_fee.pair) <> 2 then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'takes a pair [address, amount]');
      continue;
    end if;
    if not private.is_public_key(v_fee.pair -> 0) then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path || '[0]', 'message', 'takes an address, base58 of 32 bytes');
    end if;
    if private.lamports(v_fee.pair -> 1) is null then
      v_faults := v_faults || jsonb_build_object(
        'path', v_fee.path || '[1]', 'message', 'takes lamports, an integer from 0 to 2^64-1, as a number or a string'
      );
    end if;
  end loop;
  return v_faults;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unauthenticated()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(401, 'unauthenticated', 'This needs a credential.',
    hint => 'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>); a run token does for its run, a public key for a start only.');
end;
$function$;
