create function private.shorten(value text, longest integer default 100)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select case when length(shorten.value) > shorten.longest then left(shorten.value, shorten.longest) || '…' else shorten.value end;
$$;
comment on function private.shorten(text, integer) is
  'A text from outside in the form in which a message may quote it: cut after `longest` characters, with … at its end if it was longer.';
grant execute on function private.shorten(text, integer) to anon, authenticated, service_role;

create function private.fail(
  code text, message text, details jsonb default null, hint text default null, headers jsonb default '{}'
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_status constant integer := private.error_status(fail.code);
begin
  if v_status is null then
    perform private.fail('internal', format('The error code %s is unknown.', private.shorten(fail.code)));
  end if;
  -- PostgREST passes details on as text only; the Edge Functions turn that text back into JSON.
  raise sqlstate 'PGRST' using
    message = json_build_object(
      'code', fail.code, 'message', private.shorten(fail.message, 2000), 'details', fail.details::text,
      'hint', private.shorten(fail.hint, 2000)
    )::text,
    detail = json_build_object('status', v_status, 'headers', fail.headers)::text;
end;
$$;
comment on function private.fail(text, text, jsonb, text, jsonb) is
  'Raises an error that the caller sees: PostgREST answers with the status of the code, the body {code, message, details, hint}, and `headers`, an object of strings. types/errors.ts lists the codes. Source: PostgREST documentation, "Raise errors with HTTP status codes".';
grant execute on function private.fail(text, text, jsonb, text, jsonb) to anon, authenticated, service_role;

create function private.refuse_column(name text, message text)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('column_invalid', format('%s: %s.', refuse_column.name, refuse_column.message),
    jsonb_build_array(jsonb_build_object('path', refuse_column.name, 'message', refuse_column.message)));
  return false;
end;
$$;
comment on function private.refuse_column(text, text) is
  'Refuses a column''s value: 400 column_invalid. Check constraints end in `or private.refuse_column(…)`, so that clients are told what would be right and not only the name of the constraint. Volatile, so that no plan calls it beforehand.';
grant execute on function private.refuse_column(text, text) to authenticated, service_role;

create function private.refuse_faults(code text, faults jsonb, hint text default null)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if refuse_faults.faults <> '[]' then
    perform private.fail(refuse_faults.code,
      format('%s: %s.', refuse_faults.faults #>> '{0,path}', refuse_faults.faults #>> '{0,message}'), refuse_faults.faults, refuse_faults.hint);
  end if;
end;
$$;
comment on function private.refuse_faults(text, jsonb, text) is
  'Raises 400 with the faults, [{path, message}], if there are any: the first as message, all as details.';
