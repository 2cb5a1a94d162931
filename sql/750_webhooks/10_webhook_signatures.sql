-- Checks that a request to a webhook comes from the webhook's sender. The check runs in the database and not in an Edge
-- Function. So the secret never leaves the database, and requests that call the RPC directly are checked too. Texts are
-- compared by their digests, so that the time of a comparison does not reveal how much of a forged text is right. The
-- entry point is private.is_webhook_verified, at the end.

create function private.is_same_text(given text, expected text)
returns boolean
language sql immutable security invoker
set search_path = ''
as $$
  select sha256(convert_to(is_same_text.given, 'UTF8')) = sha256(convert_to(is_same_text.expected, 'UTF8'));
$$;
comment on function private.is_same_text(text, text) is
  'Whether two texts are equal, in a time that does not reveal where they differ; null if one of them is null.';

create function private.is_recent_timestamp(seconds text)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return case
    when is_recent_timestamp.seconds ~ '^[0-9]{1,12}$'
      then abs(extract(epoch from clock_timestamp()) - is_recent_timestamp.seconds::bigint) <= 300
    else false
  end;
end;
$$;
comment on function private.is_recent_timestamp(text) is
  'Whether a text of Unix seconds is within 5 minutes of now. Standard Webhooks and Stripe use the same tolerance. Older requests may be replays.';

create function private.webhook_secret_bytes(verification text, secret text)
returns bytea
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_key text := substr(
    webhook_secret_bytes.secret, case when starts_with(webhook_secret_bytes.secret, 'whsec_') then 7 else 1 end
  );
  v_bytes bytea;
begin
  if webhook_secret_bytes.secret is null then
    return null;
  end if;
  if webhook_secret_bytes.verification is null then
    perform private.fail('request_invalid', 'secret: must be null if verification is null.');
  end if;
  case webhook_secret_bytes.verification
    when 'standard_webhooks' then
      if length(v_key) <= 100 and private.is_base64(v_key) then
        v_bytes := decode(v_key, 'base64');
      end if;
      if coalesce(octet_length(v_bytes) not between 24 and 64, true) then
        perform private.fail('request_invalid', 'secret: must be whsec_ and the base64 of 24 to 64 bytes.');
      end if;
      return v_bytes;
    when 'authorization' then
      if length(webhook_secret_bytes.secret) not between 8 and 1000
        or webhook_secret_bytes.secret !~ '^[!-~][ -~]*[!-~]$' then
        perform private.fail(
          'request_invalid',
          'secret: must be the whole value of the Authorization header: 8 to 1000 characters of ASCII.'
        );
      end if;
      -- The database only compares this secret and signs nothing with it, so its digest suffices.
      return sha256(convert_to(webhook_secret_bytes.secret, 'UTF8'));
    else
      if length(webhook_secret_bytes.secret) not between 8 and 1000 then
        perform private.fail('request_invalid', 'secret: must have 8 to 1000 characters.');
      end if;
      return convert_to(webhook_secret_bytes.secret, 'UTF8');
  end case;
end;
$$;
comment on function private.webhook_secret_bytes(text, text) is
  'The stored form of a webhook''s secret: the key of its signatures, or the digest of the expected header. Null if the webhook has no secret. 400 request_invalid for a malformed secret.';

