-- Lock the job of the root run before the call.
create function private.end_open_input(root_flow_run_id uuid, answer private.api_inputs, answered_by text)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_most constant bigint := private.limit_answers_bytes();
  v_bytes bigint := coalesce(octet_length((end_open_input.answer).value::text), 0);
  v_job private.flow_run_jobs;
begin
  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = end_open_input.root_flow_run_id;
  -- A run that has ended or is being stopped accepts no answers.
  if v_job.state = 'ended' or v_job.stop_requested_at is not null then
    return false;
  end if;
  update private.api_inputs as a
  set outcome = answer.outcome, value = answer.value, idempotency_key_hash = answer.idempotency_key_hash
  where a.token_hash = answer.token_hash and a.outcome is null and a.expires_at > clock_timestamp();
  if not found then
    return false;
  end if;
  if v_job.input_bytes + v_bytes > v_most then
    perform private.fail('inputs_too_large',
      format('value: all answers to one run together must have at most %s of JSON.', private.size_text(v_most)));
  end if;
  delete from public.pending_inputs as p
  where p.id = (select a.id from private.api_inputs as a where a.token_hash = answer.token_hash);
  -- The row of the execution was stored with the input.
  update public.node_run as n
  set answered_at = clock_timestamp(), answered_by = end_open_input.answered_by
  from private.api_inputs as a
  where a.token_hash = answer.token_hash
    and (n.flow_run_id, n.node_id, n.times) = (a.flow_run_id, a.node_id, a.times);
  update private.flow_run_jobs as j
  set input_bytes = j.input_bytes + v_bytes, has_ended_inputs = true
  where j.flow_run_id = end_open_input.root_flow_run_id;
  -- A worker that holds the run learns of the answer at its next heartbeat. If the worker releases the run first,
  -- another worker can claim it at once.
  perform private.wake_flow_run(end_open_input.root_flow_run_id);
  return true;
end;
$$;
comment on function private.end_open_input(uuid, private.api_inputs, text) is
  'Ends the open input that the token of an answer names. Stores the answer''s outcome, value and idempotency_key_hash, writes who answered into node_run, and wakes the run. Returns false if the input is not open. 413 inputs_too_large. Definer, because no API role may write inputs or access jobs.';

create function private.fail_for_unknown_input()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('pending_input_not_found', 'There is no such pending input.',
    hint => 'The URL of an input stops working when the input expires, or when its run ends or is stopped. If only '
      'some people may answer, send the access token of one of them.');
end;
$$;
comment on function private.fail_for_unknown_input() is
  'Raises the same 404 pending_input_not_found for a token that is unknown or has expired, for a caller who may not answer, and for a token of a run that has ended or is being stopped.';

create function private.pending_input_owners(tokens text[])
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  -- With `offset 0`, each token is one search of the index, as in private.webhook_owners().
  select array_agg(o.user_id order by t.place)
  from unnest(pending_input_owners.tokens) with ordinality as t (token, place)
  left join lateral (
    select (
      select j.user_id from private.flow_run_jobs as j
      where j.flow_run_id = a.root_flow_run_id and (
        a.outcome in ('submitted', 'cancelled')
        or a.outcome is null and a.expires_at > clock_timestamp() and j.state <> 'ended'
          and j.stop_requested_at is null
      )
    ) as user_id
    from private.api_inputs as a where a.token_hash = sha256(convert_to(t.token, 'UTF8')) offset 0
  ) as o on true;
$$;
comment on function private.pending_input_owners(text[]) is
  'Implements public.pending_input_owners. Definer, because no API role may access inputs and jobs.';
grant execute on function private.pending_input_owners(text[]) to service_role;

create function public.pending_input_owners(tokens text[])
returns uuid[]
language sql stable security invoker
begin atomic
  select private.pending_input_owners(tokens);
end;
comment on function public.pending_input_owners(text[]) is
  'For the Edge Function `flow`, which lets the owners of runs take turns. Returns one entry for each token of an input, in the order of the tokens: the owner of the run that asks for the input, or null if submit_input would refuse the token with 404.';
grant execute on function public.pending_input_owners(text[]) to service_role;

create function private.question_of_input(token text)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('json_schema', p.json_schema, 'choices', p.choices)
  from private.api_inputs as a
  join public.pending_inputs as p on p.id = a.id
  where a.token_hash = sha256(convert_to(question_of_input.token, 'UTF8'))
    and num_nonnulls(p.json_schema, p.choices) > 0;
