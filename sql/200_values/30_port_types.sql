-- Written by npm run db:diff from types/values/port_types.ts, in which changes are made.

create function private.port_types()
returns table (
  name text, place integer, takes bigint, makes bigint, accepts bigint, gives bigint, json_schema jsonb
)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query values
    ('u8', 1, 1::bigint, 1::bigint, 280::bigint, 8::bigint,
      '{"type":"integer","minimum":0,"maximum":255}'::jsonb),
    ('u16', 2, 3::bigint, 3::bigint, 280::bigint, 8::bigint,
      '{"type":"integer","minimum":0,"maximum":65535}'::jsonb),
    ('u32', 3, 7::bigint, 7::bigint, 280::bigint, 8::bigint,
      '{"type":"integer","minimum":0,"maximum":4294967295}'::jsonb),
    ('u64', 4, 15::bigint, 15::bigint, 280::bigint, 8::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":0,"maximum":18446744073709551615},
      {"type":"string","pattern":"^[0-9]{1,20}$"}]}'::jsonb),
    ('u128', 5, 31::bigint, 31::bigint, 376::bigint, 40::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":0,"maximum":340282366920938463463374607431768211455},
      {"type":"string","pattern":"^[0-9]{1,39}$"}]}'::jsonb),
    ('i8', 6, 33::bigint, 33::bigint, 280::bigint, 24::bigint,
      '{"type":"integer","minimum":-128,"maximum":127}'::jsonb),
    ('i16', 7, 99::bigint, 99::bigint, 280::bigint, 24::bigint,
      '{"type":"integer","minimum":-32768,"maximum":32767}'::jsonb),
    ('i32', 8, 231::bigint, 231::bigint, 280::bigint, 24::bigint,
      '{"type":"integer","minimum":-2147483648,"maximum":2147483647}'::jsonb),
    ('i64', 9, 495::bigint, 495::bigint, 280::bigint, 24::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},
      {"type":"string","pattern":"^-?[0-9]{1,19}$"}]}'::jsonb),
    ('i128', 10, 1023::bigint, 1023::bigint, 376::bigint, 120::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":-170141183460469231731687303715884105728,"maximum":170141183460469231731687303715884105727},
      {"type":"string","pattern":"^-?[0-9]{1,39}$"}]}'::jsonb),
    ('decimal', 11, 1519::bigint, 1519::bigint, 410::bigint, 256::bigint,
      '{"anyOf":[
      {"type":"number"},
      {"type":"string","pattern":"^-?[0-9]{1,29}([.][0-9]{1,28})?$"}]}'::jsonb),
    ('f32', 12, 3567::bigint, 3567::bigint, 408::bigint, 128::bigint,
      '{"type":"number"}'::jsonb),
    ('f64', 13, 7663::bigint, 7663::bigint, 408::bigint, 128::bigint,
      '{"type":"number"}'::jsonb),
    ('bool', 14, 8192::bigint, 8192::bigint, 4::bigint, 4::bigint,
      '{"type":"boolean"}'::jsonb),
    ('string', 15, 8437760::bigint, 49152::bigint, 16386::bigint, 16386::bigint,
      '{"type":"string"}'::jsonb),
    ('address', 16, 32768::bigint, 32768::bigint, 16386::bigint, 16384::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{32,44}$"}'::jsonb),
    ('pubkey', 17, 491520::bigint, 98304::bigint, 65026::bigint, 16896::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{32,44}$"}'::jsonb),
    ('keypair', 18, 393216::bigint, 393216::bigint, 48130::bigint, 33792::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{32,88}$"}'::jsonb),
    ('signature', 19, 262144::bigint, 262144::bigint, 7170::bigint, 1024::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{64,88}$"}'::jsonb),
    ('bytes', 20, 901120::bigint, 851968::bigint, 24322::bigint, 3584::bigint,
      '{"type":"string","contentEncoding":"base64"}'::jsonb),
    ('object', 21, 1048576::bigint, 1048576::bigint, 40960::bigint, 8192::bigint,
      '{"type":"object"}'::jsonb),
    ('array', 22, 2097152::bigint, 2097152::bigint, 4096::bigint, 4096::bigint,
      '{"type":"array"}'::jsonb),
    ('json', 23, 12582911::bigint, 12582911::bigint, 65535::bigint, 65535::bigint,
      '{}'::jsonb),
    ('free', 24, 16777215::bigint, 16777215::bigint, 65535::bigint, 65535::bigint,
      '{}'::jsonb);
end;
$$;
comment on function private.port_types() is
  'One row for each port type. takes, makes: masks of the values that the type always takes and that its JSON makes; the kinds of private.value_kinds(). accepts, gives: masks of the kinds of values that an input accepts and an output gives; their bits have another order. json_schema: the JSON Schema of the readable JSON.';

create function private.value_kinds()
returns table (name text, mask bigint)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query values
    ('whole8', 1::bigint),
    ('whole16', 2::bigint),
    ('whole32', 4::bigint),
    ('whole64', 8::bigint),
    ('whole128', 16::bigint),
    ('negative8', 32::bigint),
    ('negative16', 64::bigint),
    ('negative32', 128::bigint),
    ('negative64', 256::bigint),
    ('negative128', 512::bigint),
    ('fraction', 1024::bigint),
    ('f32', 2048::bigint),
    ('f64', 4096::bigint),
    ('B', 8192::bigint),
    ('S', 16384::bigint),
    ('key text', 32768::bigint),
    ('B3', 65536::bigint),
    ('wallet', 131072::bigint),
    ('B6', 262144::bigint),
    ('BY', 524288::bigint),
    ('M', 1048576::bigint),
    ('A', 2097152::bigint),
    ('free', 4194304::bigint),
    ('string', 8388608::bigint);
end;
$$;
comment on function private.value_kinds() is
  'The kinds of values in the masks takes and makes of private.port_types(), each with its bit.';
