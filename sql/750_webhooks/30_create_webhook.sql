create table private.flow_webhook_secrets (
  webhook_id uuid primary key references public.flow_webhooks (id) on delete cascade,
  token_hash bytea not null,
  verification_secret bytea,
  constraint flow_webhook_secrets_token_hash_key unique (token_hash),
  constraint flow_webhook_secrets_token_hash_length check (octet_length(token_hash) = 32),
  constraint flow_webhook_secrets_verification_secret_length check (octet_length(verification_secret) <= 4000)
);
comment on table private.flow_webhook_secrets is
  'The digest of each webhook''s token, and the secret that verifies its requests.';
comment on column private.flow_webhook_secrets.token_hash is
  'SHA-256 of the token in the webhook''s URL. A token has 256 random bits, so its hash can''t be reversed by trying tokens.';
comment on column private.flow_webhook_secrets.verification_secret is
  'The key of the signatures, or the digest of the Authorization header. If the secret is null but verification is set, the webhook refuses all requests.';

create function private.project_url()
returns text
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_host text := coalesce(private.request_header('x-forwarded-host'), private.request_header('host'));
  v_scheme text := coalesce(
    private.request_header('x-forwarded-proto'),
    case when v_host ~ '^(127\.0\.0\.1|localhost)(:|$)' then 'http' else 'https' end
  );
begin
  return coalesce(
    rtrim(private.vault_secret('project_url'), '/'),
    case when v_host ~ '^[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$'
      and v_scheme in ('http', 'https') then v_scheme || '://' || v_host end
  );
end;
$$;
comment on function private.project_url() is
  'The address of this project: project_url in Vault, or else the address to which the request was sent. Null if neither is known.';

create function private.webhook_for_owner(webhook public.flow_webhooks)
returns jsonb
language sql stable security invoker
begin atomic
  select to_jsonb(webhook_for_owner.webhook) - 'user_id';
end;
comment on function private.webhook_for_owner(public.flow_webhooks) is
  'A webhook as JSON for its owner: all columns except user_id.';

create function private.create_webhook(
  input text, flow integer, tag text, deployment_id uuid, headers text[], verification text, secret text, hmac jsonb,
  whole_request boolean, respond boolean
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_token text;
  v_webhook public.flow_webhooks;
begin
  v_token := private.new_token('fh_');
  insert into public.flow_webhooks as w (
    user_id, prefix, flow, tag, deployment_id, input, headers, verification, hmac, whole_request, respond
  )
  values (
    v_user_id, substr(v_token, 1, 10), create_webhook.flow, create_webhook.tag, create_webhook.deployment_id,
    create_webhook.input, coalesce(create_webhook.headers, '{}'), create_webhook.verification, create_webhook.hmac,
    coalesce(create_webhook.whole_request, false), coalesce(create_webhook.respond, false)
  )
  returning w.* into v_webhook;
  insert into private.flow_webhook_secrets (webhook_id, token_hash, verification_secret)
  values (
    v_webhook.id, sha256(convert_to(v_token, 'UTF8')),
    private.webhook_secret_bytes(create_webhook.verification, create_webhook.secret)
  );
  return private.webhook_for_owner(v_webhook)
    || jsonb_build_object('url', concat(private.project_url(), '/functions/v1/deployment/hook/', v_token));
end;
$$;
comment on function private.create_webhook(
  text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean
) is
  'Implements public.create_webhook. Definer, because no API role may insert webhooks.';
grant execute on function private.create_webhook(
  text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean
)
  to anon, authenticated, service_role;

-- Makes an incoming webhook. Returns its row with `url`, which is shown only this once. A POST to the URL starts a
-- deployment in the name of its owner. flow and tag (default latest), or deployment_id, select the deployment. The
-- input named by `input` gets the JSON of the request. `headers` names request headers that this input also gets. If
-- verification is standard_webhooks, github, stripe or hmac, each request must be signed with the secret. If
-- verification is authorization, the Authorization header must equal the secret. `hmac`, {header, algorithm, encoding,
-- prefix, id_header}, describes how the sender signs; the default is sha256 in hex. If verification is set without a
-- secret, all requests are refused until set_webhook_verification sets a secret. If `whole_request` is true, the input
-- gets {body, headers, query, method}. If `respond` is true, a request waits for the run and gets its output.
create function public.create_webhook(
  input text, flow integer default null, tag text default null, deployment_id uuid default null,
  headers text[] default '{}',
  verification text default null, secret text default null, hmac jsonb default null,
  whole_request boolean default false, respond boolean default false
)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.create_webhook(
    input, flow, tag, deployment_id, headers, verification, secret, hmac, whole_request, respond
  );
$$;
comment on function public.create_webhook(
  text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean
) is
  'Makes an incoming webhook of the calling user. Returns its row with url, shown only this once. POST to the URL starts the deployment as its owner. 400 column_invalid, inputs_invalid, request_invalid; 401; 404 flow_not_found, deployment_not_found; 409 quota_exceeded.';
grant execute on function public.create_webhook(
  text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean
)
  to anon, authenticated, service_role;

create function private.set_webhook_verification(webhook_id uuid, verification text, secret text, hmac jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_webhook public.flow_webhooks;
begin
  update public.flow_webhooks as w
  set verification = set_webhook_verification.verification, hmac = set_webhook_verification.hmac, updated_at = now()
  where w.id = set_webhook_verification.webhook_id and w.user_id = v_user_id
  returning w.* into v_webhook;
  if not found then
    perform private.refuse_webhook();
  end if;
  update private.flow_webhook_secrets as s
  set verification_secret = private.webhook_secret_bytes(
    set_webhook_verification.verification, set_webhook_verification.secret
  )
  where s.webhook_id = set_webhook_verification.webhook_id;
  return private.webhook_for_owner(v_webhook);
end;
$$;
comment on function private.set_webhook_verification(uuid, text, text, jsonb) is
  'Implements public.set_webhook_verification. Definer, because no API role may access the secrets.';
grant execute on function private.set_webhook_verification(uuid, text, text, jsonb)
  to anon, authenticated, service_role;

create function public.set_webhook_verification(
  webhook_id uuid, verification text default null, secret text default null, hmac jsonb default null
)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_webhook_verification(webhook_id, verification, secret, hmac);
$$;
comment on function public.set_webhook_verification(uuid, text, text, jsonb) is
  'Sets how requests to a webhook of the calling user prove their sender. secret and hmac work as in create_webhook. If verification is null, no proof is needed. Returns the webhook''s row. 400 column_invalid, request_invalid; 401; 404 webhook_not_found.';
grant execute on function public.set_webhook_verification(uuid, text, text, jsonb) to anon, authenticated, service_role;
