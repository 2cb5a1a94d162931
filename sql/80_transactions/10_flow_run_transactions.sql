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
  constraint flow_run_transactions_outcome_known check (outcome in ('confirmed', 'failed')),
  constraint flow_run_transactions_signature_valid check (private.is_base58(signature, 64)),
  constraint flow_run_transactions_signature_matches_outcome check (
    case outcome when 'confirmed' then signature is not null when 'failed' then true else signature is null end
  )
);
comment on table private.flow_run_transactions is
  'The transactions of runs, from the moment at which anybody outside could know of one: what is signed or sent once is never made anew. A transaction is known by the first node execution whose instructions are in it.';
comment on column private.flow_run_transactions.root_flow_run_id is 'The run that was started, in whose tree flow_run_id is.';
comment on column private.flow_run_transactions.members is
  'The node executions whose instructions it has, in order: [{flow_run_id, node_id, times, instruction_count}].';
comment on column private.flow_run_transactions.message is 'The compiled v0 message, base64.';
comment on column private.flow_run_transactions.wire is
  'The whole signed transaction, base64; null as long as signatures are missing. What is here may have been sent: it never changes.';
comment on column private.flow_run_transactions.memo is 'The text of the action identity''s memo, where the message ends with one.';
comment on column private.flow_run_transactions.has_fees is 'It carries the fees of the run.';
comment on column private.flow_run_transactions.slot is 'The slot in which its blockhash was read: it is in no earlier one.';
comment on column private.flow_run_transactions.last_valid_block_height is 'Beyond this block height its blockhash is no longer good.';
comment on column private.flow_run_transactions.outcome is 'confirmed or failed; null as long as it is not known.';
comment on column private.flow_run_transactions.signature is 'Its first signature, base58; null when it was not sent, or as long as the outcome is not known.';

create index flow_run_transactions_root_flow_run_id_idx on private.flow_run_transactions (root_flow_run_id);
