create function private.are_forwardable_headers(names text[])
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return coalesce(
    cardinality(are_forwardable_headers.names) <= private.limit_forwarded_headers()
      -- These headers become part of an input. Inputs are stored and shown, so the headers must not contain
      -- credentials.
      and not are_forwardable_headers.names && '{authorization,proxy-authorization,cookie,apikey,x-api-key}'
      and not exists (
        select from unnest(are_forwardable_headers.names) as n (name) where (n.name ~ '^[a-z0-9_-]{1,64}$') is not true
      )
      and cardinality(are_forwardable_headers.names) = (
        select count(distinct n.name) from unnest(are_forwardable_headers.names) as n (name)
      ),
    false
  );
end;
$$;
comment on function private.are_forwardable_headers(text[]) is
  'Whether the list has at most limit_forwarded_headers() header names, all different and in lower case, and no header that carries a credential.';
grant execute on function private.are_forwardable_headers(text[]) to authenticated, service_role;

create function private.is_secret_header(name text)
returns boolean
language sql immutable security invoker
begin atomic
  select is_secret_header.name
    ~ 'authorization|authenticat|cookie|api-?key|token|secret|passw|credential|signature|hmac|jwt';
end;
comment on function private.is_secret_header(text) is
  'Whether a header, by its lower-case name, may carry a credential or a signature.';

create table public.flow_webhooks (
  id uuid primary key default private.uuid_v7(),
  user_id uuid not null references auth.users (id) on delete cascade,
  prefix text not null,
  flow integer,
  tag text,
  deployment_id uuid references public.flow_deployments (id) on delete cascade,
  input text not null,
  headers text[] not null default '{}',
  verification text,
  hmac jsonb,
  whole_request boolean not null default false,
  respond boolean not null default false,
  is_active boolean not null default true,
  last_start_at timestamptz,
  last_flow_run_id uuid,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint flow_webhooks_flow_fkey foreign key (flow, user_id) references public.flows (id, user_id)
    on delete cascade,
  constraint flow_webhooks_target check (
    num_nonnulls(flow, deployment_id) = 1 and (flow is null) = (tag is null)
    or private.refuse_column('flow', 'give either flow, with an optional tag, or deployment_id')
  ),
  constraint flow_webhooks_tag_form check (private.check_tag(tag)),
  constraint flow_webhooks_prefix_form check (prefix ~ '^fh_[A-Za-z0-9_-]{7}$'),
  constraint flow_webhooks_input_length check (
    char_length(input) <= private.limit_port_name_characters() or private.refuse_column('input', format(
      'must be the name of an input, at most %s characters', private.limit_port_name_characters()
    ))
  ),
  constraint flow_webhooks_headers_valid check (
    private.are_forwardable_headers(headers)
    or private.refuse_column('headers', format(
      'must be at most %s different header names of letters, digits, _ and -, and no header with credentials',
      private.limit_forwarded_headers()
    ))
  ),
  constraint flow_webhooks_whole_request_has_all_headers check (
    not whole_request or headers = '{}'
    or private.refuse_column('headers', 'must be empty if whole_request is true, because the input then gets all headers')
  ),
  constraint flow_webhooks_verification_known check (
    verification is null or verification in ('standard_webhooks', 'github', 'stripe', 'hmac', 'authorization')
    or private.refuse_column('verification', 'must be standard_webhooks, github, stripe, hmac, authorization or null')
  ),
  constraint flow_webhooks_hmac_valid check (
    case when verification is not distinct from 'hmac' then private.is_webhook_hmac(hmac) else hmac is null end
    or private.refuse_column(
      'hmac', 'must be {header, algorithm: sha256 or sha1, encoding: hex or base64, '
      'prefix, id_header} if verification is hmac, otherwise null'
    )
  ),
  constraint flow_webhooks_last_error_length check (char_length(last_error) <= 2200)
-- Each request may update the columns last_*, which no index contains. The fillfactor leaves room in each page for the
-- updated row, so that the update changes no index.
) with (fillfactor = 70);
comment on table public.flow_webhooks is
  'Incoming webhooks: URLs by which others start deployments as the webhook''s owner. create_webhook makes a webhook and shows its token once. A webhook is deleted with its user, and with the flow or deployment that it starts.';
comment on column public.flow_webhooks.prefix is
  'The first characters of the token in the URL, by which the owner recognises the webhook.';
comment on column public.flow_webhooks.flow is 'The flow whose deployment is started; tag selects the deployment.';
comment on column public.flow_webhooks.tag is
  'The tag that selects one of the flow''s deployments, looked up at each request; latest by default.';
comment on column public.flow_webhooks.deployment_id is 'The deployment that is started, if flow and tag are null.';
comment on column public.flow_webhooks.input is
  'The flow''s input that gets each request as JSON, converted to the input''s types. The JSON is the body, {body, headers} if the column headers names any, or {body, headers, query, method} if whole_request is true.';
comment on column public.flow_webhooks.headers is
  'The lower-case names of the request headers that the input also gets.';
comment on column public.flow_webhooks.verification is
  'The proof that requests must carry. standard_webhooks, github, stripe, hmac: a signature of the body. authorization: a header with a fixed value. Null: no proof except the URL. set_webhook_verification sets this column.';
