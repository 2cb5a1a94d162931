select plan(6);

-- PostgREST makes its response from this error: the body from the message, the status and headers from the detail.
create function pg_temp.raised(statement text) returns table (code text, message jsonb, detail jsonb) language plpgsql as $$
declare
  v_detail text;
begin
  execute statement;
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  return query select sqlstate, sqlerrm::jsonb, v_detail::jsonb;
end;
$$;

create temporary table refused as
select * from pg_temp.raised($$ select private.fail('run_not_ended', 'The run goes on.') $$);
select is(code, 'PGRST', 'PostgREST takes the form of the error over') from refused;
select is(message, '{"code": "run_not_ended", "message": "The run goes on.", "details": null, "hint": null}', 'the message is the body')
from refused;
select is(detail, '{"status": 409, "headers": {}}', 'the status is that of the code') from refused;
select is(detail, '{"status": 429, "headers": {"Retry-After": "5"}}', 'the detail has the headers')
from pg_temp.raised($$ select private.fail('queue_full', 'Wait.', headers => '{"Retry-After": "5"}') $$);
select is(
  message, '{"code": "internal", "message": "\"quoted\" {}", "details": "[{\"path\": \"a\"}]", "hint": "Tip it"}',
  'details are JSON as text, because PostgREST 12 passes on only text'
)
from pg_temp.raised($$ select private.fail('internal', '"quoted" {}', '[{"path": "a"}]', 'Tip it') $$);
select is(
  jsonb_build_array(message -> 'code', message -> 'message', detail -> 'status'),
  '["internal", "The error code pot_is_tea is unknown.", 500]', 'an unknown code is an internal error'
)
from pg_temp.raised($$ select private.fail('pot_is_tea', 'Short and stout.') $$);

select * from finish();
