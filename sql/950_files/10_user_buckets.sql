create function private.check_file_quota(user_id uuid, bucket text, name text, bytes bigint)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_limit constant bigint := private.quota('file_bytes');
  v_replaced bigint;
begin
  perform private.lock_quota('file_bytes', check_file_quota.user_id);
  select private.counted_file_bytes(o.metadata) into v_replaced
  from storage.objects as o where o.bucket_id = check_file_quota.bucket and o.name = check_file_quota.name;
  if private.quota_use('file_bytes', check_file_quota.user_id) - coalesce(v_replaced, 0)
    + greatest(check_file_quota.bytes, private.limit_storage_counted_bytes()) > v_limit
  then
    perform private.refuse_use('file_bytes', v_limit);
  end if;
end;
$$;
comment on function private.check_file_quota(uuid, text, text, bigint) is
  'Implements public.check_file_quota. Definer, because no API role may read the files of others.';
grant execute on function private.check_file_quota(uuid, text, text, bigint) to service_role;

create function public.check_file_quota(user_id uuid, bucket text, name text, bytes bigint)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.check_file_quota(user_id, bucket, name, bytes);
$$;
comment on function public.check_file_quota(uuid, text, text, bigint) is
  'For runners, to which the policies of Storage do not apply: refuses a file of the user that would exceed the quota file_bytes: 409 quota_exceeded. The name is the whole name in the bucket, with the user''s folder.';
grant execute on function public.check_file_quota(uuid, text, text, bigint) to service_role;

create function private.has_room_for_file(bucket text, name text, metadata jsonb)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.check_file_quota(
    auth.uid(), has_room_for_file.bucket, has_room_for_file.name, (has_room_for_file.metadata ->> 'size')::bigint
  );
  return true;
end;
$$;
comment on function private.has_room_for_file(text, text, jsonb) is
  'For the policies of storage.objects: true, or the error of private.check_file_quota for the calling user. Definer, because users may not check the quota of others.';
grant execute on function private.has_room_for_file(text, text, jsonb) to authenticated;

-- The buckets in which the nodes storage_* keep files. In a database without Supabase Storage, no buckets are made, and
-- these nodes fail.
do $$
begin
  if to_regclass('storage.buckets') is null then
    return;
  end if;

  insert into storage.buckets as b (id, name, public, file_size_limit)
  values
    ('user-storages', 'user-storages', false, private.limit_storage_file_bytes()),
    ('user-public-storages', 'user-public-storages', true, private.limit_storage_file_bytes())
  on conflict (id) do update set file_size_limit = coalesce(b.file_size_limit, excluded.file_size_limit);

  -- With their access tokens, users reach only their own files. This policy does not apply to flows; runner/storage/
  -- checks the paths that flows use, and asks for the quota. Hosted Storage makes the row as the user before it has the
  -- file, with no size, and stores it as another role.
  create policy "Users use their own folders" on storage.objects to authenticated
    using (
      bucket_id in ('user-storages', 'user-public-storages')
      and (storage.foldername(name))[1] = (select auth.uid()::text)
    )
    with check (
      bucket_id in ('user-storages', 'user-public-storages')
      and (storage.foldername(name))[1] = (select auth.uid()::text)
      and private.has_room_for_file(bucket_id, name, metadata)
    );
end;
$$;
