create table private.deployment_usage (
  deployment_id uuid not null,
  share text collate "C" not null,
  slot integer not null,
  minute timestamptz not null default '-infinity',
  starts integer not null default 0,
  in_flight integer not null default 0,
  constraint deployment_usage_pkey primary key (deployment_id, share, slot)
) with (fillfactor = 50);
comment on table private.deployment_usage is
  'How much others than its owner use a deployment, for its limits. The use of a share is the sum over its slots, of which a backend writes its own, so that starts don''t wait for each other. No foreign key: the rows go when the deletion of the deployment commits.';
comment on column private.deployment_usage.share is
  'Who is counted: ''all'', ''guests'' (all who have not signed up), or one caller, ''user:<id>'' or ''key:<public key>''. A start counts for each share that its caller belongs to, as private.start_shares says.';
comment on column private.deployment_usage.slot is
  'pg_backend_pid() % 32 for starts, and for ends the negative of it less one: an end never waits for a start.';
comment on column private.deployment_usage.minute is 'The minute that starts counts.';
comment on column private.deployment_usage.starts is 'Starts of that minute.';
comment on column private.deployment_usage.in_flight is 'Runs that were started here, less those that ended here: right in sum.';

create function private.tg_flow_deployments__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Not what an end of a run has locked, who may hold more of them, in another order: a sweep takes it along.
  delete from private.deployment_usage as u
  where u.deployment_id = old.id and (u.share, u.slot) in (
    select free.share, free.slot from private.deployment_usage as free where free.deployment_id = old.id for update skip locked
  );
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_delete() is 'A deleted deployment takes its usage along. Definer: the usage is private.';
-- When the transaction commits: it waits for nobody any more who waits for these rows. Named as the constraint that it is too.
create constraint trigger flow_deployments_delete_usage after delete on public.flow_deployments
  deferrable initially deferred
  for each row execute function private.tg_flow_deployments__after_delete();

create function private.start_shares(user_id uuid, is_anonymous boolean, public_key text)
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when start_shares.user_id is null then array['all', 'guests', 'key:' || start_shares.public_key]
    when start_shares.is_anonymous then array['all', 'guests', 'user:' || start_shares.user_id]
    else array['all', 'user:' || start_shares.user_id]
  end;
end;
$$;
comment on function private.start_shares(uuid, boolean, text) is
  'Whose share of a deployment''s limits a start uses: that of all callers, that of guests, and the caller''s own. Guests have not signed up: anybody can make up a public key or sign in anonymously, so together they have a share that leaves room for users.';

create function private.share_of_limit(share text, value integer)
returns bigint
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case share_of_limit.share
    when 'all' then share_of_limit.value
    when 'guests' then (share_of_limit.value::bigint + 1) / 2
    else (share_of_limit.value::bigint + 9) / 10
  end;
end;
$$;
comment on function private.share_of_limit(text, integer) is
  'How much of a limit a share may use: all callers the whole, guests together a half, one caller a tenth; rounded up, so that there is one where the limit is not 0.';

create function private.refuse_start(limit_name text, share text, value bigint, retry_after_seconds integer)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(
    429, 'start_limit_reached',
    format(
      case refuse_start.share
        when 'all' then 'This deployment has reached its %s, %s.'
        when 'guests' then 'Callers who have not signed up have reached their share of this deployment''s %s, %s.'
        else 'You have reached your share of this deployment''s %s, %s.'
      end,
      refuse_start.limit_name, refuse_start.value
    ),
    jsonb_build_object(
      'limit', refuse_start.limit_name, 'value', refuse_start.value,
      'of', case when refuse_start.share in ('all', 'guests') then refuse_start.share else 'caller' end
    ),
    'Try again after the seconds in Retry-After.',
    jsonb_build_object('Retry-After', refuse_start.retry_after_seconds::text)
  );
end;
$$;
comment on function private.refuse_start(text, text, bigint, integer) is
  'Raises 429 start_limit_reached, which names the limit, whose share of it is used up, and how much that is.';

create function private.check_share(
  deployment_id uuid, share text, minute timestamptz, max_starts_per_minute integer, max_runs_in_flight integer
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_max_starts bigint := private.share_of_limit(check_share.share, check_share.max_starts_per_minute);
  v_max_runs bigint := private.share_of_limit(check_share.share, check_share.max_runs_in_flight);
  v_starts bigint;
  v_runs bigint;
begin
  select sum(u.starts) filter (where u.minute = check_share.minute), sum(u.in_flight) into v_starts, v_runs
  from private.deployment_usage as u
  where u.deployment_id = check_share.deployment_id and u.share = check_share.share;

  if v_starts > v_max_starts then
    perform private.refuse_start('max_starts_per_minute', check_share.share, v_max_starts,
      greatest(ceil(extract(epoch from check_share.minute + interval '1 minute' - clock_timestamp())), 1)::integer);
  end if;
  if v_runs > v_max_runs then
    perform private.refuse_start('max_runs_in_flight', check_share.share, v_max_runs, 5);
  end if;
end;
$$;
comment on function private.check_share(uuid, text, timestamptz, integer, integer) is
  'Refuses a start, which is counted already, where its share of a deployment now has more starts of this minute or runs in flight than it may: 429 start_limit_reached. Definer: the usage is private.';

create function private.count_start(deployment_id uuid, shares text[], max_starts_per_minute integer, max_runs_in_flight integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_minute timestamptz := date_bin('1 minute', clock_timestamp(), 'epoch');
  v_share text;
  v_starts bigint;
  v_runs bigint;
begin
  if (pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq') < pg_sequence_last_value('private.queue_check_message')) is not true then
    perform private.check_queue_length();
  end if;
  -- 'all' is the first share of every start: who waits for a slot of another share has it, so that nobody waits in a circle.
  insert into private.deployment_usage as u (deployment_id, share, slot, minute, starts, in_flight)
  select count_start.deployment_id, s.share, pg_backend_pid() % 32, v_minute, 1, 1
  from unnest(count_start.shares) as s (share)
  on conflict on constraint deployment_usage_pkey do update
  set
    minute = greatest(u.minute, excluded.minute), starts = case when u.minute >= excluded.minute then u.starts else 0 end + 1,
    in_flight = u.in_flight + 1;

  -- While all together use no more than one caller may, nobody has used up a share. This is all that nearly every start pays for.
  select coalesce(sum(u.starts) filter (where u.minute = v_minute), 0), sum(u.in_flight) into v_starts, v_runs
  from private.deployment_usage as u
  where u.deployment_id = count_start.deployment_id and u.share = 'all';
  if v_starts > count_start.max_starts_per_minute / 10 or v_runs > count_start.max_runs_in_flight / 10 then
    foreach v_share in array count_start.shares loop
      perform private.check_share(
        count_start.deployment_id, v_share, v_minute, count_start.max_starts_per_minute, count_start.max_runs_in_flight
      );
    end loop;
  end if;
end;
$$;
comment on function private.count_start(uuid, text[], integer, integer) is
  'Counts a start by somebody else than the deployment''s owner for its shares, or refuses it: 429 queue_full, start_limit_reached. Starts under way at the same time don''t see each other: a limit may be exceeded by as many, and nobody is refused below it. Definer: the usage is private.';
