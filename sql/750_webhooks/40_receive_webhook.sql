create function private.refuse_webhook()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('webhook_not_found', 'There is no such webhook.');
end;
$$;
comment on function private.refuse_webhook() is
  'Raises the same 404 webhook_not_found for a webhook that does not exist, was deleted, is not active or belongs to another user.';

create view private.reachable_webhooks with (security_invoker = true) as
select s.token_hash, w.id, w.user_id
from private.flow_webhook_secrets as s
join public.flow_webhooks as w on w.id = s.webhook_id and w.is_active
join auth.users as u on u.id = w.user_id and u.deleted_at is null and u.banned_until > now() is not true;
comment on view private.reachable_webhooks is
  'The webhooks that accept requests: they are active, and their user is neither deleted nor banned.';
comment on column private.reachable_webhooks.token_hash is 'SHA-256 of the token in the URL.';
comment on column private.reachable_webhooks.id is 'The id in public.flow_webhooks.';
comment on column private.reachable_webhooks.user_id is 'The owner.';

create function private.webhook_of_token(token text)
returns public.flow_webhooks
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_webhook public.flow_webhooks;
begin
  select w.* into v_webhook
  from private.reachable_webhooks as r
  join public.flow_webhooks as w on w.id = r.id
  where r.token_hash = sha256(convert_to(webhook_of_token.token, 'UTF8'));
  if not found then
    perform private.refuse_webhook();
  end if;
  return v_webhook;
end;
$$;
comment on function private.webhook_of_token(text) is
  'The reachable webhook with this token; 404 webhook_not_found. Definer, because no API role may access the hashes.';

create function private.webhook_owners(tokens text[])
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  -- With `offset 0`, each token is one search of the index. Without it, Postgres 18 could make a plan for empty tables
  -- that joins all webhooks, and reuse this plan when the tables are full.
  select array_agg(r.user_id order by t.place)
  from unnest(webhook_owners.tokens) with ordinality as t (token, place)
  left join lateral (
    select w.user_id from private.reachable_webhooks as w
    where w.token_hash = sha256(convert_to(t.token, 'UTF8')) offset 0
  ) as r on true;
$$;
comment on function private.webhook_owners(text[]) is
  'Implements public.webhook_owners. Definer, because no API role may access the hashes.';
grant execute on function private.webhook_owners(text[]) to service_role;

create function public.webhook_owners(tokens text[])
returns uuid[]
language sql stable security invoker
begin atomic
  select private.webhook_owners(tokens);
end;
comment on function public.webhook_owners(text[]) is
  'For the Edge Function `deployment`, which lets requests of different owners take turns. Returns the owners of the webhooks with these tokens, in the order of the tokens. Null for a token that receive_webhook answers with 404.';
grant execute on function public.webhook_owners(text[]) to service_role;

create function private.form_text(encoded text)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_text text := translate(form_text.encoded, '+', ' ');
begin
  if strpos(v_text, '%') = 0 then
    return v_text;
  end if;
  return convert_from((
    select string_agg(
      case
        when p.place = 1 then convert_to(p.piece, 'UTF8')
        when p.piece ~ '^[0-9A-Fa-f]{2}' then decode(left(p.piece, 2), 'hex') || convert_to(substr(p.piece, 3), 'UTF8')
        else convert_to('%' || p.piece, 'UTF8')
      end,
      '' order by p.place
    )
    from string_to_table(v_text, '%') with ordinality as p (piece, place)
  ), 'UTF8');
end;
$$;
comment on function private.form_text(text) is
  'A decoded name or value of a form: + becomes a space, and %XX becomes a byte of UTF-8. Any other % stays unchanged. Source: WHATWG URL standard, "application/x-www-form-urlencoded parsing".';

create function private.webhook_form(body text, what text default 'form')
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_form jsonb;
  v_fields bigint;
