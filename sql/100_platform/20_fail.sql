create function private.shorten(value text, longest integer default 100)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select case when length(shorten.value) > shorten.longest then left(shorten.value, shorten.longest) || '…'
    else shorten.value end;
$$;
comment on function private.shorten(text, integer) is
  'Shortens a text that a client sent, so that a message can quote it. If the text has more than `longest` characters, the rest is replaced by an ellipsis.';
grant execute on function private.shorten(text, integer) to anon, authenticated, service_role;

create function private.size_text(bytes bigint)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select case
    when size_text.bytes % 1048576 = 0 then size_text.bytes / 1048576 || ' MiB'
    when size_text.bytes % 1024 = 0 then size_text.bytes / 1024 || ' KiB'
    else size_text.bytes || ' bytes'
  end;
$$;
comment on function private.size_text(bigint) is
  'The text for a number of bytes in error messages, such as 16 MiB for 16777216.';
grant execute on function private.size_text(bigint) to authenticated, service_role;

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
  -- PostgREST accepts details only as a text. The Edge Functions turn this text back into JSON.
  raise sqlstate 'PGRST' using
    message = json_build_object(
      'code', fail.code, 'message', private.shorten(fail.message, 2000), 'details', fail.details::text,
      'hint', private.shorten(fail.hint, 2000)
    )::text,
    detail = json_build_object('status', v_status, 'headers', fail.headers)::text;
end;
$$;
comment on function private.fail(text, text, jsonb, text, jsonb) is
  'Raises an error for the client. PostgREST answers with the HTTP status of the code, the response headers in `headers`, and the body {code, message, details, hint}. types/errors.ts lists the codes. Source: PostgREST documentation, "Raise errors with HTTP status codes".';
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
  'Refuses a column''s value: 400 column_invalid. Check constraints end in `or private.refuse_column(…)`, so that the client learns which values are valid. The function is volatile. If it were immutable, the planner could call it in advance, and valid values would be refused.';
grant execute on function private.refuse_column(text, text) to authenticated, service_role;

create function private.refuse_faults(code text, faults jsonb, hint text default null)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if refuse_faults.faults <> '[]' then
    perform private.fail(refuse_faults.code,
      format('%s: %s.', refuse_faults.faults #>> '{0,path}', refuse_faults.faults #>> '{0,message}'),
      refuse_faults.faults, refuse_faults.hint);
  end if;
end;
$$;
comment on function private.refuse_faults(text, jsonb, text) is
  'Raises the error `code` if `faults`, [{path, message}], is not empty. The first fault becomes the message of the error; details list all faults.';

create function private.error_line(state text, message text)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select case
    when error_line.state = 'PGRST'
      then concat(error_line.message::jsonb ->> 'code', ': ', error_line.message::jsonb ->> 'message')
    else concat('internal: ', error_line.state, ' ', private.shorten(error_line.message, 2000))
  end;
$$;
comment on function private.error_line(text, text) is
  'The line "<code>: <message>" for the SQLSTATE and the message of an error that was caught.';
