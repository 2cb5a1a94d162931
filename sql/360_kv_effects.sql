create function private.claimed_run_owner(claim jsonb)
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user_id uuid;
begin
  select r.user_id into v_user_id
  from public.flow_run as r
  join private.flow_run_jobs as j on j.flow_run_id = r.id
  where r.id = (claimed_run_owner.claim ->> 'flow_run_id')::uuid and r.end_time is null
    and j.attempt = (claimed_run_owner.claim ->> 'attempt')::integer;
  if not found then
    perform private.fail(409, 'claim_lost', 'This claim of the run is over: the run has ended, is deleted, or was claimed again.');
  end if;
  return v_user_id;
end;
$$;
comment on function private.claimed_run_owner(jsonb) is
  'The owner of the run of a claim, {flow_run_id, attempt}; 409 claim_lost when the claim is not the newest. Definer: jobs are private.';

create function private.lock_claimed_run(claim jsonb)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id constant uuid := lock_claimed_run.claim ->> 'flow_run_id';
begin
  -- The owner before the run, as the deletion of a user takes them: neither then waits for the other.
  perform from auth.users as u join public.flow_run as r on r.user_id = u.id where r.id = v_run_id for key share of u;
  -- Who claims or ends the run locks it, too.
  perform from public.flow_run as r where r.id = v_run_id for no key update;
  return private.claimed_run_owner(lock_claimed_run.claim);
end;
$$;
comment on function private.lock_claimed_run(jsonb) is
  'The same, and the claim stays the newest until the transaction ends. Definer: it locks users and runs.';

create function private.lock_effect(effect jsonb, user_id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_output jsonb;
begin
  select n.output into v_output
  from public.node_run as n
  where n.flow_run_id = (lock_effect.effect ->> 'flow_run_id')::uuid and n.node_id = (lock_effect.effect ->> 'node_id')::uuid
    and n.times = (lock_effect.effect ->> 'times')::integer and n.user_id = lock_effect.user_id
  for no key update;
  if not found then
    perform private.fail(500, 'internal', 'The node run of this change is not stored.');
  end if;
  return v_output;
end;
$$;
comment on function private.lock_effect(jsonb, uuid) is
  'Locks the node run that makes a change, {flow_run_id, node_id, times}, and gives the output that the change left when it was made before; null when it is still to be made. Definer: nobody else writes node runs.';

create function private.keep_effect(effect jsonb, output jsonb)
returns void
language sql volatile security definer
set search_path = ''
as $$
  update public.node_run as n
  set output = keep_effect.output
  where n.flow_run_id = (keep_effect.effect ->> 'flow_run_id')::uuid and n.node_id = (keep_effect.effect ->> 'node_id')::uuid
    and n.times = (keep_effect.effect ->> 'times')::integer;
$$;
comment on function private.keep_effect(jsonb, jsonb) is
  'Stores that a change is made, with what it gave, {"M": {…}}: asked again, lock_effect gives it back. Definer: nobody else writes node runs.';
