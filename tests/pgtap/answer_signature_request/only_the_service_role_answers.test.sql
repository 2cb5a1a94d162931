-- Only the service role may answer: this function can't verify a signature, so its caller could store any text as one.
select plan(4);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));
select test.ask(test.kept('run')::uuid, test.request());
select test.keep('request', id) from public.signature_requests;
select test.keep('statement', format('select public.answer_signature_request(%L, %L)', test.kept('request'), repeat('1', 64)));

select test.sign_in(test.user_id('owner'));
select is(test.error_code(test.kept('statement')), '42501', 'the owner may not call the function');
select test.sign_in_as_role('anon');
select is(test.error_code(test.kept('statement')), '42501', 'anon may not call the function');
select test.sign_in_as_role('service_role');
select is(test.error_code(test.kept('statement')), null, 'the service role may call the function');
select is(count(*), 1::bigint, 'one request is answered') from public.signature_requests where signature is not null;

select * from finish();
