create function private.store_signature_requests(run public.flow_run, transaction private.flow_run_transactions, requests jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into public.signature_requests (
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
  on conflict on constraint signature_requests_transaction_pubkey_key do nothing;

  perform
  from public.signature_requests as s
  join jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text, msg text) on r.pubkey = s.pubkey
  where (s.flow_run_id, s.node_id, s.times) = (transaction.flow_run_id, transaction.node_id, transaction.times) and s.msg <> r.msg;
  if found then
    perform private.fail(500, 'internal', 'A key was asked to sign this transaction before, with another message.');
  end if;
end;
$$;
comment on function private.store_signature_requests(public.flow_run, private.flow_run_transactions, jsonb) is
  'Makes the requests for signatures of a transaction, [{pubkey, msg, signatures, timeout_ms}], once for each key. Definer: nobody else writes them.';

create function private.store_transaction(flow_run_id uuid, attempt integer, transaction jsonb, requests jsonb)
returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.hold_flow_run(store_transaction.flow_run_id, store_transaction.attempt);
  v_new private.flow_run_transactions := jsonb_populate_record(
    null::private.flow_run_transactions, store_transaction.transaction - '{created_at,outcome,signature}'::text[]
  );
  v_stored private.flow_run_transactions;
begin
  select t.* into v_stored
  from private.flow_run_transactions as t
  where (t.flow_run_id, t.node_id, t.times) = (v_new.flow_run_id, v_new.node_id, v_new.times);
  if v_stored.wire is null and v_stored.outcome is null then
    insert into private.flow_run_transactions (
      flow_run_id, node_id, times, root_flow_run_id, members, message, wire, memo, has_fees, slot, last_valid_block_height
    ) values (
      v_new.flow_run_id, v_new.node_id, v_new.times, v_run.id, v_new.members, v_new.message, v_new.wire, v_new.memo, v_new.has_fees,
      v_new.slot, v_new.last_valid_block_height
    )
    on conflict on constraint flow_run_transactions_pkey do update
    set
      members = excluded.members, message = excluded.message, wire = excluded.wire, memo = excluded.memo, has_fees = excluded.has_fees,
      slot = excluded.slot, last_valid_block_height = excluded.last_valid_block_height;
  elsif (v_new.message, v_new.wire) is distinct from (v_stored.message, v_stored.wire) then
    -- Sent once more in another form, it would be paid twice.
    perform private.fail(500, 'internal', 'This transaction may have been sent, or has ended: it can''t change any more.');
  end if;
  perform private.store_signature_requests(v_run, v_new, store_transaction.requests);
  return private.transaction_requests(v_new.flow_run_id, v_new.node_id, v_new.times);
end;
$$;
comment on function private.store_transaction(uuid, integer, jsonb, jsonb) is
  'Does what public.store_transaction says. Definer: nobody else writes transactions.';
grant execute on function private.store_transaction(uuid, integer, jsonb, jsonb) to service_role;

create function public.store_transaction(flow_run_id uuid, attempt integer, transaction jsonb, requests jsonb)
returns json
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_transaction(
    store_transaction.flow_run_id, store_transaction.attempt, store_transaction.transaction, store_transaction.requests
  );
$$;
comment on function public.store_transaction(uuid, integer, jsonb, jsonb) is
  'For the runner: stores a transaction of the tree of a claimed run, {flow_run_id, node_id, times, members, message, wire, memo, has_fees, slot, last_valid_block_height}, makes its signature requests, [{pubkey, msg, signatures, timeout_ms}], once for each key, and returns all that it has, [{id, pubkey, signature, new_msg, expires_at}]. The run of the transaction''s key is stored before. What is stored with its wire may have been sent: another message or wire is 500 internal. 409 claim_lost for an older claim.';
grant execute on function public.store_transaction(uuid, integer, jsonb, jsonb) to service_role;
