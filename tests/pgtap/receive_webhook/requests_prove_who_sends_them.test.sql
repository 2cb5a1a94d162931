select plan(37);

-- These examples come from the documentation of the senders.
select ok(private.is_signed_by_standard_webhooks(
  private.webhook_secret_bytes('standard_webhooks', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), '{"test": 2432232314}'::bytea,
  '{"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,abc v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}'
), 'Standard Webhooks: one of several signatures is valid');
select ok(private.is_webhook_verified(
  'github', private.webhook_secret_bytes('github', 'It''s a Secret to Everybody'), 'Hello, World!',
  '{"x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}', null
), 'GitHub: "Hello, World!"');
create function pg_temp.is_signed(secret text, body text, header text, hmac jsonb) returns boolean language sql volatile as $$
  select private.is_webhook_verified(
    'hmac', convert_to(secret, 'UTF8'), body, jsonb_build_object('x-signature', header), private.webhook_hmac('{"header": "X-Signature"}' || hmac)
  );
$$;
select ok(pg_temp.is_signed(
  'It''s a Secret to Everybody', 'Hello, World!', 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17', '{"prefix": "sha256="}'
), 'GitHub''s example, as a header that the owner names');
-- Source: SQLPage, tests of sqlpage.hmac, "Shopify webhook HMAC validation".
select ok(pg_temp.is_signed(
  'test-webhook-secret', '{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}',
  'QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw=', '{"encoding": "base64"}'
), 'Shopify: base64');
-- Sources: RFC 2202 and RFC 4231, test cases 2.
select ok(pg_temp.is_signed('Jefe', 'what do ya want for nothing?', 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79', '{"algorithm": "sha1"}'), 'SHA-1, as Vercel signs');
select ok(
  pg_temp.is_signed('Jefe', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', '{}'), 'SHA-256 in hex by default'
);
select ok(not pg_temp.is_signed('Jefe', 'what do ya want for nothing?', header, hmac), 'a wrong signature is refused: ' || says)
from (values
  ('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', '{"prefix": "v0="}'::jsonb, 'without the prefix'),
  ('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', '{"encoding": "base64"}', 'a signature in another encoding'),
  ('effcdf6ae5eb2fa2d27416d5f184df9c259a7c79', '{}', 'a signature by another algorithm'),
  ('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec384', '{}', 'a part of a signature'),
  ('', '{}', 'an empty signature'),
  (null, '{}', 'without the header')
) as v (header, hmac, says);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('push')));
select test.deploy(test.kept('flow')::integer);
select test.keep(name, right(public.create_webhook('push', test.kept('flow')::integer, verification => name, secret => secret) ->> 'url', 46))
from (values
  ('standard_webhooks', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), ('github', 'It''s a Secret to Everybody'),
  ('stripe', 'whsec_test_secret'), ('authorization', 'Bearer of bad news')
) as v (name, secret);
select test.keep('shopify', right(public.create_webhook(
  'push', test.kept('flow')::integer, verification => 'hmac', secret => 'test-webhook-secret',
  hmac => '{"header": "X-Shopify-Hmac-Sha256", "encoding": "base64", "id_header": "X-Shopify-Webhook-Id"}'
) ->> 'url', 46));
select test.keep('waiting', right(public.create_webhook('push', test.kept('flow')::integer, verification => 'stripe') ->> 'url', 46));
select test.sign_out();

create function pg_temp.answer(name text, headers jsonb, body text default '{}') returns text language plpgsql volatile set search_path = '' as $$
declare
  v_answer jsonb;
begin
  perform test.sign_in_as_role('anon');
  v_answer := public.receive_webhook(test.kept(answer.name), answer.body, answer.headers);
  perform test.sign_out();
  return coalesce(v_answer ->> 'code', case when v_answer ? 'flow_run_id' then 'started' end);
end;
$$;
create function pg_temp.hmac(text text, secret bytea, format text) returns text language sql immutable as $$
  select encode(extensions.hmac(convert_to(text, 'UTF8'), secret, 'sha256'), format);
$$;
create function pg_temp.standard(at bigint, body text default '{}') returns jsonb language sql immutable as $$
  select jsonb_build_object('webhook-id', 'msg_' || at, 'webhook-timestamp', at::text, 'webhook-signature', 'v1,' || pg_temp.hmac(
    'msg_' || at || '.' || at || '.' || body, decode('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'), 'base64'
  ));
$$;
create function pg_temp.stripe(at bigint, body text default '{}') returns jsonb language sql immutable as $$
  select jsonb_build_object('stripe-signature', 't=' || at || ',v1=00,v1=' || pg_temp.hmac(at || '.' || body, 'whsec_test_secret', 'hex') || ',v0=00');
$$;
select test.keep('now', extract(epoch from clock_timestamp())::bigint);

select is(pg_temp.answer('standard_webhooks', pg_temp.standard(test.kept('now')::bigint)), 'started', 'Standard Webhooks: a valid request starts a run');
select is(pg_temp.answer('standard_webhooks', pg_temp.standard(test.kept('now')::bigint - 310)), 'webhook_signature_invalid', 'a request that is older than five minutes is refused');
select is(pg_temp.answer('standard_webhooks', pg_temp.standard(test.kept('now')::bigint + 310)), 'webhook_signature_invalid', 'a request from more than five minutes in the future is refused');
select is(pg_temp.answer('standard_webhooks', pg_temp.standard(test.kept('now')::bigint - 290)), 'started', 'a request that is less than five minutes old is accepted');
select is(pg_temp.answer('standard_webhooks', pg_temp.standard(test.kept('now')::bigint), '{ }'), 'webhook_signature_invalid', 'a signature of another body is refused');
select is(pg_temp.answer('standard_webhooks', pg_temp.standard(test.kept('now')::bigint) || '{"webhook-id": "msg_2"}'), 'webhook_signature_invalid', 'a signature of another id is refused');
select is(pg_temp.answer('standard_webhooks', pg_temp.standard(test.kept('now')::bigint) || '{"webhook-timestamp": "1e9"}'), 'webhook_signature_invalid', 'a time that is no number is refused');
select is(pg_temp.answer('standard_webhooks', pg_temp.standard(test.kept('now')::bigint) - 'webhook-id'), 'webhook_signature_invalid', 'a request without an id is refused');
select is(pg_temp.answer('standard_webhooks', '{}'), 'webhook_signature_invalid', 'a request without these headers is refused');

select is(pg_temp.answer('stripe', pg_temp.stripe(test.kept('now')::bigint)), 'started', 'Stripe: one of several signatures is valid');
select is(pg_temp.answer('stripe', pg_temp.stripe(test.kept('now')::bigint - 310)), 'webhook_signature_invalid', 'a request that is older than five minutes is refused');
select is(pg_temp.answer('stripe', pg_temp.stripe(test.kept('now')::bigint), '[]'), 'webhook_signature_invalid', 'a signature of another body is refused');
select is(pg_temp.answer('stripe', '{"stripe-signature": "t=,v1="}'), 'webhook_signature_invalid', 'an empty signature is refused');
select is(pg_temp.answer('waiting', pg_temp.stripe(test.kept('now')::bigint)), 'webhook_signature_invalid', 'while no secret is set, all requests are refused');

select is(pg_temp.answer('github', jsonb_build_object('x-hub-signature-256', 'sha256=' || pg_temp.hmac('{}', 'It''s a Secret to Everybody', 'hex'))),
  'started', 'GitHub: a valid request starts a run');
select is(pg_temp.answer('github', jsonb_build_object('x-hub-signature-256', 'sha256=' || pg_temp.hmac('{}', 'another secret', 'hex'))),
  'webhook_signature_invalid', 'a signature by another secret is refused');
select is(pg_temp.answer('github', jsonb_build_object('x-hub-signature', 'sha256=' || pg_temp.hmac('{}', 'It''s a Secret to Everybody', 'hex'))),
  'webhook_signature_invalid', 'a signature in another header is refused');

select is(
  array(select pg_temp.answer('shopify', jsonb_build_object(
    'x-shopify-hmac-sha256', pg_temp.hmac('{}', 'test-webhook-secret', 'base64'), 'x-shopify-webhook-id', id
  )) from unnest('{a,a,b}'::text[]) as id), array_fill('started'::text, '{3}'), 'requests with a header that the owner named are accepted'
);
select is(count(*), 2::bigint, 'each id of a delivery starts one run') from public.flow_run as r
join public.flow_webhooks as w on w.id = r.webhook_id and w.prefix = left(test.kept('shopify'), 10);

select is(pg_temp.answer('authorization', '{"authorization": "Bearer of bad news"}'), 'started', 'Helius: a fixed header');
select is(pg_temp.answer('authorization', '{"authorization": "Bearer of good news"}'), 'webhook_signature_invalid', 'another value of the header is refused');

select is(last_error, 'webhook_signature_invalid: The signature or its time is missing, wrong or too old.', 'last_error has the reason for the owner')
from public.flow_webhooks where prefix = left(test.kept('github'), 10);
select is(count(*), 7::bigint, 'only what was proved has started a run') from public.flow_run;
select ok(not exists (
  select from private.flow_webhook_secrets where convert_from(verification_secret, 'LATIN1') like '%bad news%'
), 'only the digest of a fixed header is stored');

select test.sign_in(test.user_id('owner'));
select public.set_webhook_verification(id, null) from public.flow_webhooks where prefix = left(test.kept('waiting'), 10);
select test.sign_out();
select is(pg_temp.answer('waiting', '{}'), 'started', 'the verification can be removed');

select * from finish();
