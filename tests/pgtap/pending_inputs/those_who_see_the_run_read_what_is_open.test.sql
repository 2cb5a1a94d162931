select plan(16);

select test.create_user(name) from unnest('{owner,starter,other}'::text[]) as name;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
update public.flow_deployments set start_permission = 'Authenticated' where id = test.kept('deployment')::uuid;
select test.sign_in(test.user_id('starter'));
select test.queued_claim(test.kept('deployment')::uuid);
select test.sign_in(test.user_id('owner'));
select test.queued_claim(test.kept('deployment')::uuid, 'own');
select test.sign_out();

select test.keep('child', gen_random_uuid());
select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(
  test.kept('run')::uuid, children => jsonb_build_array(test.child(test.kept('child')::uuid, test.kept('run')::uuid, 7))
));
select test.ask_input(test.kept('run')::uuid, 'root');
select test.ask_input(test.kept('run')::uuid, 'called', run_id => test.kept('child')::uuid);
select test.ask_input(test.kept('run')::uuid, 'late', timeout_ms => -3600000);
select test.ask_input(test.kept('own')::uuid, 'own');
select test.keep('own_token', private.run_token(test.kept('own')::uuid));

create view pg_temp.urls with (security_invoker = true) as select array_agg(split_part(p.url, '/', 6) order by p.id) as names from public.pending_inputs as p;
grant select on pg_temp.urls to public;

select test.sign_in(test.user_id('owner'));
select is(names, '{root,called,own}', 'the owner reads open inputs, also those of called runs') from pg_temp.urls;
select test.sign_in(test.user_id('starter'));
select is(names, '{root,called}', 'the starter reads what their run waits for') from pg_temp.urls;
select test.sign_in(test.user_id('other'));
select is(names, null, 'another user reads nothing') from pg_temp.urls;
select set_config('request.headers', json_build_object('x-flow-run-token', test.kept('own_token'))::text, true);
select is(names, '{own}', 'another user with a run token reads what that run waits for') from pg_temp.urls;
select test.sign_in_as_role('anon');
select is(names, '{own}', 'anon with the token reads the inputs of the run') from pg_temp.urls;
select set_config('request.headers', '{}', true);
select is(names, null, 'anon without a token reads nothing') from pg_temp.urls;

select test.sign_in(test.user_id('owner'));
select is(test.error_code('insert into public.pending_inputs default values'), '42501', 'the owner may not insert inputs');
select is(test.error_code('update public.pending_inputs set url = null where true'), '42501', 'the owner may not change inputs');
select is(test.error_code('delete from public.pending_inputs where true'), '42501', 'the owner may not delete inputs');
select is(test.error_code('select from private.api_inputs'), '42501', 'the owner may not read outcomes');
select is(
  test.error_code($$ select public.submit_input('root', '{"S": "a"}') $$), '42501',
  'users may not call submit_input, because the Edge Function checks the ranges of numbers'
);
select is(test.error_code($$ select public.cancel_input('root') $$), '42501', 'users may not call cancel_input');
select is(
  test.error_code(format('select public.take_api_inputs(%L, 1, %L)', test.kept('own'), '[]')), '42501', 'users may not call take_api_inputs'
);

select test.sign_out();
delete from auth.users where id = test.user_id('starter');
select is(
  (select array_agg(started_by) from public.pending_inputs where root_flow_run_id = test.kept('run')::uuid), '{null,null,null}',
  'a deleted starter is removed from the input'
);
delete from public.flow_run where id = test.kept('run')::uuid;
select is(count(*), 1::bigint, 'pending inputs are deleted with their run') from public.pending_inputs;
select is(count(*), 1::bigint, 'outcomes are deleted with their run') from private.api_inputs;

select * from finish();
