-- How a run waits for an answer from outside, at a node `api_input`:
--
--   ask       With the progress of a run, the runner sends the inputs that nodes ask for, and store_api_inputs stores
--             them. Users can't read the table below; pending_inputs holds the columns that they may read. The run is
--             released, and sleeps until the input expires.
--   answer    submit_input and cancel_input find an open input by the token in its URL, end the input, and wake the
--             run.
--   take      take_api_inputs returns the outcomes of a run's inputs to the runner. If the time of an open input is
--             over, take_api_inputs sets the outcome to expired.
--
-- All three steps lock the job of the root run first, so an input never gets a second outcome. When the run ends or is being
-- stopped, its open inputs are deleted from pending_inputs and can't be answered any more.
create table private.api_inputs (
  id uuid primary key default private.uuid_v7(),
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  root_flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  token_hash bytea not null,
  expires_at timestamptz not null,
  outcome text,
  value jsonb,
  idempotency_key_hash bytea,
  constraint api_inputs_execution_key unique (flow_run_id, node_id, times),
  constraint api_inputs_token_hash_key unique (token_hash),
  constraint api_inputs_times_natural check (times >= 0),
  constraint api_inputs_token_hash_length check (octet_length(token_hash) = 32),
  constraint api_inputs_outcome_known check (outcome in ('submitted', 'cancelled', 'expired')),
  constraint api_inputs_value_matches_outcome check ((outcome is not distinct from 'submitted') = (value is not null)),
  constraint api_inputs_idempotency_key_hash_length check (octet_length(idempotency_key_hash) = 32),
  constraint api_inputs_idempotency_key_has_answer check (
    idempotency_key_hash is null or coalesce(outcome in ('submitted', 'cancelled'), false)
  )
);
comment on table private.api_inputs is
  'All inputs that nodes api_input asked for, open or ended, with their outcome. An input is kept as long as its run, so that submit_input and cancel_input can recognise a repeated answer.';
comment on column private.api_inputs.flow_run_id is
  'The run of the node execution that asks; node_id and times name the execution. root_flow_run_id is the root of the run''s tree.';
comment on column private.api_inputs.token_hash is
  'SHA-256 of the token in the URL. An answer finds its input by this hash.';
comment on column private.api_inputs.expires_at is 'The node fails if there is no answer by this time.';
comment on column private.api_inputs.outcome is
  'submitted, cancelled or expired. Null while the node waits. It stays null if the run ended first.';
comment on column private.api_inputs.value is
  'The submitted value as a tagged value, such as {"S": "text"}. Null if none was submitted.';
comment on column private.api_inputs.idempotency_key_hash is
  'SHA-256 of the Idempotency-Key of the answer; null if the answer had no key.';

create index api_inputs_root_flow_run_id_idx on private.api_inputs (root_flow_run_id);
