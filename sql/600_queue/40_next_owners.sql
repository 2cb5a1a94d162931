create table private.last_claim (
  id boolean primary key default true,
  user_id uuid not null,
  suspect_id uuid,
  constraint last_claim_single check (id)
);
comment on table private.last_claim is
  'One row that says which owner had the last turn; no row before the first claim. Owners take turns in the order of their ids. The next claim begins with the owner after user_id. After the last owner, claims continue with the first. Only one claim at a time writes the row.';
comment on column private.last_claim.user_id is
  'The owner whose run was claimed last. The user may have been deleted since.';
comment on column private.last_claim.suspect_id is
  'A suspect (a run that lost two workers in a row) that the last claim skipped, because suspects are claimed alone. The next claim takes this run first, if it is still claimable.';

create function private.next_owners(after_owner uuid, max_owners integer, owners_with_slots uuid[])
returns table (user_id uuid, turn bigint, suspect_id uuid)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  c_last_turn constant bigint := 9223372036854775807;
  v_after_id uuid := coalesce(next_owners.after_owner, c_first_id);
  v_after_turn bigint := case when next_owners.after_owner is null then 0 else c_last_turn end;
  v_until_id uuid := c_last_id;
  v_is_second_lap boolean := next_owners.after_owner is null;
  v_count integer := 0;
begin
  while v_count < next_owners.max_owners loop
    select j.user_id, j.turn, case when j.is_suspect then j.flow_run_id end
    into user_id, turn, suspect_id
    from private.awake_jobs as j
    -- `offset 0` forces one search of the index for each job. Without it, Postgres could keep a plan that reads the
    -- whole queue for each job.
    cross join lateral (
      select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() offset 0
    ) as m
    where (j.user_id, j.turn) > (v_after_id, v_after_turn) and j.user_id <= v_until_id
    order by j.user_id, j.turn
    limit 1;
    if found then
      if (user_id = any (next_owners.owners_with_slots)) is not true then
        return next;
        v_count := v_count + 1;
      end if;
      -- Continue with the next owner.
      v_after_id := user_id;
      v_after_turn := c_last_turn;
    else
      -- After the last owner, continue with the first owners, up to after_owner, where the search began.
      exit when v_is_second_lap;
      v_is_second_lap := true;
      v_after_id := c_first_id;
      v_after_turn := 0;
      v_until_id := next_owners.after_owner;
    end if;
  end loop;
end;
$$;
-- Returns the owners in the order of ids, beginning after after_owner. After the last owner, continues with the first,
-- and ends with after_owner. If after_owner is null, begins with the first owner. Each row has the turn of the owner's
-- first claimable run, and the id of that run if it is a suspect.
comment on function private.next_owners(uuid, integer, uuid[]) is
  'The owners who have a claimable run, in the order of ids, beginning after after_owner. After the last owner, the first follows; after_owner comes last. Leaves out owners_with_slots. Definer, because no API role may access queue and jobs.';
