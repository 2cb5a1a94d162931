create table public.signature_requests (
  id uuid primary key default private.uuid_v7(),
  created_at timestamptz not null generated always as (private.uuid_v7_time(id)) stored,
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  root_flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  owner_id uuid not null,
  user_id uuid,
  pubkey text not null,
  msg text not null,
  signatures jsonb,
  signature text,
  new_msg text,
  expires_at timestamptz not null,
  constraint signature_requests_transaction_pubkey_key unique (flow_run_id, node_id, times, pubkey),
  constraint signature_requests_transaction_fkey foreign key (flow_run_id, node_id, times)
    references private.flow_run_transactions (flow_run_id, node_id, times) on delete cascade,
  constraint signature_requests_pubkey_valid check (private.is_public_key(pubkey)),
  constraint signature_requests_msg_base64 check (private.is_base64(msg)),
  constraint signature_requests_signatures_array check (jsonb_typeof(signatures) = 'array'),
  constraint signature_requests_signature_valid check (private.is_base58(signature, 64)),
  constraint signature_requests_new_msg_base64 check (private.is_base64(new_msg)),
  constraint signature_requests_new_msg_signed check (new_msg is null or signature is not null)
);
comment on table public.signature_requests is
  'Signatures that runs wait for. Only functions write them; the flow''s owner, the user whose key is asked and the holder of the run''s token read them.';
comment on column public.signature_requests.flow_run_id is
  'With node_id and times, the first node execution whose instructions are in the transaction. root_flow_run_id is the root of its tree, the run that a run token is for.';
comment on column public.signature_requests.owner_id is
  'The owner of the flow. There is no foreign key: the request is deleted with its run, and the run with its flow.';
comment on column public.signature_requests.user_id is
  'The user whose key is asked: the owner when it is the key of one of their wallets, else the starter of the run; null when the starter showed only a public key, and once the user is deleted. There is no foreign key, as in flow_run.started_by: deleting a user would lock the request before its run, and answers and workers lock the run first.';
comment on column public.signature_requests.pubkey is 'The public key that has to sign, base58.';
comment on column public.signature_requests.msg is 'The message to sign, base64.';
comment on column public.signature_requests.signatures is 'Signatures that the transaction already has, [{pubkey, signature}]; null when it has none.';
comment on column public.signature_requests.signature is 'The answer, base58; null while there is none.';
comment on column public.signature_requests.new_msg is 'The message that was signed instead, base64; null when the wallet did not change it.';
comment on column public.signature_requests.expires_at is 'The request fails when it has no answer by then. When the transaction or the run ends earlier, this is set to that time.';

create index signature_requests_root_flow_run_id_idx on public.signature_requests (root_flow_run_id, id);
create index signature_requests_owner_id_idx on public.signature_requests (owner_id);
create index signature_requests_user_id_idx on public.signature_requests (user_id);

alter table public.signature_requests enable row level security;
create policy signature_requests_select_party on public.signature_requests for select to authenticated
  using (
    owner_id = (select auth.uid()) or user_id = (select auth.uid()) or root_flow_run_id = (select private.token_run_id())
  );
create policy signature_requests_select_token on public.signature_requests for select to anon
  using (root_flow_run_id = (select private.token_run_id()));

grant select on public.signature_requests to anon, authenticated;
grant select on public.signature_requests to service_role;

create function private.open_signature_requests(root_flow_run_id uuid)
returns setof public.signature_requests
language sql stable security definer
set search_path = ''
as $$
  select s.* from public.signature_requests as s
  where s.root_flow_run_id = open_signature_requests.root_flow_run_id
    and s.signature is null and s.expires_at > clock_timestamp()
  order by s.id;
$$;
comment on function private.open_signature_requests(uuid) is
  'The signature requests in the tree of a root run that can still be answered, the oldest first. Definer: for callers that are already checked.';

create function private.transaction_signature_requests(flow_run_id uuid, node_id uuid, times integer)
returns json
language sql stable security definer
set search_path = ''
as $$
  select coalesce(json_agg(json_build_object(
    'id', s.id, 'pubkey', s.pubkey, 'signature', s.signature, 'new_msg', s.new_msg, 'expires_at', s.expires_at
  ) order by s.id), '[]')
  from public.signature_requests as s
  where s.flow_run_id = transaction_signature_requests.flow_run_id and s.node_id = transaction_signature_requests.node_id
    and s.times = transaction_signature_requests.times;
$$;
comment on function private.transaction_signature_requests(uuid, uuid, integer) is
  'The signature requests of a transaction as the runner reads them: [{id, pubkey, signature, new_msg, expires_at}]. Definer: the runner may read everything of the runs that it claims.';

create function private.store_signature_requests(run public.flow_run, transaction private.flow_run_transactions, requests jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_made_ids uuid[];
  v_events private.new_run_event[];
begin
  with made as (
    insert into public.signature_requests as s (
      id, flow_run_id, node_id, times, root_flow_run_id, owner_id, user_id, pubkey, msg, signatures, expires_at
    )
    select
      made.id, transaction.flow_run_id, transaction.node_id, transaction.times, run.id, run.user_id,
      case
        when exists (select from public.wallets as w where w.user_id = run.user_id and w.public_key = made.pubkey) then run.user_id
        else run.started_by
      end,
      made.pubkey, made.msg, made.signatures, private.uuid_v7_time(made.id) + made.timeout_ms * interval '1 millisecond'
    from (
      select private.uuid_v7() as id, r.*
      from jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text, msg text, signatures jsonb, timeout_ms integer)
    ) as made
    on conflict on constraint signature_requests_transaction_pubkey_key do nothing
    returning s.id, s.created_at
  )
  select array_agg(m.id), array_agg((
    run.id, null, m.created_at, ('signature_request', transaction.flow_run_id, transaction.node_id, transaction.times, null, m.id)::private.run_event
  )::private.new_run_event) into v_made_ids, v_events from made as m;
  if v_made_ids is not null then
    perform private.queue_signature_webhooks(run, v_made_ids);
    perform private.add_run_events(v_events);
    perform private.announce_run_news(run.id, 'ends');
  end if;

  perform
  from public.signature_requests as s
  join jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text, msg text) on r.pubkey = s.pubkey
  where (s.flow_run_id, s.node_id, s.times) = (transaction.flow_run_id, transaction.node_id, transaction.times) and s.msg <> r.msg;
  if found then
    perform private.fail(500, 'internal', 'A key was already asked to sign another message for this transaction.');
  end if;
end;
$$;
comment on function private.store_signature_requests(public.flow_run, private.flow_run_transactions, jsonb) is
  'Makes the signature requests of a transaction, [{pubkey, msg, signatures, timeout_ms}], once for each key. Definer: only functions write them.';
