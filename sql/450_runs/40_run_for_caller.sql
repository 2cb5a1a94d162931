create function private.run_for_caller(flow_run_id uuid)
returns public.flow_run
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.require_caller();
  v_run public.flow_run;
begin
  select r.* into v_run from public.flow_run as r
  where r.id = run_for_caller.flow_run_id and private.may_see_run(r, v_caller);
  if not found then
    perform private.fail('flow_run_not_found', 'There is no such run.');
  end if;
  return v_run;
end;
$$;
comment on function private.run_for_caller(uuid) is
  'Returns the run if private.may_see_run() lets the caller see it. Otherwise answers 404 flow_run_not_found, as for a run that does not exist. Definer, because private.may_see_run() decides instead of the policies.';

create function private.root_run_id(flow_run_id uuid)
returns uuid
language sql stable security definer
set search_path = ''
as $$
  with recursive ancestor as (
    select r.id, r.parent_flow_run_id from public.flow_run as r where r.id = root_run_id.flow_run_id
    union all
    select r.id, r.parent_flow_run_id from ancestor join public.flow_run as r on r.id = ancestor.parent_flow_run_id
  )
  select ancestor.id from ancestor where ancestor.parent_flow_run_id is null;
$$;
comment on function private.root_run_id(uuid) is
  'The root run of the tree to which a run belongs. A run that no interflow node called is its own root. Definer, because it reads runs that policies may hide. The functions that call this one check whether the user may see the root run.';

create function private.root_run_for_caller(flow_run_id uuid)
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (private.run_for_caller(private.root_run_id(root_run_for_caller.flow_run_id))).id;
end;
$$;
comment on function private.root_run_for_caller(uuid) is
  'Returns the id of the root run of a run''s tree, if the caller may see the root run. A request about a tree may name any run of the tree. 401; 404 flow_run_not_found. Definer, because no API role may call private.run_for_caller().';
