select plan(20);

-- The first rows are the test vectors of the Internet-Draft "The Base58 Encoding Scheme".
select is(private.decode_base58(text), bytes, format('"%s" is decoded to %s', text, bytes))
from (values
  ('2NEpo7TZRRrLZSi2U', convert_to('Hello World!', 'UTF8')),
  ('USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z', convert_to('The quick brown fox jumps over the lazy dog.', 'UTF8')),
  ('11233QC4', '\x0000287fb4cd'),
  ('', ''),
  ('1', '\x00'),
  ('111', '\x000000'),
  ('2', '\x01'),
  ('z', '\x39'),
  ('21', '\x3a'),
  ('5Q', '\xff'),
  ('5R', '\x0100'),
  ('15R', '\x000100')
) as vector (text, bytes);

select is(private.decode_base58(text), null, format('"%s" is not base58', left(text, 20)))
from (values ('0'), ('O'), ('I'), ('l'), ('2 '), ('-2'), ('é'), (repeat('1', 129))) as bad (text);

select * from finish();
