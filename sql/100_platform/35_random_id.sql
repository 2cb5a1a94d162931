create function private.random_id()
returns bigint
language sql volatile security invoker
begin atomic
  -- The last 53 bits of a UUID version 4 are all random; its version and variant stand before them.
  select ('x' || right(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint & 9007199254740991;
end;
comment on function private.random_id() is
  'A random integer from 0 to 2^53 - 1, exact in JSON and JavaScript. Nobody can predict it. It may be taken already.';
