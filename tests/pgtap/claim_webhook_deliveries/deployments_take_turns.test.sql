select plan(5);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy_telling());
select test.sign_out();
create function pg_temp.queue(name text, count integer, own boolean default true) returns void language sql volatile as $$
  select test.queue_webhooks(test.user_id('owner'), queue.count, 'https://' || queue.name || '.example', queue.own, test.kept(queue.name)::uuid);
$$;
create function pg_temp.claim(max_deliveries integer) returns setof text language sql volatile as $$
  select substr(c.url, 9, 1) from public.claim_webhook_deliveries(claim.max_deliveries, 60) as c;
$$;
create function pg_temp.deliver_all() returns void language sql volatile as $$
  select public.store_webhook_attempt(d.id, d.attempts, 200) from public.webhook_deliveries as d where d.is_held;
$$;
select test.keep(name, uuid) from (values
  ('a', '00000000-0000-7000-8000-00000000000a'), ('b', '00000000-0000-7000-8000-00000000000b'), ('c', '00000000-0000-7000-8000-00000000000c')
) as v (name, uuid);

select pg_temp.queue('a', 1000);
select pg_temp.queue('b', 3);
select pg_temp.queue('c', 1);
select results_eq('select * from pg_temp.claim(100)', '{a,b,c,a}'::text[], 'each deployment gets one post, then the first deployment again');
select pg_temp.deliver_all();
select results_eq('select * from pg_temp.claim(100)', '{b,a,b,a}'::text[], 'the next claim continues after the last turn');
select pg_temp.deliver_all();
select pg_temp.queue('b', 2);
select is(array(select (select string_agg(c, '') from pg_temp.claim(1 + 0 * n) as c) from generate_series(1, 4) as n), '{b,a,b,a}'::text[], 'the turns are the same if each claim has room for only one post');
select pg_temp.deliver_all();

delete from public.webhook_deliveries where true;
select pg_temp.queue('a', 100, false);
select is((select count(*) from pg_temp.claim(100)), 3::bigint, 'messages about runs that others started leave one post free');
select pg_temp.queue('b', 1);
select is(array(select pg_temp.claim(100)), '{b}', 'a message about a run of the owner takes the free post');

select * from finish();
