create function private.give_back_flow_run(flow_run_id uuid, delay_seconds integer)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint;
  v_is_stopping boolean;
begin
  -- What was given back stays so, whatever of the claim arrives late.
  update private.flow_run_jobs as j
  set
    is_held = false,
    -- A stop that came while it was held found nobody to wake, and waits for no time.
    sleeps_until = case
      when give_back_flow_run.delay_seconds > 0 and j.stop_requested_at is null
        then clock_timestamp() + make_interval(secs => give_back_flow_run.delay_seconds)
    end,
    -- Its worker lives: the next loss is the first in a row. Else runs that were there when others ended their workers would be
    -- suspects for as long as they wait, each executed alone while all others are given back.
    lost_claim_count = 0,
    -- Whoever came meanwhile goes first, of the same owner too: many runs in slices take turns, as new ones do.
    turn = nextval('pgmq.q_flow_runs_msg_id_seq')
  where j.flow_run_id = give_back_flow_run.flow_run_id and j.is_held
  returning j.message_id, j.stop_requested_at is not null into v_message_id, v_is_stopping;
  perform private.hide_messages(array[v_message_id], case when v_is_stopping then 0 else give_back_flow_run.delay_seconds end);
  return v_message_id is not null;
end;
$$;
comment on function private.give_back_flow_run(uuid, integer) is
  'Gives a claim up, for the run to be claimed again after delay_seconds, or at once where it shall stop, with no lost claims; false when it was given up before. The caller holds the run''s lock. Definer: queue and jobs are private.';
