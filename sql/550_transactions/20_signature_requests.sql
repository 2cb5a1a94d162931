-- user_id has no foreign key. With a foreign key, the deletion of a user would lock the request before its job. Answers
-- and workers lock the job first, so they could deadlock with the deletion.
create table public.signature_requests (
  id bigint primary key,
  created_at timestamptz not null default clock_timestamp(),
  kind text not null default 'transaction_message',
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
  constraint signature_requests_id_exact check (id between 0 and 9007199254740991),
  constraint signature_requests_kind_known check (kind in ('transaction_message', 'message')),
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
  'Requests for the signatures that runs wait for. Only functions write the rows. The flow''s owner, the user whose key must sign and the holder of the run''s token read them.';
comment on column public.signature_requests.id is
  'A random number below 2^53. Knowing the number gives no right to answer: an answer also needs a signature by the requested key.';
comment on column public.signature_requests.kind is
  'transaction_message: msg is the message of a transaction. message: msg is any other message. No node makes a request of this kind yet.';
comment on column public.signature_requests.flow_run_id is
  'The run of the first node execution whose instructions are in the transaction; node_id and times name the execution. root_flow_run_id is the root of the run''s tree: the started run, for which the run token is valid.';
comment on column public.signature_requests.owner_id is
  'The owner of the flow. No foreign key is needed: the request is deleted with its run, the run with its flow, and the flow with its owner.';
comment on column public.signature_requests.user_id is
  'The user whose key must sign: the owner if the key belongs to one of the owner''s wallets, otherwise the starter of the run. Null if the starter sent only a public key, or has been deleted. There is no foreign key: a trigger sets this column to null when the user is deleted.';
comment on column public.signature_requests.pubkey is 'The public key that has to sign, base58.';
comment on column public.signature_requests.msg is 'The message to sign, base64.';
comment on column public.signature_requests.signatures is
  'Signatures that the transaction already has, [{pubkey, signature}]; null if it has none.';
comment on column public.signature_requests.signature is
  'The signature in the answer, base58; null while there is no answer.';
comment on column public.signature_requests.new_msg is
  'The changed message that the wallet signed instead of msg, base64; null if the wallet changed nothing.';
comment on column public.signature_requests.expires_at is
  'The request fails if it has no answer by this time. If the transaction or the run ends earlier, this column is set to that time.';

create index signature_requests_root_flow_run_id_idx on public.signature_requests (root_flow_run_id, created_at, id);
create index signature_requests_owner_id_idx on public.signature_requests (owner_id);
create index signature_requests_user_id_idx on public.signature_requests (user_id);

alter table public.signature_requests enable row level security;
create policy signature_requests_select_party on public.signature_requests for select to authenticated
  using (
    owner_id = (select auth.uid()) or user_id = (select auth.uid())
      or root_flow_run_id = (select private.token_run_id())
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
  order by s.created_at, s.id;
$$;
comment on function private.open_signature_requests(uuid) is
  'The open signature requests in the tree of a root run, the oldest first. A request is open while it has no answer and has not expired. Definer, because it reads the requests of any user. The calling functions have checked the user.';

create function private.transaction_signature_requests(flow_run_id uuid, node_id uuid, times integer)
returns json
language sql stable security definer
set search_path = ''
as $$
  select coalesce(json_agg(json_build_object(
    'id', s.id, 'pubkey', s.pubkey, 'signature', s.signature, 'new_msg', s.new_msg, 'expires_at', s.expires_at
  ) order by s.created_at, s.id), '[]')
  from public.signature_requests as s
  where s.flow_run_id = transaction_signature_requests.flow_run_id
    and s.node_id = transaction_signature_requests.node_id
    and s.times = transaction_signature_requests.times;
$$;
comment on function private.transaction_signature_requests(uuid, uuid, integer) is
  'The signature requests of a transaction as the runner reads them: [{id, pubkey, signature, new_msg, expires_at}]. Definer, because the runner may read all requests of the runs that it claims.';

create function private.store_signature_requests(
  run public.flow_run, transaction private.flow_run_transactions, requests jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_made_ids bigint[] := '{}';
begin
  loop
    with made as (
      insert into public.signature_requests as s (
        id, created_at, flow_run_id, node_id, times, root_flow_run_id, owner_id, user_id,
        pubkey, msg, signatures, expires_at
      )
      select
        -- created_at of each request is one microsecond later than that of the previous request, so that created_at
        -- keeps the order of the requests.
        private.random_id(), v_now + r.position * interval '1 microsecond',
        transaction.flow_run_id, transaction.node_id, transaction.times, run.id, run.user_id,
        case
          when exists (select from public.wallets as w where w.user_id = run.user_id and w.public_key = r.pubkey)
            then run.user_id
          else run.started_by
        end,
        r.pubkey, r.msg, r.signatures,
        v_now + r.position * interval '1 microsecond' + r.timeout_ms * interval '1 millisecond'
      from rows from (
        jsonb_to_recordset(store_signature_requests.requests)
          as (pubkey text, msg text, signatures jsonb, timeout_ms integer)
      ) with ordinality as r (pubkey, msg, signatures, timeout_ms, position)
      on conflict do nothing
      returning s.id
    )
    select v_made_ids || coalesce(array_agg(m.id), '{}') into v_made_ids from made as m;
    -- The insert skips each key that already has a request. It also skips a request whose random id is taken. The next
    -- round gives that request another id.
    exit when not exists (
      select from jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text)
      where not exists (
        select from public.signature_requests as s
        where (s.flow_run_id, s.node_id, s.times, s.pubkey)
          = (transaction.flow_run_id, transaction.node_id, transaction.times, r.pubkey)
      )
    );
  end loop;
  if v_made_ids <> '{}' then
    perform private.queue_signature_webhooks(run, v_made_ids);
    perform private.add_run_events(array(
      select (
        run.id, null, s.created_at,
        ('signature_request', s.flow_run_id, s.node_id, s.times, null, s.id, null)::private.run_event
      )::private.new_run_event
      from public.signature_requests as s where s.id = any (v_made_ids)
    ));
  end if;

  perform
  from public.signature_requests as s
  join jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text, msg text) on r.pubkey = s.pubkey
  where (s.flow_run_id, s.node_id, s.times) = (transaction.flow_run_id, transaction.node_id, transaction.times)
    and s.msg <> r.msg;
  if found then
    perform private.fail('internal', 'A key was already asked to sign another message for this transaction.');
  end if;
end;
$$;
comment on function private.store_signature_requests(public.flow_run, private.flow_run_transactions, jsonb) is
  'Makes the signature requests of a transaction, [{pubkey, msg, signatures, timeout_ms}]. Each key gets only one request. Definer, because no API role may write signature requests.';

create function private.tg_users__after_delete_requests()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update public.signature_requests as s set user_id = null where s.user_id = old.id;
  return null;
end;
$$;
comment on function private.tg_users__after_delete_requests() is
  'Sets user_id to null in the signature requests whose user was deleted. Definer, because roles that delete users may not write signature requests.';
create trigger _600_forget_requests after delete on auth.users
  for each row execute function private.tg_users__after_delete_requests();