create function private.standard_webhook_headers(headers jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select case
    when standard_webhook_headers.headers ? 'svix-signature'
      and not standard_webhook_headers.headers ? 'webhook-signature'
      then standard_webhook_headers.headers || jsonb_build_object(
        'webhook-id', standard_webhook_headers.headers ->> 'svix-id',
        'webhook-timestamp', standard_webhook_headers.headers ->> 'svix-timestamp',
        'webhook-signature', standard_webhook_headers.headers ->> 'svix-signature'
      )
    else standard_webhook_headers.headers
  end;
$$;
comment on function private.standard_webhook_headers(jsonb) is
  'The headers with the names of Standard Webhooks. Svix, which sends for Clerk, Resend and others, signs the same text but calls the headers svix-id, svix-timestamp and svix-signature. If a request has both signatures, only the standard one counts.';

create function private.is_signed_by_standard_webhooks(secret bytea, body bytea, headers jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_prefix text := (is_signed_by_standard_webhooks.headers ->> 'webhook-id') || '.'
    || (is_signed_by_standard_webhooks.headers ->> 'webhook-timestamp') || '.';
  v_signature bytea := extensions.hmac(
    convert_to(v_prefix, 'UTF8') || is_signed_by_standard_webhooks.body, is_signed_by_standard_webhooks.secret, 'sha256'
  );
begin
  -- Refuse an id with a dot. Dots separate the id, the time and the body in the signed text, so an attacker could
  -- divide the same signed text into a longer id and a shorter body.
  if strpos(is_signed_by_standard_webhooks.headers ->> 'webhook-id', '.') > 0 then
    perform private.fail('request_invalid',
      'webhook-id: must not contain a dot, because dots separate the id, the time and the body in the signed text.');
  end if;
  return is_signed_by_standard_webhooks.headers ->> 'webhook-id' <> '' and exists (
    select from string_to_table(is_signed_by_standard_webhooks.headers ->> 'webhook-signature', ' ') as s (signature)
    where private.is_same_text(s.signature, 'v1,' || encode(v_signature, 'base64'))
  );
end;
$$;
comment on function private.is_signed_by_standard_webhooks(bytea, bytea, jsonb) is
  'Whether a signature in webhook-signature is valid for webhook-id, webhook-timestamp and body. 400 request_invalid for an id with a dot. Source: Standard Webhooks specification, "Symmetric".';

create function private.is_signed_by_stripe(secret bytea, body bytea, seconds text, signature text)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_signature bytea := extensions.hmac(
    convert_to(is_signed_by_stripe.seconds || '.', 'UTF8') || is_signed_by_stripe.body, is_signed_by_stripe.secret,
    'sha256'
  );
begin
  return exists (
    select from string_to_table(is_signed_by_stripe.signature, ',') as p (part)
    where private.is_same_text(p.part, 'v1=' || encode(v_signature, 'hex'))
  );
end;
$$;
comment on function private.is_signed_by_stripe(bytea, bytea, text, text) is
  'Whether a v1 signature in Stripe-Signature is valid for its time t, in seconds, and the body. Source: Stripe documentation, "Verify webhook signatures manually".';

create function private.webhook_hmac(hmac jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case when jsonb_typeof(webhook_hmac.hmac) = 'object' then
    '{"algorithm": "sha256", "encoding": "hex", "prefix": "", "id_header": null}' || webhook_hmac.hmac
      || jsonb_build_object(
      'header', lower(webhook_hmac.hmac ->> 'header'), 'id_header', lower(webhook_hmac.hmac ->> 'id_header')
    )
  else webhook_hmac.hmac end;
end;
$$;
comment on function private.webhook_hmac(jsonb) is
  'The stored form of `hmac`, which describes how a sender signs. Adds defaults, and changes header names to lower case. Returns any value other than an object unchanged.';

create function private.is_webhook_hmac(hmac jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return coalesce(
    jsonb_typeof(is_webhook_hmac.hmac) = 'object'
      and is_webhook_hmac.hmac - '{header,algorithm,encoding,prefix,id_header}'::text[] = '{}'
      and private.is_string_map(jsonb_strip_nulls(is_webhook_hmac.hmac))
      and is_webhook_hmac.hmac ->> 'header' ~ '^[a-z0-9_-]{1,64}$'
      and is_webhook_hmac.hmac ->> 'algorithm' in ('sha256', 'sha1')
      and is_webhook_hmac.hmac ->> 'encoding' in ('hex', 'base64')
      and is_webhook_hmac.hmac ->> 'prefix' ~ '^[ -~]{0,64}$'
      and coalesce(is_webhook_hmac.hmac ->> 'id_header', 'none') ~ '^[a-z0-9_-]{1,64}$',
    false
  );
end;
$$;
comment on function private.is_webhook_hmac(jsonb) is
  'Whether the value describes how a sender signs: {header, algorithm, encoding, prefix, id_header}. Allows sha1, because some senders, such as Vercel, offer nothing else. SHA-1 in an HMAC is not broken.';
grant execute on function private.is_webhook_hmac(jsonb) to authenticated, service_role;

create function private.is_signed_by_hmac(secret bytea, body bytea, headers jsonb, hmac jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_signature bytea := extensions.hmac(
    is_signed_by_hmac.body, is_signed_by_hmac.secret, is_signed_by_hmac.hmac ->> 'algorithm'
  );
begin
  return private.is_same_text(
    is_signed_by_hmac.headers ->> (is_signed_by_hmac.hmac ->> 'header'),
    concat(is_signed_by_hmac.hmac ->> 'prefix', encode(v_signature, is_signed_by_hmac.hmac ->> 'encoding'))
  );
end;
$$;
comment on function private.is_signed_by_hmac(bytea, bytea, jsonb, jsonb) is
  'Whether the header that `hmac` names contains the body''s signature, in the form that `hmac` describes.';

-- `verification` selects the check. standard_webhooks and stripe: a recent signature. github: a signature. hmac: a
-- signature in the header that the argument `hmac` names. authorization: a fixed Authorization header, as Helius
-- sends it. Header names are in lower case.
create function private.is_webhook_verified(verification text, secret bytea, body text, headers jsonb, hmac jsonb)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_headers jsonb := case is_webhook_verified.verification
    when 'standard_webhooks' then private.standard_webhook_headers(is_webhook_verified.headers)
    else is_webhook_verified.headers
  end;
  v_body bytea := convert_to(is_webhook_verified.body, 'UTF8');
  v_stripe text := v_headers ->> 'stripe-signature';
  v_seconds text := case is_webhook_verified.verification
    when 'standard_webhooks' then v_headers ->> 'webhook-timestamp'
    when 'stripe' then (
      select substr(p.part, 3) from string_to_table(v_stripe, ',') as p (part) where p.part like 't=%' limit 1
    )
  end;
begin
  -- If there is no secret or no header, the comparison is null, and the request is not verified.
  return coalesce(
    case is_webhook_verified.verification
      when 'standard_webhooks' then
        private.is_recent_timestamp(v_seconds)
          and private.is_signed_by_standard_webhooks(is_webhook_verified.secret, v_body, v_headers)
      when 'stripe' then
        private.is_recent_timestamp(v_seconds)
          and private.is_signed_by_stripe(is_webhook_verified.secret, v_body, v_seconds, v_stripe)
      -- Source: GitHub documentation, "Validating webhook deliveries".
      when 'github' then private.is_signed_by_hmac(
        is_webhook_verified.secret, v_body, v_headers,
        '{"header": "x-hub-signature-256", "algorithm": "sha256", "encoding": "hex", "prefix": "sha256="}'
      )
      when 'hmac'
        then private.is_signed_by_hmac(is_webhook_verified.secret, v_body, v_headers, is_webhook_verified.hmac)
      when 'authorization' then sha256(convert_to(v_headers ->> 'authorization', 'UTF8')) = is_webhook_verified.secret
    end,
    false
  );
end;
$$;
comment on function private.is_webhook_verified(text, bytea, text, jsonb, jsonb) is
  'Whether a request carries the signature or the Authorization header that its webhook requires.';
