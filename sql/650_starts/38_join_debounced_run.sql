create function private.join_debounced_run(run_id uuid, joined_run_id uuid, due_at timestamptz)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- A change of a row may join after a start that is newer. Then the inputs of the newer start stay.
  update private.flow_run_jobs as j
  set settings = newest.settings, due_at = join_debounced_run.due_at, turn = newest.turn, priority = newest.priority
  from private.flow_run_jobs as newest
  where j.flow_run_id = join_debounced_run.joined_run_id and newest.flow_run_id = join_debounced_run.run_id
    and newest.turn + make_interval(secs => newest.priority) >= j.turn + make_interval(secs => j.priority);
  if found then
    update public.flow_run as r
    set schedule_id = newest.schedule_id, row_start_id = newest.row_start_id,
      started_by_run_id = newest.started_by_run_id, inputs = newest.inputs,
      output_instructions = newest.output_instructions, action_identity = newest.action_identity,
      action_signer = newest.action_signer, fees = newest.fees, chain_network = newest.chain_network
    from public.flow_run as newest
    where r.id = join_debounced_run.joined_run_id and newest.id = join_debounced_run.run_id;
  end if;
  -- A loop of starts ends also if a run of it joins another run.
  update private.flow_run_jobs as j set chain_depth = newest.chain_depth
  from private.flow_run_jobs as newest
  where j.flow_run_id = join_debounced_run.joined_run_id and newest.flow_run_id = join_debounced_run.run_id
    and newest.chain_depth > j.chain_depth;
  update private.idempotency_keys as k set flow_run_id = join_debounced_run.joined_run_id
  where k.flow_run_id = join_debounced_run.run_id;
  delete from public.flow_run as r where r.id = join_debounced_run.run_id;
end;
$$;
-- The caller has locked the job of the joined run. The new run has no key, so its deletion frees no place.
comment on function private.join_debounced_run(uuid, uuid, timestamptz) is
  'Lets a new run join a run that sleeps before its first claim: the sleeping run gets all that comes from the start of the new run, and is due at due_at. Deletes the new run. Definer, because no API role may write runs.';
