create table private.quotas (
  name text primary key,
  value bigint not null,
  constraint quotas_value_natural check (value >= 0)
);
comment on table private.quotas is
  'The quotas that an operator has changed. All other quotas have the defaults of private.known_quotas().';
comment on column private.quotas.value is
  'The limit for each user: a number of rows for quotas such as flows, a number of bytes for quotas such as flow_bytes.';

create function private.quota(name text)
returns bigint
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return coalesce(
    (select s.value from private.quotas as s where s.name = quota.name),
    (select k.default_value from private.known_quotas() as k where k.name = quota.name)
  );
end;
$$;
comment on function private.quota(text) is
  'The value of a quota: the most that each user may have. Definer, because no API role may access private.quotas.';

create function private.counted_file_bytes(metadata jsonb)
returns bigint
language sql immutable security invoker
set search_path = ''
as $$
  select greatest((counted_file_bytes.metadata ->> 'size')::bigint, private.limit_storage_counted_bytes());
$$;
comment on function private.counted_file_bytes(jsonb) is
  'The size that a file with this metadata of Supabase Storage counts as. Storage itself writes the metadata; they are null until the file is stored.';

create function private.quota_use(name text, user_id uuid)
returns bigint
language plpgsql volatile security definer
set search_path = ''
-- Without this setting, a plan that was made while the tables were empty could stay in the cache and scan whole
-- tables.
set enable_seqscan = off
as $$
begin
  case quota_use.name
    when 'flows' then
      return (select count(*) from public.flows as f where f.user_id = quota_use.user_id);
    when 'flow_bytes' then
      return (
        select sum(pg_column_size(f.nodes)::bigint + pg_column_size(f.edges) + pg_column_size(f.environment))
        from public.flows as f where f.user_id = quota_use.user_id
      ) + (
        select coalesce(sum(v.bytes), 0) from public.flow_versions as v where v.user_id = quota_use.user_id
      );
    when 'deployments' then
      return (select count(*) from public.flow_deployments as d where d.user_id = quota_use.user_id);
    when 'deployment_bytes' then
      return (
        select sum(pg_column_size(s.data)::bigint)
        from (
          select distinct d.snapshot_hash from public.flow_deployments as d where d.user_id = quota_use.user_id
        ) as own
        join private.flow_snapshots as s on s.hash = own.snapshot_hash
      ) + (
        select coalesce(sum(pg_column_size(c.canvas)::bigint), 0)
        from public.flow_deployments as d
        join private.flow_deployment_canvases as c on c.deployment_id = d.id
        where d.user_id = quota_use.user_id
      );
    when 'tags' then
      return (
        select count(*) from public.flow_deployments_tags as t where t.user_id = quota_use.user_id and t.tag <> 'latest'
      );
    when 'api_keys' then
      return (select count(*) from public.api_keys as k where k.user_id = quota_use.user_id);
    when 'wallets' then
      return (select count(*) from public.wallets as w where w.user_id = quota_use.user_id);
    when 'connections' then
      return (select count(*) from public.connections as c where c.user_id = quota_use.user_id);
    when 'nodes' then
      return (select count(*) from public.nodes as n where n.user_id = quota_use.user_id and not n.is_public);
    when 'node_bytes' then
      return (
        select coalesce(sum(pg_column_size(n.data)::bigint + pg_column_size(n.sources) + pg_column_size(n.targets)
          + coalesce(pg_column_size(n."targets_form.json_schema"), 0)
          + coalesce(pg_column_size(n."targets_form.ui_schema"), 0)
          + coalesce(pg_column_size(n."targets_form.extra"), 0)), 0)
        from public.nodes as n where n.user_id = quota_use.user_id and not n.is_public
      );
    when 'schedules' then
      return (select count(*) from public.flow_schedules as s where s.user_id = quota_use.user_id);
    when 'schedule_bytes' then
      return (
        select sum(pg_column_size(s.inputs)::bigint + pg_column_size(s."values"))
        from public.flow_schedules as s where s.user_id = quota_use.user_id
      );
    when 'pending_webhooks' then
      return (
        select count(*) from public.webhook_deliveries as w
        where w.user_id = quota_use.user_id and w.status = 'pending' and least(w.attempts, 1) = 1
      );
    when 'webhooks' then
      return (select count(*) from public.flow_webhooks as w where w.user_id = quota_use.user_id);
    when 'file_bytes' then
      -- `0` is the character after the slash, so these are the names in the user's folder.
      return (
        select coalesce(sum(private.counted_file_bytes(o.metadata)), 0)
        from storage.objects as o
        where o.bucket_id in ('user-storages', 'user-public-storages')
          and o.name collate "C" >= quota_use.user_id || '/' and o.name collate "C" < quota_use.user_id || '0'
      );
  end case;
