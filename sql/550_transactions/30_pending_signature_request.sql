create function private.pending_signature_request(flow_run_id uuid)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_run_id uuid := private.root_run_for_caller(pending_signature_request.flow_run_id);
begin
  perform from public.flow_run as r where r.id = v_run_id and r.end_time is null;
  if not found then
    perform private.fail('signature_request_not_found', 'The run has ended, so it asks for no signature.');
  end if;
  return jsonb_build_object(
    'request', (
      select jsonb_build_object(
        'id', s.id, 'kind', s.kind, 'time', floor(extract(epoch from s.created_at) * 1000), 'pubkey', s.pubkey,
        'message', s.msg,
        'timeout', extract(epoch from s.expires_at - s.created_at), 'flow_run_id', s.flow_run_id, 'signatures',
        s.signatures
      )
      from private.open_signature_requests(v_run_id) as s
      limit 1
    ),
    'is_overdue', private.is_overdue(v_run_id)
  );
end;
$$;
comment on function private.pending_signature_request(uuid) is
  'Implements public.pending_signature_request. Definer, because no API role may call private.root_run_for_caller().';
grant execute on function private.pending_signature_request(uuid) to anon, authenticated, service_role;

-- Returns {request, is_overdue} to the run's owner, its starter and the holder of its token. request is null if no
-- request is open. Otherwise it is {id, kind (transaction_message or message), time (milliseconds since 1970), pubkey,
-- message, timeout (seconds), flow_run_id, signatures}. is_overdue is as in flow_run_result.
create function public.pending_signature_request(flow_run_id uuid)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.pending_signature_request(flow_run_id);
$$;
comment on function public.pending_signature_request(uuid) is
  'The oldest open signature request in the tree of a run, {request, is_overdue}, for the run''s owner, its starter and the holder of its token. 401; 404 flow_run_not_found. 404 signature_request_not_found if the run has ended.';
grant execute on function public.pending_signature_request(uuid) to anon, authenticated, service_role;

create function private.asking_flow_runs(flow_run_ids uuid[])
returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select asked.id
  from unnest(asking_flow_runs.flow_run_ids) as asked (id)
  cross join lateral private.root_run_id(asked.id) as root (id)
  where exists (select from private.open_signature_requests(root.id))
    -- A run that has ended or is deleted will never ask for a signature, so its callers need not wait.
    or not exists (select from public.flow_run as r where r.id = root.id and r.end_time is null);
$$;
comment on function private.asking_flow_runs(uuid[]) is
  'Implements public.asking_flow_runs. Definer, because one call serves many callers, but policies apply to a single user. The Edge Functions have checked the callers.';
grant execute on function private.asking_flow_runs(uuid[]) to service_role;

create function public.asking_flow_runs(flow_run_ids uuid[])
returns setof uuid
language sql stable security invoker
set search_path = ''
as $$
  select * from private.asking_flow_runs(flow_run_ids);
$$;
comment on function public.asking_flow_runs(uuid[]) is
  'For the Edge Functions, which wait on behalf of callers. Returns the runs for which waiting is over: a run in the tree asks for a signature now, or the root run has ended, so no run in the tree will ask again.';
grant execute on function public.asking_flow_runs(uuid[]) to service_role;
