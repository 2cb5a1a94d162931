select plan(5);

-- What PostgREST reads: the message is the body, the detail is status and headers.
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

select is(code, 'PGRST', 'an error is raised in the form that PostgREST takes over')
from pg_temp.raised($$ select private.fail(418, 'pot_is_tea', 'Short and stout.') $$);
select is(message, '{"code": "pot_is_tea", "message": "Short and stout.", "details": null, "hint": null}', 'its message is the body')
from pg_temp.raised($$ select private.fail(418, 'pot_is_tea', 'Short and stout.') $$);
select is(detail, '{"status": 418, "headers": {}}', 'its detail holds the status')
from pg_temp.raised($$ select private.fail(418, 'pot_is_tea', 'Short and stout.') $$);
select is(detail, '{"status": 429, "headers": {"Retry-After": "5"}}', 'and the headers')
from pg_temp.raised($$ select private.fail(429, 'pot_is_hot', 'Wait.', headers => '{"Retry-After": "5"}') $$);
select is(
  message, '{"code": "c", "message": "\"quoted\" {}", "details": "[{\"path\": \"a\"}]", "hint": "Tip it"}',
  'details are JSON as text, since PostgREST 12 carries nothing else'
)
from pg_temp.raised($$ select private.fail(400, 'c', '"quoted" {}', '[{"path": "a"}]', 'Tip it') $$);

select * from finish();
