create function private.hold_run_and_owner(claim jsonb)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id constant uuid := hold_run_and_owner.claim ->> 'flow_run_id';
begin
  -- The owner before the run, as the deletion of a user takes them: neither then waits for the other.
  perform from auth.users as u join public.flow_run as r on r.user_id = u.id where r.id = v_run_id for key share of u;
  return (private.hold_flow_run(v_run_id, (hold_run_and_owner.claim ->> 'attempt')::integer)).user_id;
end;
$$;
comment on function private.hold_run_and_owner(jsonb) is
  'Locks the run of a claim, {flow_run_id, attempt}, for a change of what is its owner''s, and gives the owner; 409 claim_lost when the claim is not the newest. Definer: it locks users.';

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
