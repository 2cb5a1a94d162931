create function private.set_max_queue_length(max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if coalesce(set_max_queue_length.max_length < 0, true) then
    perform private.fail(400, 'request_invalid', 'max_length: takes an integer from 0 to 2^31-1.');
  end if;
  perform private.lock_queue_check();
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- The next start counts anew, after this commits, and others wait for what it finds.
  perform setval('private.queue_check_message', 0), setval('private.queue_full_until', 1);
end;
$$;
comment on function private.set_max_queue_length(integer) is 'Does what public.set_max_queue_length says. Definer: the settings are private.';
grant execute on function private.set_max_queue_length(integer) to service_role;

create function public.set_max_queue_length(max_length integer)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_max_queue_length(set_max_queue_length.max_length);
$$;
comment on function public.set_max_queue_length(integer) is
  'For operators: from so many runs on that are there to be claimed, others than a deployment''s owner start none of it, 429 queue_full; 0: never. What waits is counted again after a hundredth of it: a queue may grow so much longer. 400 request_invalid.';
grant execute on function public.set_max_queue_length(integer) to service_role;

create function public.max_queue_length()
returns integer
language sql stable security invoker
set search_path = ''
as $$
  select private.max_queue_length();
$$;
comment on function public.max_queue_length() is
  'For operators: how many runs may be there to be claimed when others than the owner start a deployment; 100000 unless set by set_max_queue_length.';
grant execute on function public.max_queue_length() to service_role;
