select plan(3);

select test.create_user('owner');
select test.keep(name, test.claimed_run(test.user_id('owner'))) from unnest('{run,other}'::text[]) as name;
select test.ask(test.kept(name)::uuid, jsonb_build_array(
  test.request(), test.request('SysvarC1ock11111111111111111111111111111111', -1000), test.request('So11111111111111111111111111111111111111112')
)) from unnest('{run,other}'::text[]) as name;
select private.answer_signature_request(s.id, repeat('1', 64), null) from public.signature_requests as s where s.pubkey like 'So1%';
create temporary table before on commit drop as select * from public.signature_requests;

select private.finish_flow_run(test.kept('run')::uuid, 1, 'failed', null, '{a}', '{}', test.progress(test.kept('run')::uuid));
select is(
  s.expires_at <= clock_timestamp() and s.expires_at >= r.start_time, true, 'an open request ends with the run'
)
from public.signature_requests as s join public.flow_run as r on r.id = s.flow_run_id
where s.pubkey like 'da18%' and s.flow_run_id = test.kept('run')::uuid;
select results_eq(
  $$ select s.flow_run_id, s.pubkey from public.signature_requests as s join before using (id) where s.expires_at <> before.expires_at $$,
  $$ values (test.kept('run')::uuid, 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs') $$,
  'requests that were answered or had expired, and requests of other runs, do not change'
);
select is_empty(
  $$ select from public.signature_requests as s join before using (id) where s.signature is distinct from before.signature $$, 'the end of the run answers no request'
);

select * from finish();
