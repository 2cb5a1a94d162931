-- Checks the transaction settings in a flow's environment. The environment may have other members, which are not
-- checked.

create function private.environment_fault(name text, value text)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- A fault never repeats the value, because the value may be a secret.
  return case
    when environment_fault.name = 'COMPUTE_BUDGET'
      and (
        environment_fault.value in ('auto', 'no') or private.lamports(to_jsonb(environment_fault.value)) <= 4294967295
      ) is not true
      then 'must be auto, no or an integer from 0 to 2^32-1'
    when environment_fault.name = 'FALLBACK_COMPUTE_BUDGET'
      and (private.lamports(to_jsonb(environment_fault.value)) <= 4294967295) is not true
      then 'must be an integer from 0 to 2^32-1'
    when environment_fault.name = 'PRIORITY_FEE'
      and not (
        environment_fault.value in ('auto', 'no') or private.lamports(to_jsonb(environment_fault.value)) is not null
      )
      then 'must be auto, no or an integer from 0 to 2^64-1'
    when environment_fault.name in ('SIMULATION_COMMITMENT_LEVEL', 'TX_COMMITMENT_LEVEL', 'WAIT_COMMITMENT_LEVEL')
      and environment_fault.value not in ('processed', 'confirmed', 'finalized')
      then 'must be processed, confirmed or finalized'
    when environment_fault.name in ('OVERWRITE_FEEPAYER', 'DEVNET_LOOKUP_TABLE', 'MAINNET_LOOKUP_TABLE')
      and not private.is_base58(environment_fault.value, 32)
      then 'must be a public key: base58 of 32 bytes'
  end;
end;
$$;
comment on function private.environment_fault(text, text) is
  'The fault of a setting in a flow''s environment, or null. The message never repeats the value.';

create function private.is_key_pair(value text)
returns boolean
language sql immutable strict security invoker
set search_path = ''
as $$
  select private.is_base58(is_key_pair.value, 64)
    or is_key_pair.value ~ '^\s*\[\s*\d{1,3}(\s*,\s*\d{1,3}){63}\s*\]\s*$';
$$;
comment on function private.is_key_pair(text) is
  'Whether the text may be a Solana key pair: base58 of 64 bytes, or a JSON array of 64 numbers, the format of Solana''s command-line tools.';

create function private.environment_findings(environment jsonb, owner_id uuid)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object('code', finding.code, 'path', 'environment.' || setting.name, 'message', finding.message)
        order by setting.name
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
          then 'OVERWRITE_FEEPAYER holds a key pair, and a flow must hold no secrets: '
            'store the key pair as a HARDCODED wallet, and set OVERWRITE_FEEPAYER to its public key'
        when 'environment_wallet_unknown'
          then 'OVERWRITE_FEEPAYER must be the public key of one of your HARDCODED wallets: none of them has this key'
        else setting.name || ' ' || private.environment_fault(setting.name, setting.value)
      end
    ) as finding (code, message)
    where finding.code is not null
  );
end;
$$;
comment on function private.environment_findings(jsonb, uuid) is
  'The faults of the settings in the environment of an owner''s flow, [{code, path, message}]; [] if there are none.';
