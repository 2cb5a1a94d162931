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
  status integer, code text, message text, details jsonb default null, hint text default null, headers jsonb default '{}'
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- PostgREST passes details on as text only; the Edge Functions turn that text back into JSON.
  raise sqlstate 'PGRST' using
    message = json_build_object(
      'code', fail.code, 'message', private.shorten(fail.message, 2000), 'details', fail.details::text,
      'hint', private.shorten(fail.hint, 2000)
    )::text,
    detail = json_build_object('status', fail.status, 'headers', fail.headers)::text;
end;
$$;
comment on function private.fail(integer, text, text, jsonb, text, jsonb) is
  'The one way to raise an error that a caller sees: PostgREST answers with `status`, the body {code, message, details, hint}, and `headers`, an object of strings. The codes are listed in types/errors.ts. Source: PostgREST documentation, "Raise errors with HTTP status codes".';
grant execute on function private.fail(integer, text, text, jsonb, text, jsonb) to anon, authenticated, service_role;