$$;
comment on function private.question_of_input(text) is
  'The answers that the open input of a token accepts, {json_schema, choices}. Null if the input accepts any answer, or if the token has no open input. Definer, because no API role may access private.api_inputs.';

create function private.check_answer(token text, idempotency_key text, answered_as jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if length(check_answer.idempotency_key) not between 1 and private.limit_idempotency_key_characters() then
    perform private.fail('idempotency_key_invalid',
      format('Idempotency-Key must have 1 to %s characters.', private.limit_idempotency_key_characters()));
  end if;
  perform from private.api_inputs as a
  where a.token_hash = sha256(convert_to(check_answer.token, 'UTF8')) and private.may_answer(
    a, (check_answer.answered_as ->> 'user_id')::uuid, (check_answer.answered_as ->> 'run_id')::uuid
  );
  if not found then
    perform private.fail_for_unknown_input();
  end if;
end;
$$;
comment on function private.check_answer(text, text, jsonb) is
  'Refuses an answer before its value is read: 400 idempotency_key_invalid; 404 pending_input_not_found for a token that never existed, and for a caller who may not answer. The idempotency key may be short, because it need not be secret. Definer, because no API role may access private.api_inputs.';

create function private.input_answerer(token text)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller private.caller;
begin
  -- The Edge Function calls as the service role if the request has no valid credential.
  if auth.jwt() ->> 'role' is distinct from 'service_role' then
    v_caller := private.caller();
  end if;
  perform private.check_answer(
    input_answerer.token, null, jsonb_build_object('user_id', v_caller.user_id, 'run_id', v_caller.run_id)
  );
  return jsonb_build_object('user_id', v_caller.user_id, 'run_id', v_caller.run_id);
end;
$$;
comment on function private.input_answerer(text) is
  'Implements public.input_answerer. Definer, because no API role may access inputs.';
grant execute on function private.input_answerer(text) to anon, authenticated, service_role;

create function public.input_answerer(token text)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.input_answerer(token);
$$;
comment on function public.input_answerer(text) is
  'For the Edge Function flow: the caller as submit_input takes it, {user_id, run_id}, if the caller may answer the input with this token. 401; 404 pending_input_not_found.';
grant execute on function public.input_answerer(text) to anon, authenticated, service_role;

create function private.answer_input(
  token text, outcome text, value jsonb, idempotency_key text, answered_as jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_answer private.api_inputs;
  v_stored private.api_inputs;
begin
  v_answer.token_hash := sha256(convert_to(answer_input.token, 'UTF8'));
  v_answer.outcome := answer_input.outcome;
  v_answer.value := answer_input.value;
  v_answer.idempotency_key_hash := sha256(convert_to(answer_input.idempotency_key, 'UTF8'));
  -- Lock the job first, as claims, stops and ends of runs do. So if two answers arrive at once, the second sees the
  -- outcome of the first.
  perform from private.flow_run_jobs as j
  where j.flow_run_id = (
    select a.root_flow_run_id from private.api_inputs as a where a.token_hash = v_answer.token_hash
  )
  for no key update;
  select a.* into v_stored from private.api_inputs as a where a.token_hash = v_answer.token_hash;

  if v_stored.outcome in ('submitted', 'cancelled') then
    if (v_stored.outcome, v_stored.value, v_stored.idempotency_key_hash) is not distinct from (v_answer.outcome,
      v_answer.value, v_answer.idempotency_key_hash)
      and answer_input.idempotency_key is not null
    then
      return;
    end if;
    perform private.fail('pending_input_answered',
      'This input was already submitted or cancelled: its URL works only once.',
      hint => 'Send requests with an Idempotency-Key: then you can repeat a request whose response was lost.');
  end if;
  if v_stored.id is null or not private.end_open_input(
    v_stored.root_flow_run_id, v_answer, private.name_of_answerer(
      (answer_input.answered_as ->> 'user_id')::uuid,
      (answer_input.answered_as ->> 'run_id')::uuid = v_stored.root_flow_run_id
    )
  ) then
    perform private.fail_for_unknown_input();
  end if;
end;
$$;
comment on function private.answer_input(text, text, jsonb, text, jsonb) is
  'Ends the input of a token. A call that repeats an answer with its Idempotency-Key succeeds, but stores nothing. 404 pending_input_not_found; 409 pending_input_answered; 413 inputs_too_large. Does not check whether the caller may answer; call check_answer() first. Definer, because no API role may write inputs.';

create function private.answer_value(value jsonb, "values" jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_value jsonb := answer_value.value;
begin
  if (answer_value.value is null) = (answer_value.values is null)
    or answer_value.values is not null and jsonb_array_length(answer_value.values) <> 1
  then
    perform private.fail(
      'inputs_invalid',
      'Send "value" with a tagged value, such as {"S": "text"}, or "values" with an array of one plain JSON value, '
      'but not both.'
    );
  end if;
  if answer_value.values is not null then
    perform private.check_plain_json(answer_value.values);
    if private.is_too_deep(answer_value.values -> 0) then
      perform private.fail(
        'inputs_invalid', format('values: is nested deeper than %s levels', private.limit_value_levels())
      );
    end if;
    v_value := private.value_of_json(answer_value.values -> 0);
  end if;
  -- The value becomes the only output of the node, so it must keep within the bounds of outputs. check_inputs has
  -- the same bounds.
  perform private.check_inputs(jsonb_build_object('value', v_value));
  return v_value;
end;
$$;
comment on function private.answer_value(jsonb, jsonb) is
  'The value that an answer submits: `value` unchanged, or the value converted from `values`, an array of one plain JSON value. 400 inputs_invalid; 413 inputs_too_large.';

create function private.submit_input(
  token text, value jsonb, "values" jsonb, idempotency_key text, is_checked boolean, answered_as jsonb
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_question jsonb;
begin
  perform private.check_answer(submit_input.token, submit_input.idempotency_key, submit_input.answered_as);
  if submit_input.is_checked is not true then
    v_question := private.question_of_input(submit_input.token);
    if v_question is not null then
      return v_question;
    end if;
  end if;
  perform private.answer_input(
    submit_input.token, 'submitted', private.answer_value(submit_input.value, submit_input.values),
    submit_input.idempotency_key, submit_input.answered_as
  );
  return null;
end;
$$;
comment on function private.submit_input(text, jsonb, jsonb, text, boolean, jsonb) is
  'Implements public.submit_input. Definer, because no API role may access private.api_inputs.';
grant execute on function private.submit_input(text, jsonb, jsonb, text, boolean, jsonb) to service_role;

-- Takes either `value`, a tagged value, or `values`, an array of one plain JSON value. (Without the array, a plain null
-- would count as missing.) The Edge Function has checked the ranges of numbers. If the node accepts any value, one call
-- is enough to store it. If the node accepts only certain answers, the first call stores nothing and returns
-- {json_schema, choices}. The Edge Function then checks the answer, because SQL can't check a JSON Schema, and calls
-- again with is_checked. answered_as is the caller that input_answerer returned. A token works once, but the same value
-- with the same idempotency_key succeeds again. 400 inputs_invalid, idempotency_key_invalid; 404
-- pending_input_not_found for a token that is unknown or expired, or whose run has ended or is being stopped, and for a
-- caller who may not answer; 409 pending_input_answered; 413 inputs_too_large.
create function public.submit_input(
  token text, value jsonb default null, "values" jsonb default null, idempotency_key text default null,
  is_checked boolean default false, answered_as jsonb default null
)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.submit_input(token, value, values, idempotency_key, is_checked, answered_as);
$$;
comment on function public.submit_input(text, jsonb, jsonb, text, boolean, jsonb) is
  'For the Edge Function flow: submits the value for a waiting api_input node, found by the token in its URL, and wakes the run. Returns null. If the answer must be checked first, stores nothing and returns {json_schema, choices}. Errors: 400, 404, 409, 413.';
grant execute on function public.submit_input(text, jsonb, jsonb, text, boolean, jsonb) to service_role;

create function private.cancel_input(token text, idempotency_key text, answered_as jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.check_answer(cancel_input.token, cancel_input.idempotency_key, cancel_input.answered_as);
  perform private.answer_input(
    cancel_input.token, 'cancelled', null, cancel_input.idempotency_key, cancel_input.answered_as
  );
end;
$$;
comment on function private.cancel_input(text, text, jsonb) is
  'Implements public.cancel_input. Definer, because no API role may access private.api_inputs.';
grant execute on function private.cancel_input(text, text, jsonb) to service_role;

create function public.cancel_input(
  token text, idempotency_key text default null, answered_as jsonb default null
)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.cancel_input(token, idempotency_key, answered_as);
$$;
comment on function public.cancel_input(text, text, jsonb) is
  'For the Edge Function flow: cancels the input of a waiting node api_input, so that the node fails, and wakes the run. Errors as in submit_input.';
grant execute on function public.cancel_input(text, text, jsonb) to service_role;
