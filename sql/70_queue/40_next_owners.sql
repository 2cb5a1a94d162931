create table private.last_claim (
  id boolean primary key default true,
  user_id uuid not null,
  suspect_id uuid,
  constraint last_claim_single check (id)
);
comment on table private.last_claim is
  'Where claims have come to in the order of owners'' ids: the next one goes on with the owner behind, and behind the last from the beginning. One row, or none before the first claim; claims write it one at a time.';
comment on column private.last_claim.user_id is 'The owner whose run was claimed last; may be gone.';
comment on column private.last_claim.suspect_id is 'A run that lost two workers and had to wait: the next claim takes it alone, if it is still there.';

create function private.owners_in_turn(last_id uuid, max_owners integer, passed_over uuid[])
returns table (user_id uuid, turn bigint, suspect_id uuid)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  c_last_turn constant bigint := 9223372036854775807;
  v_after_id uuid := coalesce(owners_in_turn.last_id, c_first_id);
  v_after_turn bigint := case when owners_in_turn.last_id is null then 0 else c_last_turn end;
  v_until_id uuid := c_last_id;
  v_is_anew boolean := owners_in_turn.last_id is null;
  v_count integer := 0;
begin
  while v_count < owners_in_turn.max_owners loop
    select j.user_id, j.turn, case when j.lost_claim_count + j.is_held::integer >= 2 then j.flow_run_id end
    into user_id, turn, suspect_id
    from private.flow_run_jobs as j
    -- A look for each job by itself: a join might be planned, and its plan kept, as one that reads the whole queue for each.
    cross join lateral (select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() offset 0) as m
    where j.message_id is not null and j.sleeps_until is null and (j.user_id, j.turn) > (v_after_id, v_after_turn) and j.user_id <= v_until_id
    order by j.user_id, j.turn
    limit 1;
    if found then
      if (user_id = any (owners_in_turn.passed_over)) is not true then
        return next;
        v_count := v_count + 1;
      end if;
      v_after_id := user_id;
      v_after_turn := c_last_turn;
    else
      -- Behind the last of all owners come the first ones, up to the one that was begun after.
      exit when v_is_anew;
      v_is_anew := true;
      v_after_id := c_first_id;
      v_after_turn := 0;
      v_until_id := owners_in_turn.last_id;
    end if;
  end loop;
end;
$$;
comment on function private.owners_in_turn(uuid, integer, uuid[]) is
  'The owners who have a run whose message is visible, but for those passed over, in the order of their ids from the one after last_id on (null: from the first), each with the turn of the first such run, and its id when it lost two workers. Definer: queue and jobs are private.';
