create function private.started_by_email(flow_run_id uuid)
returns text
language sql stable security definer
set search_path = ''
as $$
  -- The run is read again by its id, because a caller of the public function can pass a row that does not exist.
  select private.confirmed_email(r.started_by) from public.flow_run as r
  where r.id = started_by_email.flow_run_id and r.user_id = (select auth.uid());
$$;
comment on function private.started_by_email(uuid) is
  'Implements public.started_by_email. Definer, because no API role may read the addresses of users. Checks that the caller owns the run.';
grant execute on function private.started_by_email(uuid) to authenticated, service_role;

create function public.started_by_email(flow_run public.flow_run)
returns text
language sql stable security invoker
set search_path = ''
as $$
  select private.started_by_email(started_by_email.flow_run.id);
$$;
comment on function public.started_by_email(public.flow_run) is
  'The confirmed e-mail address of the user who started a run, for the owner of its flow: select=id,started_by_email. Null for everybody else, and if the starter has no such address.';
grant execute on function public.started_by_email(public.flow_run) to authenticated, service_role;