comment on column public.flow_webhooks.hmac is
  'If verification is hmac, how the sender signs: {header, algorithm (sha256, sha1), encoding (hex, base64), prefix of the signature, id_header}; otherwise null. id_header names the header with the id of a delivery, or is null.';
comment on column public.flow_webhooks.whole_request is
  'If true, the input gets {body, headers, query, method}. The headers are all headers of the request, without those of credentials and signatures.';
comment on column public.flow_webhooks.respond is
  'If true, a request waits for the end of its run, and gets the output of the run as its answer.';
comment on column public.flow_webhooks.is_active is
  'If false, requests to the URL get the same 404 as for an unknown webhook.';
comment on column public.flow_webhooks.last_start_at is
  'The time at which the webhook last started a run. Only the system writes this column.';
comment on column public.flow_webhooks.last_flow_run_id is
  'The run that the webhook started last. There is no foreign key, so that the id stays when the run is deleted. Only the system writes this column.';
comment on column public.flow_webhooks.last_error is
  'The error of the last request, "<code>: <message>"; null if that request started a run. Only the system writes this column.';

create index flow_webhooks_user_id_idx on public.flow_webhooks (user_id);
create index flow_webhooks_flow_idx on public.flow_webhooks (flow, user_id) where flow is not null;
create index flow_webhooks_deployment_id_idx on public.flow_webhooks (deployment_id) where deployment_id is not null;

alter table public.flow_webhooks enable row level security;
create policy flow_webhooks_select_owner on public.flow_webhooks for select to authenticated
  using (user_id = (select auth.uid()));
create policy flow_webhooks_update_owner on public.flow_webhooks for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flow_webhooks_delete_owner on public.flow_webhooks for delete to authenticated
  using (user_id = (select auth.uid()));

-- There is no grant to insert: create_webhook makes the rows.
grant select, update, delete on public.flow_webhooks to authenticated;
grant select, update, delete on public.flow_webhooks to service_role;

create function private.tg_flow_webhooks__before_update_read_only()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (
    new.id, new.user_id, new.prefix, new.verification, new.hmac, new.created_at, new.last_start_at,
    new.last_flow_run_id, new.last_error
  )
    is distinct from (
      old.id, old.user_id, old.prefix, old.verification, old.hmac, old.created_at, old.last_start_at,
      old.last_flow_run_id, old.last_error
    )
  then
    perform private.fail('column_read_only',
      'id, user_id, prefix, verification, hmac, created_at, last_start_at, '
      'last_flow_run_id and last_error of a webhook can''t be changed.',
      hint => 'Leave them out. rpc(''set_webhook_verification'') changes verification and hmac.');
  end if;
  new.updated_at := now();
  return new;
end;
$$;
comment on function private.tg_flow_webhooks__before_update_read_only() is
  'Refuses writes of clients to columns that only the system writes. The trigger does not apply to the system''s functions, which write as the owner of the schema.';
create trigger _100_refuse_read_only before update on public.flow_webhooks
  for each row when (current_user in ('authenticated', 'service_role'))
  execute function private.tg_flow_webhooks__before_update_read_only();

create function private.tg_flow_webhooks__before_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.flow is not null then
    new.tag := coalesce(new.tag, 'latest');
  end if;
  if num_nulls(new.input, new.headers, new.whole_request, new.respond, new.is_active) > 0 then
    perform private.refuse_column(
      case
        when new.input is null then 'input'
        when new.headers is null then 'headers'
        when new.whole_request is null then 'whole_request'
        when new.respond is null then 'respond'
        else 'is_active'
      end,
      'must not be null'
    );
  end if;
  perform private.check_json_column('hmac', new.hmac, 16384);
  new.hmac := private.webhook_hmac(new.hmac);
  new.headers := array(
    select lower(h.name) from unnest(new.headers) with ordinality as h (name, place) order by h.place
  );
  if (new.flow, new.deployment_id) is distinct from (old.flow, old.deployment_id) then
    perform private.check_own_target(new.user_id, new.flow, new.deployment_id);
  end if;
  return new;
end;
$$;
comment on function private.tg_flow_webhooks__before_write() is
  'Sets defaults, and refuses a webhook that has no input, or that names another user''s flow or deployment: 400 column_invalid; 404 flow_not_found, deployment_not_found. Definer, so that it finds the deployment whichever role writes the row.';
create trigger _200_check before insert or update of user_id, flow, tag, deployment_id, input, headers, hmac,
  whole_request, respond, is_active on public.flow_webhooks
  for each row execute function private.tg_flow_webhooks__before_write();

create function private.tg_flow_webhooks__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if (new.flow, new.tag, new.deployment_id, new.input) is distinct from (old.flow, old.tag, old.deployment_id,
    old.input) then
    perform private.check_input_names(
      jsonb_build_object(new.input, null), (private.own_deployment(new.flow, new.tag, new.deployment_id)).input_names
    );
  end if;
  return null;
end;
$$;
comment on function private.tg_flow_webhooks__after_write() is
  'Refuses a webhook that could not start a run now, because no deployment has its tag or the deployment lacks its input: 404 deployment_not_found, 400 inputs_invalid. Later failures appear in last_error. Definer, so that it finds the deployment whichever role writes the row.';
create trigger _300_check_start after insert or update of flow, tag, deployment_id, input on public.flow_webhooks
  for each row execute function private.tg_flow_webhooks__after_write();

create trigger _800_check_quota after insert on public.flow_webhooks
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('webhooks');
