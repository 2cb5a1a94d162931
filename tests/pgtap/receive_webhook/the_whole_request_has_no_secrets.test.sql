select plan(15);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('request')));
select test.deploy(test.kept('flow')::integer);
select test.keep(verification, right(public.create_webhook(
  'request', test.kept('flow')::integer, whole_request => true,
  verification => nullif(verification, 'none'), secret => case when verification <> 'none' then 'a secret' end,
  hmac => case when verification = 'hmac' then '{"header": "X-Proof"}'::jsonb end
) ->> 'url', 46)) from unnest('{none,hmac}'::text[]) as verification;
select test.keep('plain', right(public.create_webhook('request', test.kept('flow')::integer) ->> 'url', 46));
select test.keep('responds', right(public.create_webhook('request', test.kept('flow')::integer, respond => true) ->> 'url', 46));
select test.sign_out();

create function pg_temp.answer(name text, headers jsonb default '{}', query text default '') returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_answer jsonb;
begin
  perform test.sign_in_as_role('anon');
  perform set_config('response.status', '', true), set_config('response.headers', '', true);
  v_answer := public.receive_webhook(test.kept(answer.name), '{}', answer.headers, answer.query);
  perform test.sign_out();
  return v_answer;
end;
$$;
-- The run is inserted by a function of the same statement, so read it in another one.
select test.keep('run', pg_temp.answer('none', '{"accept": "text/html", "x-event": "push"}', 'a=b%20c&d=&apikey=key') ->> 'flow_run_id');
select is(inputs #> '{M,request}', '{"M": {
  "body": {"M": {}}, "headers": {"M": {"accept": {"S": "text/html"}, "x-event": {"S": "push"}}},
  "query": {"M": {"a": {"S": "b c"}, "d": {"S": ""}}}, "method": {"S": "POST"}}}', 'the input gets the whole request, without the project''s key')
from public.flow_run where id = test.kept('run')::uuid;

select test.keep('run', pg_temp.answer('none', jsonb_object_agg(name, 'x') || '{"kept": "x"}') ->> 'flow_run_id')
from unnest('{authorization,proxy-authorization,www-authenticate,cookie,apikey,x-api-key,x-apikey,x-gitlab-token,stripe-signature,webhook-signature,svix-signature,x-hub-signature-256,x-shopify-hmac-sha256,x-client-secret,x-password,x-jwt-assertion}'::text[]) as name;
select is(inputs #> '{M,request,M,headers}', '{"M": {"kept": {"S": "x"}}}', 'headers of credentials and signatures are left out')
from public.flow_run where id = test.kept('run')::uuid;

select test.keep('run', pg_temp.answer('hmac', jsonb_build_object('x-proof', encode(extensions.hmac('{}', 'a secret', 'sha256'), 'hex'), 'x-other', '1')) ->> 'flow_run_id');
select is(inputs #> '{M,request,M,headers}', '{"M": {"x-other": {"S": "1"}}}', 'the header that hmac names is left out')
from public.flow_run where id = test.kept('run')::uuid;

select is(pg_temp.answer('none', query => query) ->> 'message', message, query)
from (values
  ('a=1&a=2', 'The query has two fields with the same name.'), ('a=%ff', 'The query is not UTF-8.'),
  ('a=%00', 'The query holds NUL (%00), which can''t be stored.'), (repeat('a&', 2000), 'The query has more than 1000 fields.')
) as c (query, message);
select is(test.error(format('select public.receive_webhook(%L, %L, %L, %L)', test.kept('none'), '{}', '{}', repeat('x', 32769))) ->> 'message',
  'query: must have at most 32 KiB.', 'a long query is refused') from test.sign_in_as_role('anon');
select test.sign_out();

select is(pg_temp.answer('plain', query => 'a=1&a=2') ? 'flow_run_id', true, 'other webhooks ignore the query');
select is(pg_temp.answer('plain') ? 'respond', false, 'most webhooks do not respond');
select is(pg_temp.answer('responds') -> 'respond', 'true', 'the route is told to wait');
select is(pg_temp.answer('responds', '{"webhook-id": "1"}'), pg_temp.answer('responds', '{"webhook-id": "1"}'), 'a repeated delivery gets the same run');

select test.sign_in(test.user_id('owner'));
update public.flow_webhooks set whole_request = true where prefix = left(test.kept('plain'), 10);
select is(whole_request, true, 'the owner can change it') from public.flow_webhooks where prefix = left(test.kept('plain'), 10);
select test.sign_out();
select test.keep('run', pg_temp.answer('plain') ->> 'flow_run_id');
select is(inputs #> '{M,request,M,query}', '{"M": {}}', 'the next request is passed as a whole') from public.flow_run where id = test.kept('run')::uuid;
select is(array(select private.is_secret_header(name) from unnest('{accept,content-type,user-agent,x-github-event,host,x-forwarded-for}'::text[]) as name),
  array_fill(false, '{6}'), 'other headers are passed on');

select * from finish();
