create table private.flow_run_transactions (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  root_flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  members jsonb not null,
  message text not null,
  wire text,
  memo text,
  has_fees boolean not null,
  slot bigint not null,
  last_valid_block_height bigint not null,
  outcome text,
  signature text,
  primary key (flow_run_id, node_id, times),
  constraint flow_run_transactions_times_natural check (times >= 0),
  constraint flow_run_transactions_key_is_first_member check (
    (members -> 0) @> jsonb_build_object('flow_run_id', flow_run_id, 'node_id', node_id, 'times', times) is true
  ),
  constraint flow_run_transactions_message_base64 check (private.is_base64(message)),
  constraint flow_run_transactions_wire_base64 check (private.is_base64(wire)),
  constraint flow_run_transactions_heights_natural check (slot >= 0 and last_valid_block_height >= 0),
  constraint flow_run_transactions_outcome_known check (outcome in ('confirmed', 'failed', 'unknown')),
  constraint flow_run_transactions_signature_valid check (private.is_base58(signature, 64)),
  constraint flow_run_transactions_signature_matches_outcome check (
    case when outcome is null then signature is null else outcome <> 'confirmed' or signature is not null end
  )
);
comment on table private.flow_run_transactions is
  'The transactions of runs. A transaction is stored before it is sent or shown to a signer, so that it is never built twice. A transaction may contain the instructions of several node executions; its key is the first of these executions.';
comment on column private.flow_run_transactions.root_flow_run_id is
  'The root run of the tree that contains flow_run_id.';
comment on column private.flow_run_transactions.members is
  'The node executions whose instructions the transaction contains, in order: [{flow_run_id, node_id, times, instruction_count}].';
comment on column private.flow_run_transactions.message is 'The compiled v0 message, base64.';
comment on column private.flow_run_transactions.wire is
  'The signed transaction, base64; null while signatures are missing. Once wire is set, the transaction may have been sent, so wire never changes.';
comment on column private.flow_run_transactions.memo is
  'The text of the memo that the action identity signs; null if the message has no such memo.';
comment on column private.flow_run_transactions.has_fees is 'True if the transaction pays the fees of the run.';
comment on column private.flow_run_transactions.slot is
  'The slot in which the blockhash of the transaction was read. No earlier slot can contain the transaction.';
comment on column private.flow_run_transactions.last_valid_block_height is
  'The last block height at which the blockhash of the transaction is valid.';
comment on column private.flow_run_transactions.outcome is
  'confirmed, failed or unknown; null while the transaction is under way. unknown: the runner no longer looks for the transaction, which may still be executed.';
comment on column private.flow_run_transactions.signature is
  'The first signature of the transaction, base58; null if the transaction was not sent, or is still under way.';

create index flow_run_transactions_root_flow_run_id_idx on private.flow_run_transactions (root_flow_run_id);

create function private.store_transaction(flow_run_id uuid, claim_number integer, transaction jsonb, requests jsonb)
returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.lock_claimed_run(store_transaction.flow_run_id, store_transaction.claim_number);
  v_new private.flow_run_transactions := jsonb_populate_record(
    null::private.flow_run_transactions, store_transaction.transaction - '{created_at,outcome,signature}'::text[]
  );
  v_stored private.flow_run_transactions;
begin
  select t.* into v_stored
  from private.flow_run_transactions as t
  where (t.flow_run_id, t.node_id, t.times) = (v_new.flow_run_id, v_new.node_id, v_new.times);
  -- A failed transaction had no effect. So if its node is being tried again, the new transaction may replace the failed
  -- one.
  if v_stored.outcome = 'failed' and v_new.message <> v_stored.message and exists (
    select from public.node_run as n
    where (n.flow_run_id, n.node_id, n.times) = (v_new.flow_run_id, v_new.node_id, v_new.times)
      and n.end_time is null and n.attempt > 1
  ) then
    delete from private.flow_run_transactions as t
    where (t.flow_run_id, t.node_id, t.times) = (v_new.flow_run_id, v_new.node_id, v_new.times);
    v_stored := null;
  end if;
  if v_stored.wire is null and v_stored.outcome is null then
    insert into private.flow_run_transactions (
      flow_run_id, node_id, times, root_flow_run_id, members, message, wire, memo,
      has_fees, slot, last_valid_block_height
    ) values (
      v_new.flow_run_id, v_new.node_id, v_new.times, v_run.id, v_new.members, v_new.message, v_new.wire, v_new.memo,
      v_new.has_fees, v_new.slot, v_new.last_valid_block_height
    )
    on conflict on constraint flow_run_transactions_pkey do update
    set
      members = excluded.members, message = excluded.message, wire = excluded.wire, memo = excluded.memo,
      has_fees = excluded.has_fees, slot = excluded.slot, last_valid_block_height = excluded.last_valid_block_height;
  elsif (v_new.message, v_new.wire) is distinct from (v_stored.message, v_stored.wire) then
    -- The stored transaction may have been sent, so a different transaction might pay a second time.
    perform private.fail('internal',
      'This transaction can''t change any more: it may have been sent, or its outcome is stored.');
  end if;
  perform private.store_signature_requests(v_run, v_new, store_transaction.requests);
  return private.transaction_signature_requests(v_new.flow_run_id, v_new.node_id, v_new.times);
end;
$$;
comment on function private.store_transaction(uuid, integer, jsonb, jsonb) is
  'Implements public.store_transaction. Definer, because no API role may write transactions.';
grant execute on function private.store_transaction(uuid, integer, jsonb, jsonb) to service_role;

create function public.store_transaction(flow_run_id uuid, claim_number integer, transaction jsonb, requests jsonb)
returns json
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_transaction(flow_run_id, claim_number, transaction, requests);
$$;
-- transaction is {flow_run_id, node_id, times, members, message, wire, memo, has_fees, slot, last_valid_block_height}.
-- requests is [{pubkey, msg, signatures, timeout_ms}]; one signature request is stored for each key. The result lists
-- all requests of the transaction: [{id, pubkey, signature, new_msg, expires_at}]. A called run must be stored before
-- its transactions. A transaction that is stored with its wire may have been sent. So a call with another message or
-- wire for this transaction raises 500 internal. There is one exception: the stored transaction has failed, and its
-- first member is tried again. In this case, the new transaction replaces the stored one, whose requests are deleted.
-- 409 claim_lost if a newer claim exists or the run has ended.
comment on function public.store_transaction(uuid, integer, jsonb, jsonb) is
  'For the runner: stores one transaction of the tree of a claimed run, with the signature requests of this transaction. Returns all signature requests of the transaction. 409 claim_lost; 500 internal for a change of a transaction that may have been sent.';
grant execute on function public.store_transaction(uuid, integer, jsonb, jsonb) to service_role;