end;
$$;
comment on function private.quota_use(text, uuid) is
  'How much of a quota a user has used up, including rows that this transaction has stored. A flow snapshot counts once, even if several deployments of the user have this snapshot. Definer, because it must also see rows that policies hide.';

create function private.lock_quota(name text, user_id uuid)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- Only one transaction of the user can hold this lock at a time, so each transaction counts the rows that earlier
  -- transactions stored. The lock can't cause a deadlock: only checks of quotas take it, and its holder does not wait
  -- for rows that another transaction of the user has locked.
  perform pg_advisory_xact_lock(
    hashtextextended(format('private.check_quota %s %s', lock_quota.name, lock_quota.user_id), 0)
  );
end;
$$;
comment on function private.lock_quota(text, uuid) is
  'Takes the lock for counting a user''s rows for a quota. Until the transaction ends, every other transaction that calls this function for the same quota and user waits.';

create function private.refuse_use(name text, value bigint)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('quota_exceeded',
    format('You have reached the quota of %s: a user may have %s at most.',
      (select k.noun from private.known_quotas() as k where k.name = refuse_use.name), refuse_use.value),
    jsonb_build_object('limit', refuse_use.value, 'of', refuse_use.name),
    'Delete what you no longer need, or ask the operator of this project for more.');
end;
$$;
comment on function private.refuse_use(text, bigint) is
  'Raises the error of a user who has used up a quota: 409 quota_exceeded.';

create function private.check_quota(name text, user_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_limit bigint := private.quota(check_quota.name);
begin
  perform private.lock_quota(check_quota.name, check_quota.user_id);
  if private.quota_use(check_quota.name, check_quota.user_id) > v_limit then
    perform private.refuse_use(check_quota.name, v_limit);
  end if;
end;
$$;
comment on function private.check_quota(text, uuid) is
  'Refuses the transaction if the user now has more than the quota allows: 409 quota_exceeded. Deletions need neither this check nor its lock. Definer, because it must also see rows that policies hide.';

create function private.tg_any__after_insert_check_quota()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid;
  v_name text;
begin
  -- At a trigger depth of 2 or more, the insert comes from the trigger that moves the tag `latest`. This tag counts
  -- towards no quota.
  if pg_trigger_depth() > 1 then
    return null;
  end if;
  for v_user_id in select distinct i.user_id from inserted as i where i.user_id is not null order by i.user_id loop
    foreach v_name in array tg_argv loop
      perform private.check_quota(v_name, v_user_id);
    end loop;
  end loop;
  return null;
end;
$$;
comment on function private.tg_any__after_insert_check_quota() is
  'For each user who owns an inserted row, checks the quotas that the trigger''s arguments name. Checks nothing after an upsert that only updates, because such an upsert inserts no rows. Definer, because users may not call private.check_quota().';

create function private.set_quota(name text, value bigint)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if not exists (select from private.known_quotas() as k where k.name = set_quota.name) then
    perform private.fail('request_invalid', format(
      'name must be one of %s.', (select string_agg(k.name, ', ' order by k.name) from private.known_quotas() as k)
    ));
  end if;
  if set_quota.value < 0 then
    perform private.fail('request_invalid', 'value must be an integer from 0 to 2^63-1, or null for the default.');
  end if;
  if set_quota.value is null then
    delete from private.quotas as q where q.name = set_quota.name;
  else
    insert into private.quotas as q (name, value) values (set_quota.name, set_quota.value)
    on conflict on constraint quotas_pkey do update set value = excluded.value;
  end if;
end;
$$;
comment on function private.set_quota(text, bigint) is
  'Implements public.set_quota. Definer, because no API role may access private.quotas.';
grant execute on function private.set_quota(text, bigint) to service_role;

create function public.set_quota(name text, value bigint)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_quota(name, value);
$$;
comment on function public.set_quota(text, bigint) is
  'For operators: sets a quota, the most that each user may have. Null restores the default. Users who have more than the new quota keep what they have. 400 request_invalid.';
grant execute on function public.set_quota(text, bigint) to service_role;

create function private.quotas()
returns table (name text, value bigint, default_value bigint)
language sql stable security definer
set search_path = ''
as $$
  select k.name, private.quota(k.name), k.default_value from private.known_quotas() as k;
$$;
comment on function private.quotas() is
  'Implements public.quotas. Definer, because no API role may access private.quotas.';
grant execute on function private.quotas() to service_role;

create function public.quotas()
returns table (name text, value bigint, default_value bigint)
language sql stable security invoker
set search_path = ''
as $$
  select * from private.quotas();
$$;
comment on function public.quotas() is 'For operators: all quotas, each with its present value and its default.';
grant execute on function public.quotas() to service_role;
