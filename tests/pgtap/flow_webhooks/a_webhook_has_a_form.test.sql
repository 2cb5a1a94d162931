select plan(48);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('push', 'pull')));
select test.deploy(test.kept('flow')::integer);

create function pg_temp.refusal(arguments text) returns text language sql volatile set search_path = '' as $$
  select test.error(format('select public.create_webhook(%s)', replace(arguments, 'FLOW', 'flow => ' || test.kept('flow')))) ->> 'message';
$$;
select is(pg_temp.refusal($$ 'push' $$), 'flow: give either flow, with an optional tag, or deployment_id.', 'a webhook needs a flow or a deployment');
select is(pg_temp.refusal($$ 'push', FLOW, tag => 'a b' $$) like 'tag: must be 1 to 128 letters%', true, 'an invalid tag is refused');
select is(pg_temp.refusal($$ null, FLOW $$), 'input: must not be null.', 'a null input is refused');
select is(pg_temp.refusal($$ repeat('x', 257), FLOW $$), 'input: must be the name of an input, at most 256 characters.', 'the name of the input may have at most 256 characters');
select is(pg_temp.refusal($$ 'push', FLOW, verification => 'md5' $$),
  'verification: must be standard_webhooks, github, stripe, hmac, authorization or null.', 'an unknown verification is refused');
select matches(pg_temp.refusal(format($$ 'push', FLOW, headers => %L $$, headers)), '^headers: must be at most 20 different header names', headers)
from unnest('{"{Authorization}","{cookie}","{x-api-key}","{a,A}","{\"a b\"}","{NULL}","{\"\"}","{ä}"}'::text[]) as headers;
select matches(pg_temp.refusal(format($$ 'push', FLOW, headers => %L $$, array(select 'h' || n from generate_series(1, 21) as n))), '^headers: ', 'too many headers are refused');
select is(pg_temp.refusal($$ 'push', FLOW, headers => '{a}', whole_request => true $$),
  'headers: must be empty if whole_request is true, because the input then gets all headers.', 'a webhook that passes the whole request names no headers');
select is(pg_temp.refusal($$ 'push', FLOW, secret => 'a secret' $$), 'secret: must be null if verification is null.', 'a secret without a verification is refused');
select is(pg_temp.refusal(format($$ 'push', FLOW, verification => 'standard_webhooks', secret => %L $$, secret)),
  'secret: must be whsec_ and the base64 of 24 to 64 bytes.', left(secret, 20))
from unnest(array['', 'whsec_', 'whsec_abc', 'whsec_c2hvcnQ=', 'whsec_' || encode(repeat('x', 65)::bytea, 'base64')]) as secret;
select is(pg_temp.refusal(format($$ 'push', FLOW, verification => 'github', secret => %L $$, secret)), 'secret: must have 8 to 1000 characters.', left(secret, 20))
from unnest(array['short', repeat('x', 1001)]) as secret;
select matches(pg_temp.refusal(format($$ 'push', FLOW, verification => 'hmac', secret => 'a secret', hmac => %L $$, hmac)), '^hmac: must be \{header, ', hmac)
from unnest(array[
  null, '{}', '[]', '"x"', '{"header": "a b"}', '{"header": null}', '{"header": "x", "algorithm": "md5"}', '{"header": "x", "encoding": "base32"}',
  '{"header": "x", "prefix": "\n"}', '{"header": "x", "prefix": null}', '{"header": "x", "id_header": ""}', '{"header": "x", "other": "y"}'
]) as hmac;
select matches(pg_temp.refusal($$ 'push', FLOW, verification => 'github', hmac => '{"header": "x"}' $$), '^hmac: must be .* otherwise null', 'hmac is refused for other verifications');
select is(public.create_webhook('push', test.kept('flow')::integer, verification => 'hmac', hmac => '{"header": "X-Vercel-Signature", "algorithm": "sha1"}') -> 'hmac',
  '{"header": "x-vercel-signature", "algorithm": "sha1", "encoding": "hex", "prefix": "", "id_header": null}', 'how the sender signs, with defaults');
select matches(pg_temp.refusal($$ 'push', FLOW, verification => 'authorization', secret => ' begins with a space' $$), '^secret: must be the whole value', 'an invalid Authorization header is refused as a secret');

select is(
  public.set_webhook_verification(
    (public.create_webhook('push', test.kept('flow')::integer) ->> 'id')::uuid, 'hmac', hmac => '{"header": "X-Shopify-Hmac-Sha256", "encoding": "base64"}'
  ) -> 'hmac',
  '{"header": "x-shopify-hmac-sha256", "algorithm": "sha256", "encoding": "base64", "prefix": "", "id_header": null}', 'hmac gets the same defaults if it is set later'
);

select test.keep('made', public.create_webhook('push', test.kept('flow')::integer, headers => '{X-GitHub-Event}'));
select is(test.kept('made')::jsonb - '{id,url,prefix,flow,created_at,updated_at}'::text[], '{
  "tag": "latest", "deployment_id": null, "input": "push", "headers": ["x-github-event"], "verification": null, "hmac": null, "whole_request": false, "respond": false, "is_active": true,
  "last_start_at": null, "last_flow_run_id": null, "last_error": null}', 'a new webhook has these defaults');
select matches(test.kept('made')::jsonb ->> 'url', '^/functions/v1/deployment/hook/fh_[A-Za-z0-9_-]{43}$', 'the URL of the webhook has its token');
select set_config('request.headers', '{"host": "127.0.0.1:54321"}', true);
select matches(public.create_webhook('push', test.kept('flow')::integer) ->> 'url', '^http://127\.0\.0\.1:54321/functions/v1/', 'the URL begins with the address of the request');
select set_config('request.headers', '{"host": "a/b", "x-forwarded-proto": "javascript"}', true);
select matches(public.create_webhook('push', test.kept('flow')::integer) ->> 'url', '^/functions/v1/', 'without a known project address the URL is only a path');
select test.sign_out();
select test.create_vault();
select vault.create_secret('https://project.supabase.co/', 'project_url');
select test.sign_in(test.user_id('owner'));
select matches(public.create_webhook('push', test.kept('flow')::integer) ->> 'url', '^https://project\.supabase\.co/functions/v1/', 'the URL begins with the address in Vault');

select is(
  array(select test.error_code(format('update public.flow_webhooks set %s where true', change)) from unnest(
    '{"verification = ''github''",hmac = jsonb_build_array(),"prefix = ''fh_bbbbbbb''",last_start_at = now(),last_flow_run_id = id,last_error = ''x'',id = gen_random_uuid(),created_at = ''epoch''}'::text[]
  ) as change), array_fill('column_read_only'::text, '{8}'), 'clients can not write columns that only the system writes'
);
select is(test.error(format('update public.flow_webhooks set %s = null where true', name)) ->> 'message', name || ': must not be null.', name)
from unnest('{whole_request,respond}'::text[]) as name;
update public.flow_webhooks set is_active = false, input = 'pull', headers = '{}', whole_request = true, respond = true where true;
select is(array_agg(distinct input), '{pull}', 'the owner can change the other columns') from public.flow_webhooks;

select * from finish();
