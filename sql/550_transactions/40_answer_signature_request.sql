create function private.may_answer(request public.signature_requests, caller private.caller)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select coalesce(
    -- The owner of the flow.
    may_answer.request.owner_id = may_answer.caller.user_id
    -- The user whose key must sign.
    or may_answer.request.user_id = may_answer.caller.user_id
    -- The starter of the run.
    or exists (
      select from public.flow_run as r
      where r.id = may_answer.request.root_flow_run_id and r.started_by = may_answer.caller.user_id
    )
    -- The holder of the run's token.
    or may_answer.request.root_flow_run_id = may_answer.caller.run_id,
    false
  );
$$;
comment on function private.may_answer(public.signature_requests, private.caller) is
  'Whether the caller, a user or the holder of a run token, may answer a signature request. For every caller, the signature of the answer must be by the requested key. Definer, because it reads runs that the caller may not read.';

create function private.check_answerable(request public.signature_requests, new_msg text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := (select r from public.flow_run as r where r.id = request.root_flow_run_id);
  v_state jsonb := jsonb_build_object(
    'signature', request.signature, 'new_msg', request.new_msg, 'expires_at', request.expires_at, 'run_status',
    v_run.status
  );
begin
  if request.signature is not null then
    perform private.fail('signature_request_answered', 'This signature request is already answered.', v_state,
      'If details.signature is the one that you sent, your answer was stored.');
  end if;
  if v_run.end_time is not null then
    perform private.fail('signature_request_expired', 'The run that asked for this signature has ended.', v_state);
  end if;
  if request.expires_at <= clock_timestamp() then
    perform private.fail('signature_request_expired', 'The time to answer this signature request is over.', v_state,
      'Start the run again, and sign before expires_at.');
  end if;
  if check_answerable.new_msg <> request.msg and request.kind = 'message' then
    perform private.fail('transaction_changed',
      'new_msg can''t be used here: only the message of a transaction may be changed.',
      hint => 'Sign the message as it is, and leave new_msg out.');
  end if;
  if check_answerable.new_msg <> request.msg and (
    jsonb_array_length(request.signatures) > 0
      or exists (
        select from public.signature_requests as other
        where (other.flow_run_id, other.node_id, other.times) = (request.flow_run_id, request.node_id, request.times)
          and other.id <> request.id
      )
  ) then
    perform private.fail('transaction_changed',
      'new_msg can''t be used here: others have signed or must sign this transaction as it is, '
      'and a change would make their signatures invalid.',
      hint => 'Sign the message as it is, and leave new_msg out.');
  end if;
end;
$$;
comment on function private.check_answerable(public.signature_requests, text) is
  'Refuses an answer that comes too late (409, with the state of the request). Refuses a changed message if the request is not for a transaction, or if the transaction has other signers (400). Definer, because it reads requests of any user. The calling functions check the user.';

create function private.signature_request_for_caller(id bigint, new_msg text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.require_caller();
  v_request public.signature_requests;
begin
  select s.* into v_request from public.signature_requests as s where s.id = signature_request_for_caller.id;
  if not private.may_answer(v_request, v_caller) then
    perform private.fail('signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answerable(v_request, signature_request_for_caller.new_msg);
  return jsonb_build_object('id', v_request.id, 'pubkey', v_request.pubkey, 'msg', v_request.msg);
end;
$$;
comment on function private.signature_request_for_caller(bigint, text) is
  'Implements public.signature_request_for_caller. Definer, because private.may_answer() decides instead of the policies.';
grant execute on function private.signature_request_for_caller(bigint, text) to anon, authenticated, service_role;

-- Returns {id, pubkey, msg} to the flow's owner, the user whose key must sign, the starter of the run and the
-- holder of its token. new_msg is a changed message that the wallet signs instead of msg. 400 transaction_changed;
-- 401; 404 signature_request_not_found, also for a request that the caller may not answer; 409
-- signature_request_answered, signature_request_expired.
create function public.signature_request_for_caller(id bigint, new_msg text default null)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.signature_request_for_caller(id, new_msg);
$$;
comment on function public.signature_request_for_caller(bigint, text) is
  'A signature request that the caller may answer, {id, pubkey, msg}; answer it with POST /signature/submit. 400 transaction_changed; 401; 404 signature_request_not_found; 409 signature_request_answered, signature_request_expired.';
grant execute on function public.signature_request_for_caller(bigint, text) to anon, authenticated, service_role;

create function private.answer_signature_request(id bigint, signature text, new_msg text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id uuid := (
    select s.root_flow_run_id from public.signature_requests as s where s.id = answer_signature_request.id
  );
  v_request public.signature_requests;
begin
  -- Lock the job first, as claims, stops and suspensions do. So if two answers arrive at once, the second sees the
  -- first. If a worker suspends the run at the same time, either the suspension sees this answer, or this answer wakes
  -- the run.
  perform from private.flow_run_jobs as j where j.flow_run_id = v_run_id for no key update;
  select s.* into v_request from public.signature_requests as s where s.id = answer_signature_request.id;
  if not found then
    perform private.fail('signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answerable(v_request, answer_signature_request.new_msg);

  update public.signature_requests as s
  set signature = answer_signature_request.signature, new_msg = nullif(answer_signature_request.new_msg, s.msg)
  where s.id = v_request.id;
  if not exists (select from private.open_signature_requests(v_run_id)) then
    perform private.wake_flow_run(v_run_id);
  end if;
end;
$$;
comment on function private.answer_signature_request(bigint, text, text) is
  'Implements public.answer_signature_request. Definer, because no API role may write signature requests or access the queue.';
grant execute on function private.answer_signature_request(bigint, text, text) to service_role;

create function public.answer_signature_request(id bigint, signature text, new_msg text default null)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.answer_signature_request(id, signature, new_msg);
$$;
comment on function public.answer_signature_request(bigint, text, text) is
  'For the Edge Function `signature`, which first verifies the signature in the answer, because SQL can''t. Stores the answer to a signature request. Wakes the run if no other request is open. A new_msg that equals the request''s msg counts as no change. Errors as in signature_request_for_caller.';
grant execute on function public.answer_signature_request(bigint, text, text) to service_role;
