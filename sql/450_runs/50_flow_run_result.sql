create function private.flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.run_for_caller(flow_run_result.flow_run_id);
begin
  return jsonb_build_object(
    'status', v_run.status, 'output', v_run.output, 'errors', to_jsonb(v_run.errors),
    'is_overdue', v_run.end_time is null and private.is_overdue(private.root_run_id(v_run.id))
  );
end;
$$;
comment on function private.flow_run_result(uuid) is
  'Implements public.flow_run_result. Definer, because no API role may call private.run_for_caller().';
grant execute on function private.flow_run_result(uuid) to anon, authenticated, service_role;

create function public.flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return private.flow_run_result(flow_run_id);
end;
$$;
comment on function public.flow_run_result(uuid) is
  'The state of a run, {status, output, errors, is_overdue}, for its owner, its starter and the holder of its token. is_overdue: the run has waited in the queue for 2 seconds, so the runner should be called. 401; 404 flow_run_not_found.';
grant execute on function public.flow_run_result(uuid) to anon, authenticated, service_role;

create function private.await_flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_result jsonb := private.flow_run_result(await_flow_run_result.flow_run_id);
  v_began timestamptz := clock_timestamp();
  v_waited double precision;
begin
  -- A caller that waits keeps one of PostgREST's connections, of which there are ten by default. Starts need
  -- connections, so only two callers may wait at a time.
  if v_result ->> 'output' is not null
    or not pg_try_advisory_xact_lock(hashtext('private.await_flow_run_result'), 1)
    and not pg_try_advisory_xact_lock(hashtext('private.await_flow_run_result'), 2)
  then
    return v_result;
  end if;
  loop
    v_waited := date_part('epoch', clock_timestamp() - v_began);
    exit when v_waited >= 0.04;
    perform from public.flow_run as r where r.id = await_flow_run_result.flow_run_id and r.end_time is null;
    exit when not found;
    -- Each pause is a millisecond, or a tenth of the time waited so far if that is longer. So the answer is late by one
    -- pause at most.
    perform pg_sleep(greatest(v_waited / 10, 0.001));
  end loop;
  return private.flow_run_result(await_flow_run_result.flow_run_id);
end;
$$;
comment on function private.await_flow_run_result(uuid) is
  'Implements public.await_flow_run_result. private.flow_run_result() checks the caller first. Definer, so that the loop need not check the policies again.';
grant execute on function private.await_flow_run_result(uuid) to anon, authenticated, service_role;

create function public.await_flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.await_flow_run_result(flow_run_id);
end;
$$;
comment on function public.await_flow_run_result(uuid) is
  'Waits up to 40 milliseconds for the end of the run, then returns the same as flow_run_result. Does not wait if two other callers are waiting. Most runs of a few nodes end within 40 milliseconds. 401; 404 flow_run_not_found.';
grant execute on function public.await_flow_run_result(uuid) to anon, authenticated, service_role;