begin
  if length(webhook_form.body) - length(replace(webhook_form.body, '&', '')) >= private.limit_form_fields() then
    perform private.fail('request_invalid', format(
      'The %s has more than %s fields.', webhook_form.what, private.limit_form_fields()
    ));
  end if;
  select coalesce(jsonb_object_agg(n.name, private.form_text(substr(f.field, strpos(f.field || '=', '=') + 1))), '{}'),
    count(*)
  into v_form, v_fields
  from string_to_table(webhook_form.body, '&') as f (field)
  cross join private.form_text(split_part(f.field, '=', 1)) as n (name)
  where f.field <> '';
  if v_fields > (select count(*) from jsonb_object_keys(v_form)) then
    perform private.fail('request_invalid', format('The %s has two fields with the same name.', webhook_form.what));
  end if;
  return v_form;
exception when character_not_in_repertoire then
  perform private.fail('request_invalid', format('The %s ', webhook_form.what) || case
    when strpos(webhook_form.body, '%00') > 0 then 'holds NUL (%00), which can''t be stored.'
    else 'is not UTF-8.'
  end);
end;
$$;
comment on function private.webhook_form(text, text) is
  'The fields of a form, or of the query of an address, as an object of strings; {} for an empty one. `what` names it in errors. 400 request_invalid if two fields have the same name, if there are more than 1000 fields, or if a text is not UTF-8.';

create function private.webhook_media_type(verification text, body text, content_type text)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_type text := lower(
    btrim(split_part(coalesce(webhook_media_type.content_type, 'application/json'), ';', 1), E' \t')
  );
  v_form constant text := 'application/x-www-form-urlencoded';
  v_taken boolean := case
    when webhook_media_type.verification is null or webhook_media_type.verification = 'authorization' then true
    when v_type ~ '^application/([a-z0-9_!#$&^.-]+[+])?json$' then true
    when v_type <> v_form then false
    when webhook_media_type.verification = 'github' then starts_with(webhook_media_type.body, 'payload=')
    when webhook_media_type.verification = 'hmac' then webhook_media_type.body is not json
    else false
  end;
begin
  if not v_taken then
    perform private.fail('media_type_unsupported', case
      when webhook_media_type.verification = 'github'
        then 'The signed body must be application/json, or a form whose first field is payload.'
      when webhook_media_type.verification = 'hmac'
        then 'The signed body must be application/json, or a form whose text is not JSON.'
      else 'The signed body must be application/json.'
    end, hint => 'Configure the sender to send JSON.');
  end if;
  return case when v_type = v_form then 'form' else 'json' end;
end;
$$;
comment on function private.webhook_media_type(text, text, text) is
  'Returns form or json: how to read a body. Signatures do not cover the content type, so an attacker could change it. Therefore a signed body is accepted only as a form or only as JSON. 415 media_type_unsupported for types that senders of the scheme do not use.';

create function private.json_fault(body text)
returns text
language sql stable security invoker
set search_path = ''
as $$
  select case
    when json_fault.body is not json then 'The body must be JSON.'
    when e.sql_error_code = '22P05' then 'A text in the body holds NUL (\u0000), which can''t be stored.'
    when e.sql_error_code = '22003' then 'A number in the body has more digits than can be stored.'
    when e.sql_error_code is not null
      then 'A text in the body holds half a surrogate pair, such as \ud83d alone, which can''t be stored.'
    when json_fault.body is not json with unique keys then 'An object in the body has two members of the same name.'
  end
  from pg_catalog.pg_input_error_info(json_fault.body, 'jsonb') as e;
$$;
comment on function private.json_fault(text) is
  'The reason why a text can''t be stored as JSON, as a sentence; null if it can. JSON allows escapes that Postgres refuses: NUL, and halves of surrogate pairs.';

