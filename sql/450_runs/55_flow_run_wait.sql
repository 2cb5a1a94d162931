create function private.flow_run_wait(flow_run_id uuid)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.run_for_caller(flow_run_wait.flow_run_id);
begin
  return (
    select jsonb_build_object('state', j.state, 'due_at', j.due_at, 'queue_key', j.settings -> 'queue' -> 'key')
    from private.flow_run_jobs as j
    where j.flow_run_id = v_run.id and j.claim_number = 0 and j.state in ('blocked', 'sleeping')
  );
end;
$$;
comment on function private.flow_run_wait(uuid) is
  'Implements public.flow_run_wait. Definer, because no API role may access jobs.';
grant execute on function private.flow_run_wait(uuid) to anon, authenticated, service_role;

create function public.flow_run_wait(flow_run_id uuid)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return private.flow_run_wait(flow_run_id);
end;
$$;
-- queue_key is the setting of the deployment at the start: caller, the name of an input, or null. The value of the input
-- is in the inputs of the run itself, so the answer tells nothing about other runs.
comment on function public.flow_run_wait(uuid) is
  'What a queued run waits for, {state, due_at, queue_key}, for its owner, its starter and the holder of its token. state: blocked (for a place of its key) or sleeping (until due_at). Null if the run does not wait because of limits by key. 401; 404 flow_run_not_found.';
grant execute on function public.flow_run_wait(uuid) to anon, authenticated, service_role;
