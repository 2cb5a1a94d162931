create function private.set_quota(name text, value bigint)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if not exists (select from private.known_quotas() as k where k.name = set_quota.name) then
    perform private.fail(400, 'request_invalid', format(
      'name must be one of %s.', (select string_agg(k.name, ', ' order by k.name) from private.known_quotas() as k)
    ));
  end if;
  if set_quota.value < 0 then
    perform private.fail(400, 'request_invalid', 'value must be an integer from 0 to 2^63-1, or null for the default.');
  end if;
  if set_quota.value is null then
    delete from private.quotas as q where q.name = set_quota.name;
  else
    insert into private.quotas as q (name, value) values (set_quota.name, set_quota.value)
    on conflict on constraint quotas_pkey do update set value = excluded.value;
  end if;
end;
$$;
comment on function private.set_quota(text, bigint) is 'Does what public.set_quota says. Definer: the settings are private.';
grant execute on function private.set_quota(text, bigint) to service_role;

create function public.set_quota(name text, value bigint)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_quota(set_quota.name, set_quota.value);
$$;
comment on function public.set_quota(text, bigint) is
  'For operators: how much of something each user may have, from now on; null: the default. What a user has already stays. 400 request_invalid.';
grant execute on function public.set_quota(text, bigint) to service_role;

create function private.quotas()
returns table (name text, value bigint, default_value bigint)
language sql stable security definer
set search_path = ''
as $$
  select k.name, private.quota(k.name), k.default_value from private.known_quotas() as k;
$$;
comment on function private.quotas() is 'Does what public.quotas says. Definer: the settings are private.';
grant execute on function private.quotas() to service_role;

create function public.quotas()
returns table (name text, value bigint, default_value bigint)
language sql stable security invoker
set search_path = ''
as $$
  select * from private.quotas();
$$;
comment on function public.quotas() is
  'For operators: how much of each thing a user may have, with what it is unless set by set_quota.';
grant execute on function public.quotas() to service_role;
