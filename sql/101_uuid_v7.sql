create function private.uuid_v7(at timestamptz default clock_timestamp())
returns uuid
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_microseconds bigint := floor(extract(epoch from uuid_v7.at) * 1000000);
begin
  -- 48 bits of milliseconds, version 7 with 12 bits of the millisecond's fraction, 64 bits of a random UUID's second half,
  -- which already starts with the variant bits.
  return encode(
    substring(int8send(v_microseconds / 1000) from 3)
      || int2send((28672 + (v_microseconds % 1000) * 4096 / 1000)::smallint)
      || substring(uuid_send(gen_random_uuid()) from 9),
    'hex'
  )::uuid;
end;
$$;
comment on function private.uuid_v7(timestamptz) is
  'A UUID version 7 of the given time, with the fraction of the millisecond in rand_a (RFC 9562, section 6.2, method 3), so that ids sort by microsecond.';

create function private.uuid_v7_time(id uuid)
returns timestamptz
language plpgsql immutable strict security invoker
set search_path = ''
as $$
declare
  v_hex text := replace(uuid_v7_time.id::text, '-', '');
  v_milliseconds bigint := ('x' || substr(v_hex, 1, 12))::bit(48)::bigint;
  v_fraction integer := ('x' || substr(v_hex, 14, 3))::bit(12)::integer;
begin
  -- The fraction was rounded down to 1/4096 ms, finer than a microsecond: rounding up gives back the very microsecond.
  return timestamptz '1970-01-01 00:00:00+00'
    + (v_milliseconds * 1000 + (v_fraction * 1000 + 4095) / 4096) * interval '1 microsecond';
end;
$$;
comment on function private.uuid_v7_time(uuid) is 'The time from which private.uuid_v7 made this id, to the microsecond.';

create function private.uuid_v7_after(previous uuid)
returns uuid
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_id uuid := private.uuid_v7();
begin
  if uuid_v7_after.previous is null or v_id > uuid_v7_after.previous then
    return v_id;
  end if;
  -- The clock stood still or went back: go on from the previous id instead.
  return private.uuid_v7(private.uuid_v7_time(uuid_v7_after.previous) + interval '1 microsecond');
end;
$$;
comment on function private.uuid_v7_after(uuid) is
  'A new UUID version 7 that is greater than `previous` (null: any), even when the clock stood still or was set back.';
