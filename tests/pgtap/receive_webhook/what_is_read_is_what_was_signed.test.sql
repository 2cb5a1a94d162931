select plan(26);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('event')));
select test.deploy(test.kept('flow')::integer);
select test.keep(name, right(public.create_webhook(
  'event', test.kept('flow')::integer, verification => name, secret => 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  hmac => case when name = 'hmac' then '{"header": "x-signature"}'::jsonb end
) ->> 'url', 46))
from unnest('{standard_webhooks,github,stripe,hmac,authorization}'::text[]) as name;
select test.sign_out();
select test.keep('now', extract(epoch from clock_timestamp())::bigint);

create function pg_temp.answer(name text, headers jsonb, body text) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_answer jsonb;
begin
  perform test.sign_in_as_role('anon');
  v_answer := public.receive_webhook(test.kept(answer.name), answer.body, answer.headers);
  perform test.sign_out();
  return v_answer;
end;
$$;
create function pg_temp.signature(signed text, format text default 'hex') returns text language sql immutable as $$
  select encode(extensions.hmac(convert_to(signed, 'UTF8'), case
    when format = 'base64' then decode('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
    else convert_to('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'UTF8')
  end, 'sha256'), format);
$$;
-- Returns the headers of a request with this body, signed by the scheme with this name. `type` is the content type of
-- the request.
create function pg_temp.signed(name text, body text, type text default 'application/json') returns jsonb language sql volatile as $$
  select jsonb_build_object('content-type', type) || case name
    when 'standard_webhooks' then jsonb_build_object(
      'webhook-id', 'msg_' || md5(body), 'webhook-timestamp', test.kept('now'),
      'webhook-signature', 'v1,' || pg_temp.signature(concat_ws('.', 'msg_' || md5(body), test.kept('now'), body), 'base64')
    )
    when 'stripe' then jsonb_build_object(
      'stripe-signature', format('t=%s,v1=%s', test.kept('now'), pg_temp.signature(test.kept('now') || '.' || body))
    )
    when 'github' then jsonb_build_object('x-hub-signature-256', 'sha256=' || pg_temp.signature(body))
    when 'hmac' then jsonb_build_object('x-signature', pg_temp.signature(body))
    else '{"authorization": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}'
  end;
$$;

-- An attacker has captured a delivery of the message "m". The signed text is id.time.body, and this body contains a
-- dot, the time and form data. So the attacker could split the text at another dot.
select test.keep('body', format('{"note": "1.%s.admin=yes"}', test.kept('now')));
select test.keep('captured', pg_temp.signature('m.' || test.kept('now') || '.' || test.kept('body'), 'base64'));
create function pg_temp.captured(id text, body text, type text) returns jsonb language sql volatile as $$
  select pg_temp.answer('standard_webhooks', jsonb_build_object(
    'content-type', type, 'webhook-id', id, 'webhook-timestamp', test.kept('now'),
    'webhook-signature', 'v1,' || test.kept('captured')
  ), body);
$$;
select is(
  pg_temp.captured('m.' || test.kept('now') || '.{"note": "1', 'admin=yes"}', type) ->> 'code', 'request_invalid',
  'an id that takes a part of the body: ' || type
) from unnest('{application/json,application/x-www-form-urlencoded}'::text[]) as type;
select is(
  pg_temp.captured('m.1', '{}', 'application/json') ->> 'message',
  'webhook-id: must not contain a dot, because dots separate the id, the time and the body in the signed text.',
  'the error explains why ids with dots are refused'
);
select ok(pg_temp.captured('m', test.kept('body'), 'application/json') ? 'flow_run_id', 'the captured delivery itself starts a run');
select is(
  pg_temp.answer('standard_webhooks', jsonb_build_object(
    'webhook-id', '', 'webhook-timestamp', test.kept('now'),
    'webhook-signature', 'v1,' || pg_temp.signature('.' || test.kept('now') || '.{}', 'base64')
  ), '{}') ->> 'code', 'webhook_signature_invalid', 'an empty id is refused, because it does not distinguish deliveries'
);

-- Signatures do not cover the content type, so an attacker could change it, so that JSON is read as form data.
select is(pg_temp.answer(name, pg_temp.signed(name, body, 'application/x-www-form-urlencoded'), body) ->> 'code', code, name || ': ' || body)
from (values
  ('standard_webhooks', '{"a": "b&admin=yes"}', 'media_type_unsupported'),
  ('standard_webhooks', 'a=b', 'media_type_unsupported'),
  ('stripe', '{"id": "evt_1", "a": "b&admin=yes"}', 'media_type_unsupported'),
  ('github', '{"a": "b&admin=yes"}', 'media_type_unsupported'),
  ('github', '{"payload=": "b&admin=yes"}', 'media_type_unsupported'),
  ('github', 'payload=%7B%7D', null),
  ('hmac', '{"a": "b&admin=yes"}', 'media_type_unsupported'),
  ('hmac', ' ["a=b&admin=yes"] ', 'media_type_unsupported'),
  ('hmac', 'a=b', null),
  ('authorization', 'a=b', null)
) as v (name, body, code);
select is(
  pg_temp.answer('github', pg_temp.signed('github', '{"a": 1}', type), '{"a": 1}') ->> 'code', code, coalesce(type, 'no type')
) from (values
  ('application/json; charset=utf-16', null),
  ('application/vnd.github+json', null),
  ('application/json, application/x-www-form-urlencoded', 'media_type_unsupported'),
  (E'application/x-www-form-urlencoded\t; a=b', 'media_type_unsupported'),
  ('text/plain', 'media_type_unsupported')
) as v (type, code);
select is(
  pg_temp.answer('github', pg_temp.signed('github', 'a=b', 'application/json'), 'a=b') ->> 'code', 'request_invalid', 'a form is no JSON'
);
select is(
  pg_temp.answer(name, pg_temp.signed(name, U&'\FEFF{"id": "evt_2"}'), U&'\FEFF{"id": "evt_2"}') ->> 'message',
  'The body must not begin with a byte-order mark.', 'a byte-order mark: ' || name
) from unnest('{standard_webhooks,stripe,authorization}'::text[]) as name;

-- GitHub does not sign the id of a delivery. Only x-github-delivery counts as the id, so that a sender can't hide a
-- repetition with another id header.
select is(count(distinct pg_temp.answer('github', pg_temp.signed('github', '{}') || others || '{"x-github-delivery": "one"}', '{}')), 1::bigint,
  'GitHub: only x-github-delivery identifies deliveries')
from (values ('{}'::jsonb), ('{"webhook-id": "other"}'), ('{"idempotency-key": "other"}')) as v (others);
select is(count(distinct pg_temp.answer('stripe', pg_temp.signed('stripe', '{"id": "evt_3"}') || others, '{"id": "evt_3"}')), 1::bigint,
  'Stripe: only the id of the event identifies deliveries')
from (values ('{}'::jsonb), ('{"webhook-id": "other"}'), ('{"idempotency-key": "other"}')) as v (others);

select * from finish();
