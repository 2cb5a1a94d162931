create function private.retry_fault(retry jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if jsonb_typeof(retry_fault.retry) <> 'object' then
    return 'data.retry: must be an object';
  end if;
  return coalesce(
    (
      select format(
        'data.retry.%s: must be %s from %s to %s', m.name, case when m.is_whole then 'an integer' else 'a number' end,
        m.least, m.most
      )
      from (values
        (1, 'max_attempts', 1, private.limit_retry_attempts(), true),
        (2, 'delay_ms', 0, private.limit_retry_pause_ms(), true), (3, 'backoff', 1, 10, false),
        (4, 'max_delay_ms', 0, private.limit_retry_pause_ms(), true)
      ) as m (position, name, least, most, is_whole)
      cross join lateral (select retry_fault.retry -> m.name as value offset 0) as given
      where case
        when given.value is null then m.name = 'max_attempts'
        when jsonb_typeof(given.value) <> 'number' then true
        when given.value::numeric not between m.least and m.most then true
        else m.is_whole and given.value::numeric % 1 <> 0
      end
      order by m.position limit 1
    ),
    (
      select format(
        'data.retry: there is no member %s, only max_attempts, delay_ms, backoff and max_delay_ms',
        to_jsonb(private.shorten(key))
      )
      from jsonb_object_keys(retry_fault.retry) as key
      where key not in ('max_attempts', 'delay_ms', 'backoff', 'max_delay_ms')
      limit 1
    )
  );
end;
$$;
comment on function private.retry_fault(jsonb) is
  'The first fault in data.retry of a node; null if the runner can read data.retry.';

create function private.complete_retry(retry jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select jsonb_build_object(
    'delay_ms', 1000, 'backoff', 2, 'max_delay_ms', greatest(60000, (complete_retry.retry -> 'delay_ms')::numeric)
  ) || complete_retry.retry;
$$;
comment on function private.complete_retry(jsonb) is
  'data.retry of a node, with defaults for missing members. data.retry must have no fault.';
