create table private.on_end_secrets (
  flow_id integer primary key references public.flows (id) on delete cascade,
  secret bytea not null default extensions.gen_random_bytes(32),
  previous_secret bytea,
  previous_until timestamptz,
  constraint on_end_secrets_secret_length check (octet_length(secret) = 32),
  constraint on_end_secrets_previous_complete check ((previous_secret is null) = (previous_until is null))
);
comment on table private.on_end_secrets is
  'The secrets that sign outgoing webhooks. All deployments of a flow share one secret, so a deploy does not change it. A secret leaves the database only once, when it is made.';
comment on column private.on_end_secrets.previous_secret is
  'The secret before the last rotation. Messages are also signed with it until previous_until.';

create table private.webhook_turns (
  user_id uuid primary key references auth.users (id) on delete cascade,
  is_started_by_owner boolean not null default false,
  turn_id uuid not null default '00000000-0000-0000-0000-000000000000'
);
comment on table private.webhook_turns is
  'The owners who have had outgoing webhooks. Each row has the turn of the owner''s last claimed delivery. The next claim continues after that turn, so that the owner''s deployments take turns.';
comment on column private.webhook_turns.turn_id is
  'The deployment of the delivery, or one constant for all runs without a deployment, as in webhook_deliveries.';
comment on column private.webhook_turns.is_started_by_owner is
  'True if the owner had started the run of the last claimed delivery. A deployment has one turn for runs that the owner started, and another turn for runs that others started.';

create function private.prepare_webhooks(user_id uuid, flow_id integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into private.on_end_secrets (flow_id) values (prepare_webhooks.flow_id) on conflict do nothing;
  insert into private.webhook_turns (user_id) values (prepare_webhooks.user_id) on conflict do nothing;
end;
$$;
comment on function private.prepare_webhooks(uuid, integer) is
  'Makes the secret that signs a flow''s outgoing webhooks, and the owner''s row in webhook_turns, if they do not exist. Definer, because no API role may access these tables.';

create function private.tg_flow_deployments__after_on_end()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.prepare_webhooks(new.user_id, new.entrypoint);
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_on_end() is
  'Prepares the outgoing webhooks of a deployment that gets on_end. Definer, for the same reason as private.prepare_webhooks.';
create trigger _500_make_on_end_secret after insert or update of on_end on public.flow_deployments
  for each row when (new.on_end is not null) execute function private.tg_flow_deployments__after_on_end();

create function private.rotate_on_end_secret(flow_id integer)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_secret bytea;
begin
  perform from public.flows as f where f.id = rotate_on_end_secret.flow_id and f.user_id = v_user_id for key share;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  insert into private.on_end_secrets as s (flow_id) values (rotate_on_end_secret.flow_id)
  on conflict on constraint on_end_secrets_pkey do update
  set secret = excluded.secret, previous_secret = s.secret, previous_until = clock_timestamp() + interval '24 hours'
  returning s.secret into v_secret;
  return jsonb_build_object('secret', 'whsec_' || encode(v_secret, 'base64'));
end;
$$;
comment on function private.rotate_on_end_secret(integer) is
  'Implements public.rotate_on_end_secret. Definer, because no API role may access the secrets.';
grant execute on function private.rotate_on_end_secret(integer) to anon, authenticated, service_role;

create function public.rotate_on_end_secret(flow_id integer)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.rotate_on_end_secret(flow_id);
end;
comment on function public.rotate_on_end_secret(integer) is
  'Makes a new secret for the outgoing webhooks of the caller''s flow: {secret}, whsec_ followed by base64 of 32 bytes. Only this answer shows the secret. For 24 hours, messages are also signed with the previous secret. 401; 404 flow_not_found, also for another user''s flow.';
grant execute on function public.rotate_on_end_secret(integer) to anon, authenticated, service_role;

create function private.webhook_signature(content text, flow_id integer)
returns text
language sql stable security definer
set search_path = ''
begin atomic
  select concat_ws(' ',
    'v1,' || encode(extensions.hmac(convert_to(webhook_signature.content, 'UTF8'), s.secret, 'sha256'), 'base64'),
    case when s.previous_until > clock_timestamp() then
      'v1,' || encode(
        extensions.hmac(convert_to(webhook_signature.content, 'UTF8'), s.previous_secret, 'sha256'), 'base64'
      )
    end
  )
  from private.on_end_secrets as s where s.flow_id = webhook_signature.flow_id;
end;
comment on function private.webhook_signature(text, integer) is
  'The header webhook-signature for the signed text <webhook-id>.<webhook-timestamp>.<body>: v1,<base64 of HMAC-SHA256> for each valid secret. Source: Standard Webhooks 1.0.0. Definer, because no API role may access the secrets.';
