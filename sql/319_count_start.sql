-- An escrow: slots reserve starts in batches, all together never more than the limits allow, and a start takes one of its own slot's
-- without a look at the others. Source: P. O'Neil, The escrow transactional method, ACM TODS 11 (4), 1986.

create function private.refuse_start(name text, value integer, retry_after_seconds integer)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(429, 'start_limit_reached', format('This deployment has reached its %s, %s.', refuse_start.name, refuse_start.value),
    jsonb_build_object('limit', refuse_start.name, 'value', refuse_start.value), 'Try again after the seconds in Retry-After.',
    jsonb_build_object('Retry-After', refuse_start.retry_after_seconds::text));
end;
$$;
comment on function private.refuse_start(text, integer, integer) is 'Raises 429 start_limit_reached of the named limit.';

create function private.check_usage(
  deployment_id uuid, max_starts_per_minute integer, max_runs_in_flight integer, minute timestamptz, own_starts integer,
  out room bigint, out is_same_minute boolean
)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_starts bigint;
  v_runs bigint;
begin
  select
    coalesce(sum(u.starts - u.reserved) filter (where u.minute >= check_usage.minute), 0), coalesce(sum(u.in_flight - u.reserved), 0),
    least(
      check_usage.max_starts_per_minute - coalesce(sum(u.starts) filter (where u.minute >= check_usage.minute), 0),
      check_usage.max_runs_in_flight - coalesce(sum(u.in_flight), 0)
    ),
    -- Read last: had another slot gone on to the next minute, and so given up its count of this one, it would be the next by now.
    date_bin('1 minute', clock_timestamp(), 'epoch') = check_usage.minute
  into v_starts, v_runs, check_usage.room, check_usage.is_same_minute
  from private.deployment_usage as u
  where u.deployment_id = check_usage.deployment_id;

  if v_starts - check_usage.own_starts >= check_usage.max_starts_per_minute then
    perform private.refuse_start('max_starts_per_minute', check_usage.max_starts_per_minute,
      greatest(ceil(extract(epoch from check_usage.minute + interval '1 minute' - clock_timestamp())), 1)::integer);
  end if;
  if v_runs - check_usage.own_starts >= check_usage.max_runs_in_flight then
    perform private.refuse_start('max_runs_in_flight', check_usage.max_runs_in_flight, 5);
  end if;
end;
$$;
comment on function private.check_usage(uuid, integer, integer, timestamptz, integer) is
  'Adds up the slots of a deployment: 429 start_limit_reached when others than own_starts use a limit up, else what is neither used nor reserved of both limits, and whether the minute is the present one. Definer: the usage is private.';

create function private.reserve_starts(deployment_id uuid, max_starts_per_minute integer, max_runs_in_flight integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_slot integer := pg_backend_pid() % 32;
  v_minute timestamptz := date_bin('1 minute', clock_timestamp(), 'epoch');
  v_batch integer;
  v_is_blocked boolean := false;
  v_usage record;
begin
  v_usage := private.check_usage(
    reserve_starts.deployment_id, reserve_starts.max_starts_per_minute, reserve_starts.max_runs_in_flight, v_minute, 0
  );
  -- A batch for each slot takes half of what there is. Of one transaction only the first reservation is made beside those of
  -- others, which see none of it.
  v_batch := case
    when current_setting('private.has_reserved_starts', true) = 'true' then 0 else least(v_usage.room / 64, 256)
  end;
  loop
    begin
      loop
        -- The slot before the lock of the deployment: who has that waits for no slot.
        perform from private.deployment_usage as u where u.deployment_id = reserve_starts.deployment_id and u.slot = v_slot for no key update;
        exit when found;
        insert into private.deployment_usage (deployment_id, slot)
        values (reserve_starts.deployment_id, v_slot), (reserve_starts.deployment_id, -1 - v_slot)
        on conflict on constraint deployment_usage_pkey do nothing;
      end loop;
      if v_batch < 1 then
        -- Alone, after all reservations that were under way, and with what the other slots have left: nothing is missed.
        perform pg_advisory_xact_lock(uuid_hash_extended(reserve_starts.deployment_id, 0));
        update private.deployment_usage as u
        set starts = u.starts - u.reserved, in_flight = u.in_flight - u.reserved, reserved = 0
        where u.deployment_id = reserve_starts.deployment_id and u.slot = any (array(
          select other.slot from private.deployment_usage as other
          where other.deployment_id = reserve_starts.deployment_id and other.reserved > 0
          for no key update skip locked
        ));
      else
        -- Waits for who is alone, and does not go alone too: one after another they would all, and reserve nothing any more.
        perform pg_advisory_xact_lock_shared(uuid_hash_extended(reserve_starts.deployment_id, 0));
      end if;

      v_minute := date_bin('1 minute', clock_timestamp(), 'epoch');
      update private.deployment_usage as u
      set
        minute = greatest(u.minute, v_minute),
        starts = case when u.minute >= v_minute then u.starts - u.reserved else 0 end + greatest(v_batch, 1),
        in_flight = u.in_flight - u.reserved + greatest(v_batch, 1),
        reserved = greatest(v_batch - 1, 0),
        max_starts_per_minute = reserve_starts.max_starts_per_minute, max_runs_in_flight = reserve_starts.max_runs_in_flight
      where u.deployment_id = reserve_starts.deployment_id and u.slot = v_slot;
      v_usage := private.check_usage(
        reserve_starts.deployment_id, reserve_starts.max_starts_per_minute, reserve_starts.max_runs_in_flight, v_minute, 1
      );
      -- Each other slot may have one reservation under way that is not seen here.
      if v_usage.is_same_minute and v_usage.room >= 31 * v_batch then
        perform set_config('private.has_reserved_starts', 'true', true);
        return;
      end if;
      v_is_blocked := v_batch < 1 and v_usage.room < 0;
      raise sqlstate 'AGAIN';
    exception when sqlstate 'AGAIN' then
      -- With the subtransaction its locks are gone. A minute that has just ended is no reason to go alone.
      if v_usage.is_same_minute then
        v_batch := 0;
      end if;
    end;
    if v_is_blocked then
      -- Starts under way keep what their slots have left: it is waited for without a lock that they could wait for.
      begin
        perform from private.deployment_usage as u
        where u.deployment_id = reserve_starts.deployment_id and u.reserved > 0 order by u.slot for no key update;
        raise sqlstate 'AGAIN';
      exception when sqlstate 'AGAIN' then
        v_is_blocked := false;
      end;
    end if;
  end loop;
end;
$$;
comment on function private.reserve_starts(uuid, integer, integer) is
  'Counts a start of a deployment and reserves more for the backend''s slot, as far as the limits are away; 429 start_limit_reached. Definer: the usage is private.';

create function private.count_start(deployment_id uuid, max_starts_per_minute integer, max_runs_in_flight integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if (pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq') < pg_sequence_last_value('private.queue_check_message')) is not true then
    perform private.check_queue_length();
  end if;
  perform private.reserve_starts(count_start.deployment_id, count_start.max_starts_per_minute, count_start.max_runs_in_flight);
end;
$$;
comment on function private.count_start(uuid, integer, integer) is
  'Counts a start by somebody else than the deployment''s owner that private.enqueue_run can''t take from what its slot has reserved, or refuses it, exact whatever else starts at the time: 429 queue_full, start_limit_reached. Definer: the usage is private.';
