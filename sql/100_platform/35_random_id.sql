create function private.random_id()
returns bigint
language sql volatile security invoker
begin atomic
  -- The last 53 bits of a UUID version 4 are random; version and variant come before them.
  select ('x' || right(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint & 9007199254740991;
end;
comment on function private.random_id() is
  'An unpredictable random integer from 0 to 2^53 - 1, which JSON and JavaScript represent exactly. An earlier call may have returned the same integer.';
