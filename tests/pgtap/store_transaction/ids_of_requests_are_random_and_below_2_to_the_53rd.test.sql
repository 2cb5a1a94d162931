select plan(9);

select test.create_user('owner');
select test.keep(name, test.claimed_run(test.user_id('owner'))) from unnest('{run,other}'::text[]) as name;

select test.keep('drawn', (select jsonb_agg(private.random_id())::text from generate_series(1, 1000)));
create function pg_temp.drawn() returns setof bigint language sql as $$
  select d::bigint from jsonb_array_elements_text(test.kept('drawn')::jsonb) as d;
$$;
select is(count(distinct d), 1000::bigint, 'a thousand ids differ') from pg_temp.drawn() as d;
select ok(bool_and(d between 0 and 9007199254740991), 'each id is exact in JavaScript') from pg_temp.drawn() as d;
-- Each bit is set in about half of the ids. The chance that a random bit is set in fewer than 400 or in more than 600
-- of 1,000 ids is below 10^-8.
select is(count(*), 0::bigint, 'each of the 53 bits is random')
from generate_series(0, 52) as bit (number)
where (select count(*) filter (where (d >> bit.number) & 1 = 1) from pg_temp.drawn() as d) not between 400 and 600;

-- created_at follows the order in which the runner gave the requests, whatever their ids are.
create function pg_temp.key(n integer) returns text language sql as $$
  select 'So1111111111111111111111111111111111111111' || substr('23456789ABCDEFGHJKLM', n, 1);
$$;
select test.ask(test.kept('run')::uuid, (
  select jsonb_agg(test.request(pg_temp.key(n)) order by n) from generate_series(1, 20) as n
));
select is(
  (select array_agg(s.pubkey order by s.created_at) from public.signature_requests as s),
  (select array_agg(pg_temp.key(n) order by n) from generate_series(1, 20) as n),
  'requests are ordered by created_at'
);
select isnt(
  (select array_agg(s.id order by s.created_at) from public.signature_requests as s),
  (select array_agg(s.id order by s.id) from public.signature_requests as s),
  'requests are not ordered by id'
);
select is(
  (select array_agg(o.id) from private.open_signature_requests(test.kept('run')::uuid) as o),
  (select array_agg(s.id order by s.created_at) from public.signature_requests as s),
  'the oldest open request comes first'
);

-- The first three calls return an id that is in use. Later calls return free ids.
create sequence pg_temp.draws;
select test.keep('taken', min(s.id)::text) from public.signature_requests as s;
create or replace function private.random_id() returns bigint language plpgsql volatile set search_path = '' as $$
begin
  return case when nextval('pg_temp.draws') <= 3 then test.kept('taken')::bigint else 17 + currval('pg_temp.draws') end;
end;
$$;
select test.ask(test.kept('other')::uuid, jsonb_build_array(test.request(), test.request('So11111111111111111111111111111111111111112')));
select results_eq(
  $$ select s.id, s.pubkey from public.signature_requests as s where s.flow_run_id = test.kept('other')::uuid order by s.id $$,
  $$ values (21::bigint, 'So11111111111111111111111111111111111111112'), (22, 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs') $$,
  'if an id is taken, another one is drawn'
);
select is(
  (select array_agg(e.request_id order by e.request_id) from private.flow_run_events as f, unnest(f.events) as e
    where f.root_flow_run_id = test.kept('other')::uuid and e.event = 'signature_request'),
  '{21,22}', 'each request is returned once'
);
select is(
  test.error('update public.signature_requests set id = 9007199254740992 where id = 21') ->> 'constraint',
  'signature_requests_id_exact', 'a larger id is refused'
);

select * from finish();
