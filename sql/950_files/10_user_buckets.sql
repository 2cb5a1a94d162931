-- The buckets in which the nodes storage_* keep files. In a database without Supabase Storage, no buckets are made, and
-- these nodes fail.
do $$
begin
  if to_regclass('storage.buckets') is null then
    return;
  end if;

  insert into storage.buckets (id, name, public)
  values ('user-storages', 'user-storages', false), ('user-public-storages', 'user-public-storages', true)
  on conflict (id) do nothing;

  -- With their access tokens, users reach only their own files. This policy does not apply to flows; runner/storage/
  -- checks the paths that flows use.
  create policy "Users use their own folders" on storage.objects to authenticated
    using (
      bucket_id in ('user-storages', 'user-public-storages')
      and (storage.foldername(name))[1] = (select auth.uid()::text)
    )
    with check (
      bucket_id in ('user-storages', 'user-public-storages')
      and (storage.foldername(name))[1] = (select auth.uid()::text)
    );
end;
$$;
