select plan(9);

select test.create_user(name) from unnest('{owner,other}'::text[]) as name;
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
create function pg_temp.rotate() returns text
language sql volatile
as $$ select public.rotate_on_end_secret(test.kept('flow')::integer) ->> 'secret' $$;
-- Returns whether the signature header consists of one signature by each of these secrets, in this order.
create function pg_temp.signed_by(variadic secrets text[]) returns boolean
language sql volatile
as $$
  select private.webhook_signature('a.1.{}', test.kept('flow')::integer) = (
    select string_agg('v1,' || encode(extensions.hmac('a.1.{}', decode(substr(s.secret, 7), 'base64'), 'sha256'), 'base64'), ' ' order by s.position)
    from unnest(signed_by.secrets) with ordinality as s (secret, position)
  );
$$;

select test.keep('first', pg_temp.rotate());
select is(test.kept('first') ~ '^whsec_[A-Za-z0-9+/]{43}=$', true, 'the secret is 32 bytes, as Standard Webhooks writes it');
select test.sign_out();
select is(pg_temp.signed_by(test.kept('first')), true, 'before a rotation, only the first secret signs');
select test.sign_in(test.user_id('owner'));
select test.keep('second', pg_temp.rotate());
select test.sign_out();
select isnt(test.kept('second'), test.kept('first'), 'a rotation makes another secret');
select is(pg_temp.signed_by(test.kept('second'), test.kept('first')), true, 'after a rotation, both secrets sign');
update private.on_end_secrets set previous_until = clock_timestamp() where true;
select is(pg_temp.signed_by(test.kept('second')), true, 'after a day, messages are signed only with the newer secret');

select test.sign_in(test.user_id('other'));
select is(test.error_code(format('select public.rotate_on_end_secret(%s)', test.kept('flow'))), 'flow_not_found', 'another user can not rotate the secret');
select is(test.error_code('select * from private.on_end_secrets'), '42501', 'users can not read the secret');
select test.sign_in_as_role('service_role');
select is(test.error_code('select * from private.on_end_secrets'), '42501', 'the service role can not read the secret');
select test.sign_in_as_role('anon');
select is(test.error_code(format('select public.rotate_on_end_secret(%s)', test.kept('flow'))), 'unauthenticated', 'a caller who is not signed in can not rotate the secret');

select * from finish();
