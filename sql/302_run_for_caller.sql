create function private.run_for_caller(flow_run_id uuid)
returns public.flow_run
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller record := private.require_caller();
  v_run public.flow_run;
begin
  select r.* into v_run from public.flow_run as r
  where r.id = run_for_caller.flow_run_id
    and (r.user_id = v_caller.user_id or r.started_by = v_caller.user_id or r.id = v_caller.run_id);
  if not found then
    perform private.fail(404, 'flow_run_not_found', 'There is no such run.');
  end if;
  return v_run;
end;
$$;
comment on function private.run_for_caller(uuid) is
  'A run, for its owner, who started it, and the holder of its token; for everybody else it does not exist (404 flow_run_not_found). Definer: it is the check itself.';
