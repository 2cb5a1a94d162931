select plan(20);

select test.create_user('owner');
select test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('push')));
select test.deploy(test.kept('flow')::integer);
select test.keep('token', right(public.create_webhook('push', test.kept('flow')::integer) ->> 'url', 46));
select test.sign_in_as_role('anon');

select test.keep('refusal', test.error($$ select public.receive_webhook('fh_unknown', '{}') $$)::text);
select is(test.kept('refusal')::jsonb, '{"code": "webhook_not_found", "status": 404, "message": "There is no such webhook.", "details": null, "hint": null}', 'an unknown token is refused');
create function pg_temp.refusal() returns jsonb language plpgsql volatile set search_path = '' as $$
begin
  perform test.sign_in_as_role('anon');
  return test.error(format('select public.receive_webhook(%L, %L)', test.kept('token'), '{}'));
end;
$$;
-- webhook_owners must also return no owner for a token that receive_webhook answers with 404.
create function pg_temp.owners() returns uuid[] language plpgsql volatile set search_path = '' as $$
begin
  perform test.sign_in_as_role('service_role');
  return public.webhook_owners(array['fh_unknown', test.kept('token'), null]);
end;
$$;
select is(pg_temp.owners(), array[null, test.user_id('owner'), null], 'the Edge Function learns the owner of a valid token only');
select test.sign_in_as_role('anon');
select is(test.error_code($$ select public.webhook_owners('{}') $$), '42501', 'other roles may not call webhook_owners');
select is(test.error($$ select public.receive_webhook(null, null, null) $$), test.kept('refusal')::jsonb, 'a null token gets the same refusal');
select is(test.error(format('select public.receive_webhook(%L, %L)', 'fr_' || repeat('a', 64), '{}')), test.kept('refusal')::jsonb, 'a run token gets the same refusal');
select is(test.error(format('select public.receive_webhook(%L, %L)', upper(test.kept('token')), '{}')), test.kept('refusal')::jsonb, 'a token in upper case gets the same refusal');

select test.sign_out();
update public.flow_webhooks set is_active = false where true;
select is(pg_temp.refusal(), test.kept('refusal')::jsonb, 'a webhook that is not active gets the same refusal');
select is(pg_temp.owners(), array_fill(null::uuid, '{3}'), 'a webhook that is not active has no owner');
select test.sign_out();
update public.flow_webhooks set is_active = true where true;
update auth.users set banned_until = now() + interval '1 hour' where id = test.user_id('owner');
select is(pg_temp.refusal(), test.kept('refusal')::jsonb, 'a webhook of a banned user gets the same refusal');
select is(pg_temp.owners(), array_fill(null::uuid, '{3}'), 'a webhook of a banned user has no owner');
select test.sign_out();
update auth.users set banned_until = null, deleted_at = now() where id = test.user_id('owner');
select is(pg_temp.refusal(), test.kept('refusal')::jsonb, 'a webhook of a softly deleted user is refused in the same way');
select is(pg_temp.owners(), array_fill(null::uuid, '{3}'), 'a webhook of a softly deleted user has no owner');
select test.sign_out();
update auth.users set deleted_at = null where id = test.user_id('owner');
select is(public.receive_webhook(test.kept('token'), '{}') ? 'flow_run_id', true, 'a request with a valid token succeeds') from test.sign_in_as_role('anon');

select is(test.error(format('select public.receive_webhook(%L, %L, %L)', test.kept('token'), '{}', headers)) ->> 'message',
  'headers: must be an object of strings, of at most 32 KiB.', 'invalid headers are refused: ' || left(headers, 20))
from unnest(array['[]', '{"a": 1}', jsonb_build_object('a', repeat('x', 33000))::text]) as headers;

select test.sign_in(test.user_id('owner'));
delete from public.flow_webhooks where true;
select is(pg_temp.refusal(), test.kept('refusal')::jsonb, 'a deleted webhook gets the same refusal');
select is(pg_temp.owners(), array_fill(null::uuid, '{3}'), 'a deleted webhook has no owner');
select test.sign_in_as_role('anon');
select is(test.error_code('select public.create_webhook(''a'', 1)'), 'unauthenticated', 'anon can not make a webhook');
select test.sign_in(test.user_id('other'));
select is(test.error_code(format('select public.create_webhook(''push'', %s)', test.kept('flow'))), 'flow_not_found', 'a user can not make a webhook for a flow of another user');

select * from finish();
