create function private.uuid_v7(at timestamptz default clock_timestamp())
returns uuid
language sql volatile security invoker
begin atomic
  -- The second half of a random UUID starts with the variant bits, which are the same in version 7. So this function
  -- keeps the second half, and replaces the first half. The new first half has, from left to right, 48 bits of
  -- milliseconds, the version (7) and 12 bits for the fraction of the millisecond. As a number, it is 65536 *
  -- milliseconds + 28672 (the version) + 4.096 * (microseconds within the millisecond). The code multiplies all
  -- microseconds since 1970 by 4.096 (512 / 125). This adds 4096 * milliseconds, so the code multiplies the
  -- milliseconds by only 61440 (65536 - 4096).
  select encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing int8send(
        (date_part('epoch', uuid_v7.at) * 1000000)::bigint * 512 / 125
          + (date_part('epoch', uuid_v7.at) * 1000000)::bigint / 1000 * 61440 + 28672
      ) from 1 for 8
    ),
    'hex'
  )::uuid;
end;
comment on function private.uuid_v7(timestamptz) is
  'Makes a UUID version 7 of the given time. The field rand_a of the UUID holds the fraction of the millisecond (RFC 9562, section 6.2, method 3), so that ids sort by microsecond. The function is one expression, so that the planner can inline it.';

create function private.first_uuid_v7(at timestamptz)
returns uuid
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return overlay(
    private.uuid_v7(date_trunc('milliseconds', first_uuid_v7.at))::text placing '-7000-8000-000000000000' from 14
  );
end;
$$;
comment on function private.first_uuid_v7(timestamptz) is
  'The least UUID version 7 of the millisecond that contains `at`. Ids made in this millisecond or later are greater than this UUID or equal to it.';

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
  -- private.uuid_v7() rounded the fraction down to a multiple of 1/4096 ms, so it lost less than a microsecond.
  -- Rounding up to whole microseconds restores the exact time.
  return timestamptz '1970-01-01 00:00:00+00'
    + (v_milliseconds * 1000 + (v_fraction * 1000 + 4095) / 4096) * interval '1 microsecond';
end;
$$;
comment on function private.uuid_v7_time(uuid) is
  'The time, to the microsecond, from which private.uuid_v7 made this id.';

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
  -- The clock stood still or was set back: continue from the previous id.
  return private.uuid_v7(private.uuid_v7_time(uuid_v7_after.previous) + interval '1 microsecond');
end;
$$;
comment on function private.uuid_v7_after(uuid) is
  'Makes a UUID version 7 that is greater than `previous`, even if the clock stood still or was set back. A null `previous` sets no bound.';
