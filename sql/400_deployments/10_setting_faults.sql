-- The functions named *_faults list the faults of a deployment's setting as [{path, message}]; [] for a valid setting.
-- Their messages are clearer than the error of a check constraint. CONTRIBUTING.md, "A new deployment setting", lists
-- all files to change for a new setting.

create function private.refuse_setting(name text, message text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.refuse_faults(refuse_setting.name || '_invalid', jsonb_build_array(
    jsonb_build_object('path', refuse_setting.name, 'message', refuse_setting.message)
  ));
end;
$$;
comment on function private.refuse_setting(text, text) is 'Refuses a deployment''s setting: 400 <name>_invalid.';

create function private.check_setting_json(name text, value jsonb)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_measure private.json_measure := private.measure_json(check_setting_json.value, private.limit_setting_bytes());
begin
  if v_measure.fault is not null then
    perform private.refuse_faults(check_setting_json.name || '_invalid', jsonb_build_array(
      jsonb_build_object('path', check_setting_json.name || v_measure.path, 'message', v_measure.message)
    ));
  end if;
end;
$$;
comment on function private.check_setting_json(text, jsonb) is
  'Refuses a setting whose JSON text is too long, is nested too deeply or contains a number with too many digits: 400 <name>_invalid. Runs before the *_faults functions.';

create function private.lamports(amount jsonb)
returns numeric
language plpgsql immutable strict security invoker
set search_path = ''
as $$
declare
  v_text text := lamports.amount #>> '{}';
  v_number numeric;
begin
  if jsonb_typeof(lamports.amount) = 'number' or jsonb_typeof(lamports.amount) = 'string'
    and v_text ~ '^[0-9]{1,20}$' then
    v_number := v_text::numeric;
  end if;
  -- trunc drops the zeros of a fraction: 1.0 becomes 1.
  return case when v_number = trunc(v_number) and v_number between 0 and 18446744073709551615 then trunc(v_number) end;
end;
$$;
comment on function private.lamports(jsonb) is
  'The integer from 0 to 2^64-1 in a JSON number or in a JSON string of digits; null for any other JSON.';

create function private.is_fees(value jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(is_fees.value) <> 'array' then false
    else not exists (
      select
      from jsonb_array_elements(is_fees.value) as fee
      where case
        when jsonb_typeof(fee) <> 'array' or jsonb_array_length(fee) <> 2 then true
        when jsonb_typeof(fee -> 0) <> 'string' or not private.is_public_key(fee ->> 0) then true
        when jsonb_typeof(fee -> 1) <> 'number' then true
        else (fee ->> 1)::numeric <> trunc((fee ->> 1)::numeric)
          or (fee ->> 1)::numeric not between 0 and 18446744073709551615
      end
    )
  end;
end;
$$;
comment on function private.is_fees(jsonb) is
  'Whether the value is a list of [address, amount] pairs: a base58 public key and an integer of lamports from 0 to 2^64-1.';
grant execute on function private.is_fees(jsonb) to authenticated, service_role;

create function private.is_icon_url(value text)
returns boolean
language plpgsql immutable strict security invoker
set search_path = ''
as $$
begin
  return length(is_icon_url.value) <= private.limit_url_characters()
    and is_icon_url.value ~ '^https://[^[:space:][:cntrl:]/?#@"<>\\^`{|}]+([/?#][^[:space:][:cntrl:]"<>\\^`{|}]*)?$';
end;
$$;
comment on function private.is_icon_url(text) is
  'Whether the text is an https address of at most limit_url_characters() characters, without a user name and without characters that need escaping.';
grant execute on function private.is_icon_url(text) to authenticated, service_role;

create function private.fees_faults(fees jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_faults jsonb := '[]';
  v_fee record;
begin
  if jsonb_typeof(fees_faults.fees) is distinct from 'array' then
    return '[{"path": "fees", "message": "must be a list of [address, amount] pairs"}]';
  end if;
  -- A transaction has 1,232 bytes. Its fixed part takes 168 bytes, and each transfer takes 17 bytes, so a transaction
  -- has room for 62 transfers.
  if jsonb_array_length(fees_faults.fees) > private.limit_fees() then
    return jsonb_build_array(jsonb_build_object('path', 'fees', 'message', format(
      'must have at most %s pairs: no transaction has room for more', private.limit_fees()
    )));
  end if;
  for v_fee in
    select f.pair, format('fees[%s]', f.position - 1) as path
      from jsonb_array_elements(fees_faults.fees) with ordinality as f (pair, position)
  loop
    if jsonb_typeof(v_fee.pair) <> 'array' then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'must be a pair [address, amount]');
      continue;
    end if;
    if jsonb_array_length(v_fee.pair) <> 2 then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'must be a pair [address, amount]');
      continue;
    end if;
    if jsonb_typeof(v_fee.pair -> 0) <> 'string' or not private.is_public_key(v_fee.pair ->> 0) then
      v_faults := v_faults || jsonb_build_object(
        'path', v_fee.path || '[0]', 'message', 'must be an address, base58 of 32 bytes'
      );
    end if;
    if private.lamports(v_fee.pair -> 1) is null then
      v_faults := v_faults || jsonb_build_object(
        'path', v_fee.path || '[1]', 'message', 'must be lamports: an integer from 0 to 2^64-1, as a number or a string'
      );
    end if;
  end loop;
  return v_faults;
end;
$$;
comment on function private.fees_faults(jsonb) is 'The faults of a deployment''s fees.';

create function private.chain_network_faults(chain_network jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if jsonb_typeof(chain_network_faults.chain_network) is distinct from 'object' then
    return '[{"path": "chain_network", "message": "must be an object {url, cluster}"}]';
  end if;
  return (
    select coalesce(
      jsonb_agg(jsonb_build_object('path', 'chain_network.' || fault.member, 'message', fault.message)), '[]'
    )
    from (
      select 'url', format('must be an http or https address of at most %s characters', private.limit_url_characters())
      where not private.is_chain_network(chain_network_faults.chain_network || '{"cluster": "devnet"}')
      union all
      select 'cluster', 'must be devnet, testnet or mainnet-beta'
      where not private.is_chain_network(chain_network_faults.chain_network || '{"url": "https://rpc.example.com"}')
      union all
      (
        select private.shorten(m.name), 'there is no such member; the members are url and cluster'
        from jsonb_object_keys(chain_network_faults.chain_network) as m (name)
        where m.name not in ('url', 'cluster') limit private.limit_listed_faults()
      )
    ) as fault (member, message)
  );
end;
$$;
comment on function private.chain_network_faults(jsonb) is
  'The faults of a deployment''s chain_network, by member.';

create function private.on_end_faults(on_end jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_events constant jsonb := '["succeeded", "failed", "stopped", "signature_request"]';
begin
  if jsonb_typeof(on_end_faults.on_end) is distinct from 'object' then
    return '[{"path": "on_end", "message": "must be an object {url, events}, or null"}]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('path', 'on_end.' || fault.member, 'message', fault.message)), '[]')
    from (
      select 'url', format('must be an http or https address of at most %s characters', private.limit_url_characters())
      where not coalesce(
        jsonb_typeof(on_end_faults.on_end -> 'url') = 'string'
          and length(on_end_faults.on_end ->> 'url') <= private.limit_url_characters()
          and on_end_faults.on_end ->> 'url' ~ '^https?://[^[:space:][:cntrl:]/?#"<>\\^`{|}]+([/?#][^[:space:][:cntrl:]"<>\\^`{|}]*)?$',
        false
      )
      union all
      select 'events',
        'must be a list of one or more of succeeded, failed, stopped and signature_request, each at most once'
      where case
        when jsonb_typeof(on_end_faults.on_end -> 'events') is distinct from 'array' then true
        when jsonb_array_length(on_end_faults.on_end -> 'events') not between 1 and 4 then true
        else not v_events @> (on_end_faults.on_end -> 'events')
          or (
            select count(distinct e.event) < count(*)
              from jsonb_array_elements(on_end_faults.on_end -> 'events') as e (event)
          )
      end
      union all
      (
        select private.shorten(m.name), 'there is no such member; the members are url and events'
        from jsonb_object_keys(on_end_faults.on_end) as m (name)
        where m.name not in ('url', 'events') limit private.limit_listed_faults()
      )
    ) as fault (member, message)
  );
end;
$$;
comment on function private.on_end_faults(jsonb) is
  'The faults of a deployment''s on_end, by member.';
grant execute on function private.on_end_faults(jsonb) to authenticated, service_role;

create function private.model_limits_faults(model_limits jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if jsonb_typeof(model_limits_faults.model_limits) is distinct from 'object' then
    return '[{"path": "model_limits", "message": "must be an object {run_tokens, day_tokens}, or null"}]';
  end if;
  return (
    select coalesce(
      jsonb_agg(jsonb_build_object('path', 'model_limits.' || fault.member, 'message', fault.message)), '[]'
    )
    from (
      select m.name, 'must be an integer from 1 to 2^53-1'
      from jsonb_each(model_limits_faults.model_limits) as m (name, value)
      where m.name in ('run_tokens', 'day_tokens') and case
        when jsonb_typeof(m.value) <> 'number' then true
        else m.value::numeric <> trunc(m.value::numeric) or m.value::numeric not between 1 and 9007199254740991
      end
      union all
      (
        select private.shorten(m.name), 'there is no such member; the members are run_tokens and day_tokens'
        from jsonb_object_keys(model_limits_faults.model_limits) as m (name)
        where m.name not in ('run_tokens', 'day_tokens') limit private.limit_listed_faults()
      )
    ) as fault (member, message)
  );
end;
$$;
comment on function private.model_limits_faults(jsonb) is
  'The faults of a deployment''s model_limits, by member.';
grant execute on function private.model_limits_faults(jsonb) to authenticated, service_role;
