-- Functions for check constraints. The roles that write the tables may execute them.

create function private.is_string_map(value jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(is_string_map.value) <> 'object' then false
    else not jsonb_path_exists(is_string_map.value, 'strict $.* ? (@.type() != "string")')
  end;
end;
$$;
comment on function private.is_string_map(jsonb) is 'Whether the value is an object whose members are all strings.';
grant execute on function private.is_string_map(jsonb) to authenticated, service_role;

create function private.is_chain_network(value jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return coalesce(
    jsonb_typeof(is_chain_network.value) = 'object'
      and is_chain_network.value ->> 'cluster' in ('devnet', 'testnet', 'mainnet-beta')
      and jsonb_typeof(is_chain_network.value -> 'url') = 'string'
      and is_chain_network.value ->> 'url' ~ '^https?://[^[:space:]/?#]+([/?#][^[:space:]]*)?$'
      and length(is_chain_network.value ->> 'url') <= private.limit_url_characters(),
    false
  );
end;
$$;
comment on function private.is_chain_network(jsonb) is
  'Whether the value is a Solana network: {url: an http(s) address, cluster: devnet | testnet | mainnet-beta}.';
grant execute on function private.is_chain_network(jsonb) to authenticated, service_role;

create function private.decode_base58(value text)
returns bytea
language plpgsql immutable strict security invoker
set search_path = ''
as $$
declare
  v_alphabet constant text := '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  v_number numeric := 0;
  v_bytes bytea := '';
  v_digit integer;
begin
  if length(decode_base58.value) > 128 then
    return null;
  end if;
  for v_index in 1..length(decode_base58.value) loop
    v_digit := strpos(v_alphabet, substr(decode_base58.value, v_index, 1)) - 1;
    if v_digit < 0 then
      return null;
    end if;
    v_number := v_number * 58 + v_digit;
  end loop;
  while v_number > 0 loop
    v_bytes := substring(int2send((v_number % 256)::smallint) from 2) || v_bytes;
    v_number := div(v_number, 256);
  end loop;
  -- Each leading 1 stands for a leading zero byte.
  return decode(repeat('00', length(substring(decode_base58.value from '^1*'))), 'hex') || v_bytes;
end;
$$;
comment on function private.decode_base58(text) is
  'Decodes base58 with Bitcoin''s alphabet, which Solana also uses. Null if the text is not base58 or is longer than 128 characters.';
grant execute on function private.decode_base58(text) to authenticated, service_role;

create function private.is_base58(value text, byte_count integer)
returns boolean
language sql immutable strict security invoker
set search_path = ''
as $$
  select coalesce(octet_length(private.decode_base58(is_base58.value)) = is_base58.byte_count, false);
$$;
comment on function private.is_base58(text, integer) is 'Whether the text is base58 of exactly byte_count bytes.';

create function private.is_base64(value text)
returns boolean
language sql immutable strict security invoker
set search_path = ''
as $$
  select is_base64.value ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$'
    and length(is_base64.value) <= 8192;
$$;
comment on function private.is_base64(text) is
  'Whether the text is padded standard base64 of at least one byte and has at most 8,192 characters. All Solana transactions and messages are shorter.';

create function private.is_public_key(value text)
returns boolean
language plpgsql immutable strict security invoker
set search_path = ''
as $$
begin
  -- Every start with a public key makes this check, so the check must be fast. Decoding would take fifty times as long.
  -- The characters of the base58 alphabet are in the order of their codes. So if two numbers have equally many digits,
  -- comparing their texts compares the numbers. The two texts below are 256^31 and 256^32: a number of 32 bytes lies
  -- between them if its first byte is not zero. If the first byte is zero, the text starts with the digit 1, and the
  -- key is decoded. A single pattern for both the characters and the length would take eight times as long.
  return case
    when length(is_public_key.value) not between 32 and 44 or is_public_key.value ~ '[^1-9A-HJ-NP-Za-km-z]' then false
    when is_public_key.value like '1%' then octet_length(private.decode_base58(is_public_key.value)) = 32
    when length(is_public_key.value) = 43
      then is_public_key.value collate "C" >= '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'
    else length(is_public_key.value) = 44
      and is_public_key.value collate "C" < 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'
  end;
end;
$$;
comment on function private.is_public_key(text) is 'Whether the text is the base58 of 32 bytes, a Solana public key.';
grant execute on function private.is_public_key(text) to authenticated, service_role;

create function private.integer_or_null(value text)
returns integer
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case when integer_or_null.value ~ '^[0-9]{1,10}$'
    and pg_input_is_valid(integer_or_null.value, 'integer') then integer_or_null.value::integer end;
end;
$$;
comment on function private.integer_or_null(text) is
  'The integer that a text of 1 to 10 digits stands for. Null for any other text, and for a number too large for the type integer.';

create function private.first_elements(list jsonb, most integer)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case when jsonb_array_length(first_elements.list) <= first_elements.most then first_elements.list
    else jsonb_path_query_array(
      first_elements.list, '$[0 to $last]', jsonb_build_object('last', first_elements.most - 1)
    )
  end;
end;
$$;
comment on function private.first_elements(jsonb, integer) is 'At most the first `most` elements of a JSON array.';
grant execute on function private.first_elements(jsonb, integer) to authenticated, service_role;

create function private.check_tag(tag text)
returns boolean
language plpgsql volatile strict security invoker
set search_path = ''
as $$
begin
  return length(check_tag.tag) <= private.limit_tag_characters() and check_tag.tag ~ '^[A-Za-z0-9][A-Za-z0-9._-]*$'
    or private.refuse_column('tag', format(
      'must be 1 to %s letters, digits, dots, underscores and hyphens, and begin with a letter or digit',
      private.limit_tag_characters()
    ));
end;
$$;
comment on function private.check_tag(text) is
  'True if the text has the form of a tag. Otherwise raises 400 column_invalid for the column tag.';
grant execute on function private.check_tag(text) to authenticated, service_role;
