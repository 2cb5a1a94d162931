select plan(5);

select test.create_user(name) from unnest('{a,b,c}'::text[]) as name;
select test.claimed_run(test.user_id(name)) from unnest('{a,b,c}'::text[]) as name;
select test.queue_webhooks(test.user_id(name), 9) from unnest('{a,b,c}'::text[]) as name;
create function pg_temp.claim(max_deliveries integer) returns table (name text, count bigint)
language sql volatile
as $$
  select left(u.email, 1), count(*) from public.claim_webhook_deliveries(claim.max_deliveries, 60) as c
  join public.webhook_deliveries as d on d.id = c.id join auth.users as u on u.id = d.user_id group by 1 order by 1;
$$;

select results_eq('select * from pg_temp.claim(100)', $$ values ('a', 4::bigint), ('b', 4), ('c', 4) $$, 'each owner has at most four posts under way');
select is_empty('select * from pg_temp.claim(100)', 'while four posts are under way, an owner gets no more');
update public.webhook_deliveries set is_held = false, next_attempt_at = now() + interval '1 day' where is_held and user_id = test.user_id('b');
select results_eq('select * from pg_temp.claim(100)', $$ values ('b', 4::bigint) $$, 'an owner whose posts were answered gets more');
update public.webhook_deliveries set is_held = false, next_attempt_at = now() where true;
select is(
  (select count(distinct name) from (select c.name from generate_series(1, 3) as g cross join lateral (select * from pg_temp.claim(1 + 0 * g)) as c) as turns),
  3::bigint, 'if a claim has room for one, owners take turns'
);
update public.webhook_deliveries set status = 'failed', next_attempt_at = null, is_held = false where user_id <> test.user_id('c');
update public.webhook_deliveries set is_held = false, next_attempt_at = now() where status = 'pending';
select results_eq('select * from pg_temp.claim(100)', $$ values ('c', 4::bigint) $$, 'an owner who is alone is found, wherever the last claim ended');

select * from finish();
