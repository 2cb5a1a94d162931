create sequence private.last_owner minvalue 0;
comment on sequence private.last_owner is
  'The position (private.owner_position) of the owner whose run was claimed last. Owners take turns in the order of their ids: the next claim begins after this position. A sequence, so that each claim sees at once what the claim before it has taken, and no claim waits for another.';

create function private.owner_position(user_id uuid)
returns bigint
language sql immutable security invoker
begin atomic
  -- A sequence has no negative values, so the shift clears the sign bit.
  select ('x' || left(replace(owner_position.user_id::text, '-', ''), 16))::bit(64)::bigint >> 1 & 9223372036854775807;
end;
comment on function private.owner_position(uuid) is 'The first 63 bits of an owner''s id, as a number.';

create function private.last_owner_at(owner_position bigint)
returns uuid
language sql immutable security invoker
begin atomic
  select (lpad(to_hex(last_owner_at.owner_position << 1 | 1), 16, '0') || 'ffffffffffffffff')::uuid;
end;
comment on function private.last_owner_at(bigint) is
  'The greatest id whose private.owner_position() is this number.';

create function private.ready_owners(
  after_owner uuid, until_owner uuid, max_owners integer, left_out_owners uuid[]
)
returns uuid[]
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_after uuid := coalesce(ready_owners.after_owner, '00000000-0000-0000-0000-000000000000');
  v_after_turn timestamptz := case when ready_owners.after_owner is null then '-infinity' else 'infinity' end;
  v_until uuid := coalesce(ready_owners.until_owner, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  return array(
    -- Each step searches the index for the next owner. So an owner costs one search, however many runs the owner has.
    with recursive owner as (
      (
        select j.user_id from private.flow_run_jobs as j
        where j.state in ('ready', 'lost') and (j.user_id, j.turn) > (v_after, v_after_turn) and j.user_id <= v_until
        order by j.user_id, j.turn limit 1
      )
      union all
      select next_owner.user_id
      from owner cross join lateral (
        select j.user_id from private.flow_run_jobs as j
        where j.state in ('ready', 'lost') and j.user_id > owner.user_id and j.user_id <= v_until
        order by j.user_id limit 1
      ) as next_owner
    )
    select owner.user_id from owner
    where (owner.user_id = any (ready_owners.left_out_owners)) is not true
    limit ready_owners.max_owners
  );
end;
$$;
comment on function private.ready_owners(uuid, uuid, integer, uuid[]) is
  'At most max_owners owners who have a run that is ready or lost, in the order of their ids: those after after_owner, up to until_owner. Null means no bound. Leaves out left_out_owners. Definer, because no API role may access jobs.';
