select plan(9);

select is_empty('select * from private.run_token_secrets', 'a new database has no secret yet');

select test.keep('a', private.run_token('0190a7c0-0000-7000-8000-00000000000a'));
select results_eq(
  'select octet_length(secret), previous_secret from private.run_token_secrets', 'values (32, null::bytea)', 'the first token makes the first secret'
);
select matches(test.kept('a'), '^fr_[A-Za-z0-9_-]{64}$', 'a token is fr_ and 64 characters of base64url');
select is(private.run_token('0190a7c0-0000-7000-8000-00000000000a'), test.kept('a'), 'the same run gives the same token');
select isnt(private.run_token('0190a7c0-0000-7000-8000-00000000000b'), test.kept('a'), 'another run has another token');
select is(count(*), 1::bigint, 'there is still only one secret') from private.run_token_secrets;

-- A decoded token has 16 bytes of run id and 32 bytes of HMAC.
select test.keep('bytes', decode(translate(substr(test.kept('a'), 4), '-_', '+/'), 'base64'));
select is(
  encode(substr(test.kept('bytes')::bytea, 1, 16), 'hex')::uuid, '0190a7c0-0000-7000-8000-00000000000a'::uuid,
  'the token begins with the id of the run'
);
select is(
  substr(test.kept('bytes')::bytea, 17), extensions.hmac(uuid_send('0190a7c0-0000-7000-8000-00000000000a'), secret, 'sha256'),
  'the token ends with the HMAC of the run id'
)
from private.run_token_secrets;

select private.rotate_run_token_secret();
select isnt(private.run_token('0190a7c0-0000-7000-8000-00000000000a'), test.kept('a'), 'a newer secret makes other tokens');

select * from finish();
