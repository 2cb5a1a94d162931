select plan(11);

select test.create_user('owner');
select test.claimed_run(test.user_id('owner'));
select test.queue_webhooks(test.user_id('owner'), 1);
-- Stores this answer to the attempt with this number, and returns the new state of the delivery. The delay is in whole
-- seconds.
create function pg_temp.after(
  attempt integer, answered integer, retry_after integer default null, problem text default null,
  out status text, out http_status integer, out delay integer, out error text
)
returns record
language plpgsql volatile
as $$
begin
  update public.webhook_deliveries as d
  set status = 'pending', attempts = after.attempt - 1, next_attempt_at = clock_timestamp(), is_held = false where true;
  perform public.store_webhook_attempt(c.id, c.attempt, after.answered, repeat('ä', 2000), after.problem, after.retry_after)
  from public.claim_webhook_deliveries(1, 60) as c;
  select d.status, d.last_http_status, round(extract(epoch from d.next_attempt_at - clock_timestamp()))::integer, d.last_error
  into status, http_status, delay, error
  from public.webhook_deliveries as d;
end;
$$;

select results_eq(
  $$ select s, a.status, a.delay, a.error from unnest('{200,204,299}'::integer[]) as s cross join lateral pg_temp.after(1, s) as a $$,
  $$ values (200, 'delivered', null::integer, null::text), (204, 'delivered', null, null), (299, 'delivered', null, null) $$, 'after a status from 200 to 299 the message is delivered'
);
select results_eq(
  $$ select s, a.status, a.http_status from unnest('{301,400,404,429,500,502,504}'::integer[]) as s cross join lateral pg_temp.after(1, s) as a $$,
  $$ select s, 'pending', s from unnest('{301,400,404,429,500,502,504}'::integer[]) as s $$, 'after any other status the message is tried again'
);
select is((pg_temp.after(1, 404)).error, 'The address answered with the status 404, but a status from 200 to 299 is needed.', 'last_error has the reason for the owner');
select results_eq(
  $$ select status, error, http_status from pg_temp.after(1, null, null, 'can''t connect') $$, $$ values ('pending', 'can''t connect', null::integer) $$, 'without an answer the message is tried again'
);
select is((select char_length(last_response) from public.webhook_deliveries), 1000, 'the beginning of an answer is stored');
select results_eq(
  $$ select n, (pg_temp.after(n, 500)).delay between floor(0.9 * d) - 1 and ceil(1.1 * d) from (values (1, 5), (2, 300), (3, 1800), (4, 7200), (5, 18000), (6, 36000), (7, 50400)) as s (n, d) $$,
  $$ select n, true from generate_series(1, 7) as n $$, 'the pauses grow'
);
select results_eq(
  $$ select status, delay from pg_temp.after(8, 500) $$, $$ values ('failed', null::integer) $$, 'after eight attempts the delivery fails'
);
select is(count(distinct d.delay) > 1, true, 'the pauses differ') from (select (pg_temp.after(7, 500)).delay from generate_series(1, 5)) as d;
select results_eq(
  $$ select r, (pg_temp.after(1, 429, r)).delay from unnest('{1,120,1000000000}'::integer[]) as r where r <> 1 $$, $$ values (120, 120), (1000000000, 86400) $$,
  'a longer Retry-After is the delay, up to a day'
);
select is((pg_temp.after(3, 429, 1)).delay > 1000, true, 'a short Retry-After does not shorten the delay');
select is((pg_temp.after(1, 500, -5)).delay between 4 and 6, true, 'a Retry-After in the past changes nothing');

select * from finish();