create function private.webhook_body(verification text, body text, headers jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_type text;
  v_fault text;
begin
  if octet_length(webhook_body.body) > private.limit_body_bytes() then
    perform private.fail('body_too_large', format('The body is larger than %s bytes.', private.limit_body_bytes()));
  end if;
  if starts_with(webhook_body.body, U&'\FEFF') then
    perform private.fail('request_invalid', 'The body must not begin with a byte-order mark.');
  end if;
  v_type := private.webhook_media_type(
    webhook_body.verification, webhook_body.body, webhook_body.headers ->> 'content-type'
  );
  if v_type = 'form' then
    return private.webhook_form(webhook_body.body);
  end if;
  v_fault := private.json_fault(webhook_body.body);
  if v_fault is not null then
    perform private.fail('request_invalid', v_fault);
  end if;
  return webhook_body.body::jsonb;
exception when statement_too_complex then
  perform private.fail('request_invalid', 'The body is nested too deeply.');
end;
$$;
comment on function private.webhook_body(text, text, jsonb) is
  'The content of a request to a webhook: a form if its content type says so, otherwise JSON. 400 request_invalid, 413 body_too_large, 415 media_type_unsupported.';

create function private.webhook_delivery_id(webhook public.flow_webhooks, body jsonb, headers jsonb)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select nullif(case
    when webhook_delivery_id.webhook.verification = 'standard_webhooks'
      then private.standard_webhook_headers(webhook_delivery_id.headers) ->> 'webhook-id'
    when webhook_delivery_id.webhook.verification = 'github' then webhook_delivery_id.headers ->> 'x-github-delivery'
    -- Use the id of the event, which is in the signed body. Use it only if it is a string, because a short number such
    -- as 1e100000 would become a text of a hundred thousand digits.
    when webhook_delivery_id.webhook.verification = 'stripe' then
      case when jsonb_typeof(webhook_delivery_id.body -> 'id') = 'string' then webhook_delivery_id.body ->> 'id' end
    else coalesce(
      nullif(webhook_delivery_id.headers ->> (webhook_delivery_id.webhook.hmac ->> 'id_header'), ''),
      nullif(webhook_delivery_id.headers ->> 'webhook-id', ''),
      nullif(webhook_delivery_id.headers ->> 'svix-id', ''),
      nullif(webhook_delivery_id.headers ->> 'idempotency-key', ''),
      webhook_delivery_id.headers ->> 'x-github-delivery'
    )
  end, '');
$$;
comment on function private.webhook_delivery_id(public.flow_webhooks, jsonb, jsonb) is
  'The id by which repetitions of a request are recognised; null if the request has none. If the sender''s scheme has an id, only this id counts, so that an added header can''t give a delivery a second id.';

create function private.chain_depth(headers jsonb)
returns integer
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- AWS Lambda has the same limit.
  v_most constant integer := private.limit_chain_depth();
  v_depth integer;
  v_header constant text := chain_depth.headers ->> 'flow-chain-depth';
  v_separators constant text := translate(v_header, '0123456789', '');
begin
  -- If a header is repeated, proxies join its values into one text. So treat every character other than a digit as a
  -- separator of numbers.
  select coalesce(max(case when length(n.digits) > 6 then 999999 else n.digits::integer end), 0) into v_depth
  from string_to_table(translate(v_header, v_separators, repeat(' ', length(v_separators))), ' ') as s (part)
  cross join lateral (select '0' || ltrim(s.part, '0')) as n (digits);
  if v_depth > v_most then
    perform private.fail('webhook_loop',
      format('%s runs have started one another by webhooks: it seems to be a loop.', v_depth),
      hint => 'Remove the loop: on_end of a deployment must not lead to a webhook that starts this deployment again.');
  end if;
  return v_depth;
end;
$$;
comment on function private.chain_depth(jsonb) is
  'The length of the chain of runs whose outgoing webhooks led to a request: the greatest number in Flow-Chain-Depth, or 0 without the header. 409 webhook_loop beyond the limit. If a sender forges a lower number, the limits of starts still apply.';

create function private.webhook_value(webhook public.flow_webhooks, body jsonb, headers jsonb, query text)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_webhook constant public.flow_webhooks := webhook_value.webhook;
  v_headers jsonb;
begin
  if not v_webhook.whole_request and v_webhook.headers = '{}' then
    return webhook_value.body;
  end if;
  select coalesce(jsonb_object_agg(h.name, h.value), '{}') into v_headers
  from jsonb_each(webhook_value.headers) as h (name, value)
  where case
    when v_webhook.whole_request
      then not private.is_secret_header(h.name) and h.name is distinct from v_webhook.hmac ->> 'header'
    else h.name = any (v_webhook.headers)
  end;
  return jsonb_build_object('body', webhook_value.body, 'headers', v_headers) || case
    -- Supabase takes the project's key as a header or as the parameter apikey.
    when v_webhook.whole_request then jsonb_build_object(
      'query', private.webhook_form(webhook_value.query, 'query') - 'apikey', 'method', 'POST'
    )
    else '{}'
  end;
end;
$$;
comment on function private.webhook_value(public.flow_webhooks, jsonb, jsonb, text) is
  'The JSON that the input of a webhook gets from a request: its body, {body, headers}, or {body, headers, query, method}. 400 request_invalid for a malformed query.';

create function private.start_webhook(webhook public.flow_webhooks, body text, headers jsonb, query text)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller;
  v_deployment public.flow_deployments;
  v_body jsonb;
begin
  if start_webhook.webhook.verification is not null and not private.is_webhook_verified(
    start_webhook.webhook.verification,
    (select s.verification_secret from private.flow_webhook_secrets as s where s.webhook_id = start_webhook.webhook.id),
    start_webhook.body, start_webhook.headers, start_webhook.webhook.hmac
  ) then
    perform private.fail('webhook_signature_invalid', 'The signature or its time is missing, wrong or too old.');
  end if;
  v_caller.chain_depth := private.chain_depth(start_webhook.headers);
  v_body := private.webhook_body(start_webhook.webhook.verification, start_webhook.body, start_webhook.headers);

  v_caller.user_id := start_webhook.webhook.user_id;
  v_caller.webhook_id := start_webhook.webhook.id;
  -- Lock user, deployment and webhook in the order in which a deletion locks them, to prevent deadlocks.
  perform from auth.users as u where u.id = v_caller.user_id and u.deleted_at is null for key share;
  if not found then
    perform private.refuse_webhook();
  end if;
  v_deployment := private.startable_deployment(
    start_webhook.webhook.deployment_id, start_webhook.webhook.flow, start_webhook.webhook.tag, v_caller, null, true
  );
  -- Lock the webhook: after its owner has been told that it is deleted, it must not start another run.
  perform from public.flow_webhooks as w where w.id = start_webhook.webhook.id and w.is_active for key share;
  if not found then
    perform private.refuse_webhook();
  end if;

  return private.enqueue_run(
    v_deployment, v_caller, '{}',
    jsonb_build_object(start_webhook.webhook.input, private.webhook_value(
      start_webhook.webhook, v_body, start_webhook.headers, start_webhook.query
    )),
    null,
    private.webhook_delivery_id(start_webhook.webhook, v_body, start_webhook.headers),
    -- Pass an empty request, so that enqueue_run compares only the ids. If it got the real requests, it would refuse a
    -- second one that has the same id but another content. But two attempts of one delivery may differ: Stripe changes
    -- a member of an event at each attempt.
    '{}'
  ) ->> 'flow_run_id';
end;
$$;
comment on function private.start_webhook(public.flow_webhooks, text, jsonb, text) is
  'If the request is verified, starts the deployment of a webhook as its owner, and returns the run. If an earlier request within 24 hours had the same id, returns the run of that request. Definer, because no API role may insert runs.';

create function private.note_webhook(webhook_id uuid, flow_run_id uuid, error text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- This update does not wait for a lock, and does not write values that are already stored. For a repeated request,
  -- flow_run_id may be an older run than last_flow_run_id. Its id is then smaller, and last_flow_run_id stays.
  update public.flow_webhooks as w
  set
    last_start_at = case when w.last_flow_run_id >= note_webhook.flow_run_id or note_webhook.flow_run_id is null
      then w.last_start_at else clock_timestamp() end,
    last_flow_run_id = greatest(w.last_flow_run_id, note_webhook.flow_run_id),
    last_error = note_webhook.error
  where w.id = (
    select free.id from public.flow_webhooks as free
      where free.id = note_webhook.webhook_id for no key update skip locked
  )
    and (
      w.last_error is distinct from note_webhook.error
      or greatest(w.last_flow_run_id, note_webhook.flow_run_id) is distinct from w.last_flow_run_id
    );
end;
$$;
comment on function private.note_webhook(uuid, uuid, text) is
  'Stores the result of a request in the row of its webhook, unless another transaction has locked the row. Definer, because the owner may not write these columns.';

create function private.receive_webhook(token text, body text, headers jsonb, query text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_webhook public.flow_webhooks := private.webhook_of_token(receive_webhook.token);
  v_run_id uuid;
  v_error jsonb;
  v_answer text;
begin
  if not private.is_string_map(receive_webhook.headers)
    or octet_length(receive_webhook.headers::text) > private.limit_webhook_headers_bytes()
  then
    perform private.fail('request_invalid', format(
      'headers: must be an object of strings, of at most %s.', private.size_text(private.limit_webhook_headers_bytes())
    ));
  end if;
  if octet_length(receive_webhook.query) > private.limit_webhook_headers_bytes() then
    perform private.fail('request_invalid', format(
      'query: must have at most %s.', private.size_text(private.limit_webhook_headers_bytes())
    ));
  end if;
  begin
    v_run_id := private.start_webhook(
      v_webhook, receive_webhook.body, receive_webhook.headers, receive_webhook.query
    );
  exception when sqlstate 'PGRST' then
    get stacked diagnostics v_error := message_text, v_answer := pg_exception_detail;
  end;
  perform private.note_webhook(v_webhook.id, v_run_id, (v_error ->> 'code') || ': ' || (v_error ->> 'message'));
  if v_error is null then
    return jsonb_build_object('flow_run_id', v_run_id)
      || case when v_webhook.respond then '{"respond": true}'::jsonb else '{}' end;
  end if;
  -- Return the error as the response. If it were raised, Postgres would roll back the result that note_webhook stored.
  perform set_config('response.status', v_answer::jsonb ->> 'status', true);
  perform set_config('response.headers', jsonb_agg(jsonb_build_object(h.name, h.value))::text, true)
  from jsonb_each(v_answer::jsonb -> 'headers') as h (name, value) having count(*) > 0;
  return v_error;
end;
$$;
comment on function private.receive_webhook(text, text, jsonb, text) is
  'Implements public.receive_webhook. Definer, because it reads webhooks of other users.';
grant execute on function private.receive_webhook(text, text, jsonb, text) to anon;

-- `body` is the unchanged body of the request, `query` the query of its address as it was sent. `headers` has its
-- headers, with lower-case names. The answer has `respond` if the sender waits for the run. The body is a form if
-- the content type says so, otherwise JSON. If several requests within 24 hours have the same id, only the first starts
-- a run. 400 request_invalid, inputs_invalid, idempotency_key_invalid; 401 webhook_signature_invalid; 404
-- webhook_not_found, deployment_not_found; 409 webhook_loop; 413 body_too_large, inputs_too_large; 415
-- media_type_unsupported; 429 queue_full, start_limit_reached.
create function public.receive_webhook(token text, body text, headers jsonb default '{}', query text default '')
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.receive_webhook(token, body, headers, query);
$$;
comment on function public.receive_webhook(text, text, jsonb, text) is
  'For POST /deployment/hook/{token}: verifies a request to a webhook, starts its deployment and returns {flow_run_id}, with respond if the sender waits for the run. 400; 401 webhook_signature_invalid; 404 webhook_not_found, deployment_not_found; 409 webhook_loop; 413; 415; 429.';
grant execute on function public.receive_webhook(text, text, jsonb, text) to anon;
