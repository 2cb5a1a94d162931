select plan(12);

-- Makes a request with this Prefer header in this role, and returns the code of the error.
create function pg_temp.code_of(prefer text, as_role text) returns text language plpgsql as $$
begin
  perform set_config('request.headers', json_build_object('prefer', prefer, 'accept', '*/*')::text, true);
  perform set_config('role', as_role, true);
  perform private.pre_request();
  perform test.sign_out();
  return null;
exception when sqlstate 'PGRST' then
  return sqlerrm::json ->> 'code';
end;
$$;

select is(pg_temp.code_of(prefer, role), 'count_inexact', format('%s asks for %s', role, prefer))
from unnest(array['anon', 'authenticated']) as role,
  unnest(array['count=planned', 'count=estimated', 'return=minimal, count=planned', 'count=estimated,tx=commit']) as prefer;
select is(pg_temp.code_of('count=exact', 'authenticated'), null, 'an exact count is accepted');
select is(pg_temp.code_of('return=representation', 'anon'), null, 'other preferences are accepted');
select is(pg_temp.code_of('count=planned', 'service_role'), null, 'the service role may ask for a planned count, because it sees every row');
select set_config('request.headers', '', true);
select lives_ok('select private.pre_request()', 'a call without headers is accepted');

select * from finish();
