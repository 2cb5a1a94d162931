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
-- All three steps lock the job of the root run first, so an input never gets a second outcome. When the run ends or is
-- being stopped, its open inputs are deleted from pending_inputs and can't be answered any more.
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
  answered_by text not null default 'anyone_with_the_link',
  constraint api_inputs_execution_key unique (flow_run_id, node_id, times),
  constraint api_inputs_token_hash_key unique (token_hash),
  constraint api_inputs_times_natural check (times >= 0),
  constraint api_inputs_token_hash_length check (octet_length(token_hash) = 32),
  constraint api_inputs_answered_by_known
    check (answered_by in ('anyone_with_the_link', 'starter', 'owner', 'listed')),
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
comment on column private.api_inputs.answered_by is
  'Who may answer. anyone_with_the_link: everybody who has the URL. starter: the user who started the run, or for a guest the holder of the run token. owner: the owner of the flow. listed: the users whose confirmed e-mail address is in private.api_input_answerers.';
comment on column private.api_inputs.outcome is
  'submitted, cancelled or expired. Null while the node waits. It stays null if the run ended first.';
comment on column private.api_inputs.value is
  'The submitted value as a tagged value, such as {"S": "text"}. Null if none was submitted.';
comment on column private.api_inputs.idempotency_key_hash is
  'SHA-256 of the Idempotency-Key of the answer; null if the answer had no key.';

create index api_inputs_root_flow_run_id_idx on private.api_inputs (root_flow_run_id);

create table private.api_input_answerers (
  input_id uuid references private.api_inputs (id) on delete cascade,
  email text,
  constraint api_input_answerers_pkey primary key (input_id, email),
  constraint api_input_answerers_email_length check (char_length(email) <= 320)
);
comment on table private.api_input_answerers is
  'The e-mail addresses, in lower case, of the people who may answer an input whose answered_by is `listed`. They are not in pending_inputs, so that those who read the input do not read the addresses.';
create index api_input_answerers_email_idx on private.api_input_answerers (email);

create function private.may_answer(input private.api_inputs, user_id uuid, run_id uuid)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select coalesce(case (may_answer.input).answered_by
    when 'anyone_with_the_link' then true
    when 'owner' then exists (
      select from public.flow_run as r
      where r.id = (may_answer.input).root_flow_run_id and r.user_id = may_answer.user_id
    )
    when 'starter' then exists (
      select from public.flow_run as r
      where r.id = (may_answer.input).root_flow_run_id and (
        r.started_by = may_answer.user_id
        or r.started_by is null and r.started_by_public_key is not null and r.id = may_answer.run_id
      )
    )
    when 'listed' then exists (
      select from private.api_input_answerers as l
      where l.input_id = (may_answer.input).id and l.email = private.confirmed_email(may_answer.user_id)
    )
  end, false);
$$;
comment on function private.may_answer(private.api_inputs, uuid, uuid) is
  'Whether a caller may answer an input. The caller is a user, or the holder of the token of a run, or both. Definer, because no API role may read the addresses and auth.users.';

create function private.name_of_answerer(user_id uuid, is_guest boolean)
returns text
language sql stable security definer
set search_path = ''
as $$
  select case
    when name_of_answerer.user_id is not null
      then coalesce(private.confirmed_email(name_of_answerer.user_id), 'user ' || name_of_answerer.user_id)
    when name_of_answerer.is_guest then 'a guest'
  end;
$$;
comment on function private.name_of_answerer(uuid, boolean) is
  'The person who answers, for node_run: the confirmed e-mail address of a user, or the user''s id; `a guest` for the holder of the run''s token. Null for any other caller. Definer, because no API role may read auth.users.';
