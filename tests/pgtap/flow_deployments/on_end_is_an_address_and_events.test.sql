select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
create function pg_temp.faults(on_end text) returns text
language sql volatile
as $$
  select e.error ->> 'code' || ' ' || (select string_agg(f ->> 'path', ' ') from jsonb_array_elements(e.error -> 'details') as f)
  from test.error(format('update public.flow_deployments set on_end = %L where id = %L', faults.on_end, test.kept('deployment'))) as e (error);
$$;

select is((select d.on_end from public.flow_deployments as d), null, 'a new deployment has no on_end');
select results_eq(
  $$ select pg_temp.faults(on_end) from unnest(array[
    '{"url": "https://example.com/hook?a=b", "events": ["failed"]}', '{"url": "http://[::1]:8080", "events": ["succeeded", "failed", "stopped", "signature_request"]}',
    'null'
  ]) as o (on_end) where on_end <> 'null' $$,
  $$ values (null::text), (null) $$, 'an http or https address and any of the events'
);
select results_eq(
  $$ select pg_temp.faults(on_end) from unnest(array[
    '1', 'null', '[]', '{}', '{"url": 1, "events": "failed"}', '{"url": "ftp://example.com", "events": []}',
    '{"url": "https://a b", "events": ["failed", "failed"]}', '{"url": "https://example.com", "events": ["ended"]}',
    '{"url": "https://example.com", "events": [["failed"]]}', '{"url": "https://example.com", "events": ["failed"], "secret": "a"}',
    jsonb_build_object('url', 'https://example.com/' || repeat('a', 2029), 'events', '["failed"]'::jsonb)::text
  ]) as o (on_end) $$,
  $$ values ('on_end_invalid on_end'), ('on_end_invalid on_end'), ('on_end_invalid on_end'), ('on_end_invalid on_end.url on_end.events'),
    ('on_end_invalid on_end.url on_end.events'), ('on_end_invalid on_end.url on_end.events'), ('on_end_invalid on_end.url on_end.events'),
    ('on_end_invalid on_end.events'), ('on_end_invalid on_end.events'), ('on_end_invalid on_end.secret'), ('on_end_invalid on_end.url') $$,
  'any other value is refused, and the error names the place'
);
select is(
  test.error(format($$ update public.flow_deployments set on_end = '{"url": "https://example.com", "events": ["ended"]}' where id = %L $$, test.kept('deployment')))
    ->> 'message',
  'on_end.events: must be a list of one or more of succeeded, failed, stopped and signature_request, each at most once.',
  'the error describes valid events'
);
select lives_ok(format('update public.flow_deployments set on_end = null where id = %L', test.kept('deployment')), 'null removes on_end');

select test.sign_out();
alter table public.flow_deployments disable trigger user;
select throws_ok(
  $$ update public.flow_deployments set on_end = '{"url": "ftp://a", "events": ["failed"]}' where true $$, '23514', null, 'the constraint holds without the trigger'
);

select * from finish();
