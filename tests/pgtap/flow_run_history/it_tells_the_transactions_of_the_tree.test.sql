select plan(4);

select test.create_user('owner');
select test.keep(name, test.claimed_run(test.user_id('owner'))) from unnest('{run,other}'::text[]) as name;
select test.keep('child', gen_random_uuid());
select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(
  test.kept('run')::uuid, children => jsonb_build_array(test.child(test.kept('child')::uuid, test.kept('run')::uuid, 7, 'failed'))
));
select test.ask(test.kept('other')::uuid, test.request());
select test.ask(test.kept('run')::uuid, '[]', 'inner', test.kept('child')::uuid);
select test.keep('requests', test.ask(test.kept('run')::uuid, test.request())::jsonb);
create temporary view told as
  select t from jsonb_array_elements(private.flow_run_history(test.kept('run')::uuid)::jsonb -> 'transactions') as t;

select results_eq(
  $$ select t ->> 'flow_run_id', t ->> 'node_id' from told $$,
  $$ values (test.kept('child'), test.node_id('inner')::text), (test.kept('run'), test.node_id('a')::text) $$,
  'the history has all transactions of the tree, also of ended runs, in the order in which they were stored'
);
select is(
  t - 'requests', test.transaction(test.kept('run')::uuid) || '{"outcome": null, "signature": null}',
  'transactions are as they were stored, with numbers as text'
)
from told where t ->> 'flow_run_id' = test.kept('run');
select is(t -> 'requests', test.kept('requests')::jsonb, 'each transaction has its signature requests') from told where t ->> 'flow_run_id' = test.kept('run');
select private.answer_signature_request(s.id, repeat('1', 64), 'BAUG') from public.signature_requests as s where s.flow_run_id = test.kept('run')::uuid;
select is(
  (t #> '{requests,0}') - '{id,expires_at}'::text[],
  jsonb_build_object('pubkey', 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs', 'signature', repeat('1', 64), 'new_msg', 'BAUG'),
  'the history has the answers to the requests'
)
from told where t ->> 'flow_run_id' = test.kept('run');

select * from finish();
