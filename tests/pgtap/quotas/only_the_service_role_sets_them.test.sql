select plan(9);

select test.create_user('owner');
select test.sign_in_as_role('service_role');
select is(q.value, 1000::bigint, 'a quota has a default') from public.quotas() as q where q.name = 'flows';
select public.set_quota('flows', 7);
select is(to_jsonb(q), '{"name": "flows", "value": 7, "default_value": 1000}', 'a quota can be set') from public.quotas() as q where q.name = 'flows';
select public.set_quota('flows', null);
select is(q.value, 1000::bigint, 'a quota can be set back to its default') from public.quotas() as q where q.name = 'flows';
select is(test.error_code($$ select public.set_quota('nonsense', 1) $$), 'request_invalid', 'an unknown quota is refused');
select is(test.error_code($$ select public.set_quota(null, 1) $$), 'request_invalid', 'a null name is refused');
select is(test.error_code($$ select public.set_quota('flows', -1) $$), 'request_invalid', 'a quota may not be negative');

select test.sign_in(test.user_id('owner'));
select is(test.error_code($$ select public.set_quota('flows', 1000000) $$), '42501', 'users may not set quotas');
select is(test.error_code($$ select public.quotas() $$), '42501', 'users may not read quotas');
select test.sign_in_as_role('anon');
select is(test.error_code($$ select public.set_quota('flows', 1000000) $$), '42501', 'anon may not set quotas');

select * from finish();
