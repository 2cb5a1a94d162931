SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.give_back_flow_run (
  flow_run_id   uuid,
  delay_seconds integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_message_id bigint;
begin
  -- What was given back stays so, whatever of the claim arrives late.
  update private.flow_run_jobs as j
  set
    is_held = false,
    -- Its worker lives: the next loss is the first in a row. Else runs that were there when others ended their workers would be
    -- suspects for as long as they wait, each executed alone while all others are given back.
    lost_claim_count = 0,
    -- Whoever came meanwhile goes first, of the same owner too: many runs in slices are one owner's turn, as new ones are.
    turn = greatest(private.next_turn(j.user_id), (select t.last_value + 1 from private.flow_run_turn as t))
  where j.flow_run_id = give_back_flow_run.flow_run_id and j.is_held
  returning j.message_id into v_message_id;
  perform pgmq.set_vt('flow_runs', v_message_id, give_back_flow_run.delay_seconds);
  return v_message_id is not null;
end;
$function$;

COMMENT ON FUNCTION "private"."give_back_flow_run"(uuid, integer) IS 'Gives a claim up, for the run to be claimed again after delay_seconds, with no lost claims; false when it was given up before. The caller holds the run''s lock. Definer: queue and jobs are private.';
