-- An effect is a change that a node makes in the database, such as writing an item. An effect has the key of the node
-- run that makes the change: {flow_run_id, node_id, times}, where times is the number of the execution of the node. The
-- transaction of the change also stores the node's output in the node run. A worker may repeat its request, or execute
-- the node again after another worker was lost. In both cases the database finds the stored output by the key, makes no
-- second change, and returns this output.

create function private.lock_claimed_run_and_owner(claim jsonb)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id constant uuid := lock_claimed_run_and_owner.claim ->> 'flow_run_id';
begin
  -- Lock the owner before the run, because the deletion of a user also locks the user before the runs. A different
  -- order could cause a deadlock.
  perform from auth.users as u join public.flow_run as r on r.user_id = u.id where r.id = v_run_id for key share of u;
  return (private.lock_claimed_run(v_run_id, (lock_claimed_run_and_owner.claim ->> 'claim_number')::integer)).user_id;
end;
$$;
comment on function private.lock_claimed_run_and_owner(jsonb) is
  'Locks the owner of a claimed run, and then the run, before a change of the owner''s data. claim is {flow_run_id, claim_number}. Returns the owner; 409 claim_lost if a newer claim exists or the run has ended. Definer, because API roles have no rights on auth.users.';

create function private.earlier_effect_output(effect jsonb, user_id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_output jsonb;
begin
  select n.output into v_output
  from public.node_run as n
  where n.flow_run_id = (earlier_effect_output.effect ->> 'flow_run_id')::uuid
    and n.node_id = (earlier_effect_output.effect ->> 'node_id')::uuid
    and n.times = (earlier_effect_output.effect ->> 'times')::integer and n.user_id = earlier_effect_output.user_id
  for no key update;
  if not found then
    perform private.fail('internal', 'The node run that makes this change is not stored.');
  end if;
  return v_output;
end;
$$;
comment on function private.earlier_effect_output(jsonb, uuid) is
  'Locks the node run of an effect, and returns the output that was stored with the change; null if the change was not made yet. Definer, because the lock needs the right to write node runs, which no API role has.';

create function private.store_effect_output(effect jsonb, output jsonb)
returns void
language sql volatile security definer
set search_path = ''
as $$
  update public.node_run as n
  set output = store_effect_output.output
  where n.flow_run_id = (store_effect_output.effect ->> 'flow_run_id')::uuid
    and n.node_id = (store_effect_output.effect ->> 'node_id')::uuid
    and n.times = (store_effect_output.effect ->> 'times')::integer;
$$;
comment on function private.store_effect_output(jsonb, jsonb) is
  'Marks the change of an effect as made, and stores its output, {"M": {…}}, with the node run. Later calls of earlier_effect_output return this output. Definer, because no API role may write node runs.';
