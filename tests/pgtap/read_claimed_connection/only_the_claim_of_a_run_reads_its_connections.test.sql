select plan(14);

select test.create_user('owner');
select test.create_user('other');
select test.keep('id', test.create_connection(test.user_id('owner'), 'mail'));
select test.create_connection(test.user_id('owner'), 'unnamed');
select test.keep('other', test.create_connection(test.user_id('other'), 'mail'));
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  jsonb_build_array(test.node('h', 'http_request', '{body}', '{url}', '{"url": "https://api.example.com", "connection": "mail"}'))
));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.queued_claim(test.kept('deployment')::uuid);
select test.keep('started', public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id');
select test.sign_out();
select is(
  (select jsonb_agg(j.settings -> 'connections') from private.flow_run_jobs as j),
  jsonb_build_array(jsonb_build_object('mail', test.kept('id')), jsonb_build_object('mail', test.kept('id'))),
  'a run has the connections that its nodes name, also without a deployment'
);

create function pg_temp.reading(name text default 'mail', claim_number integer default 1, run text default 'run')
returns text language sql as $$
  select format('select public.read_claimed_connection(%L, %L)',
    jsonb_build_object('flow_run_id', test.kept(reading.run), 'claim_number', claim_number), name);
$$;
create function pg_temp.read(statement text) returns jsonb language plpgsql as $$
declare v_read jsonb;
begin
  execute statement into v_read;
  return v_read;
end;
$$;
grant execute on all functions in schema pg_temp to public;

select test.sign_in_as_role('service_role');
select is(
  pg_temp.read(pg_temp.reading()) - '{created_at,updated_at,last_used_at,last_tested_at,last_test_status}'::text[],
  jsonb_build_object(
    'id', test.kept('id'), 'user_id', test.user_id('owner'), 'name', 'mail', 'kind', 'bearer', 'hosts', '["api.example.com"]'::jsonb,
    'header', null, 'parameter', null, 'key_id', 'test', 'nonce', '\x' || repeat('01', 12), 'ciphertext', '\x' || repeat('02', 40),
    'token', null
  ), 'the claim gets the connection with its ciphertext'
);
select is(pg_temp.read(pg_temp.reading('unnamed')), null, 'a run can not read a connection that none of its nodes names');
select is(test.error_code(pg_temp.reading(claim_number => 2)), 'claim_lost', 'another claim can not read the connection');
select is(test.error_code(pg_temp.reading(run => 'started', claim_number => 1)), 'claim_lost', 'a claim that was never made reads no connection');
select is(pg_temp.read(pg_temp.reading(run => 'started', claim_number => 0)), null, 'a claim that is not held reads no connection');

select test.sign_out();
select is(c.last_used_at, now(), 'last_used_at is the time of the reading') from public.connections as c where c.id = test.kept('id')::uuid;
select is(c.updated_at, c.created_at, 'a reading does not change updated_at') from public.connections as c where c.id = test.kept('id')::uuid;
update public.connections set last_used_at = now() - interval '59 seconds' where true;
select pg_temp.read(pg_temp.reading());
select is(c.last_used_at, now() - interval '59 seconds', 'within a minute last_used_at is not written again')
from public.connections as c where c.id = test.kept('id')::uuid;
update public.connections set last_used_at = now() - interval '61 seconds' where true;
select pg_temp.read(pg_temp.reading());
select is(c.last_used_at, now(), 'after a minute last_used_at is written again') from public.connections as c where c.id = test.kept('id')::uuid;

update private.flow_run_jobs set settings = jsonb_set(settings, '{connections,mail}', to_jsonb(test.kept('other'))) where true;
select is(pg_temp.read(pg_temp.reading()), null, 'a connection of another user is none of the run''s');
update private.flow_run_jobs set settings = settings - 'connections' where true;
select is(pg_temp.read(pg_temp.reading()), null, 'a run without connections reads none');

select test.sign_in(test.user_id('owner'));
select is(test.error_code(pg_temp.reading()), '42501', 'the owner may not read the secret');
select test.sign_in_as_role('anon');
select is(test.error_code(pg_temp.reading()), '42501', 'anon may not read the secret');

select * from finish();
