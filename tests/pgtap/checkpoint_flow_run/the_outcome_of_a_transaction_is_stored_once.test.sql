select plan(4);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));
select test.ask(test.kept('run')::uuid, '[]', node) from unnest('{a,b,c}'::text[]) as node;
create function pg_temp.tell(outcomes jsonb) returns void language sql as $$
  select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(
    test.kept('run')::uuid, transactions => (select jsonb_agg(o || jsonb_build_object('node_id', test.node_id(o ->> 'node'), 'times', 0)) from jsonb_array_elements(outcomes) as o)
  ));
$$;
create temporary view told as
  select n.name, outcome, left(signature, 2) as signature
  from private.flow_run_transactions join unnest('{a,b,c}'::text[]) as n (name) on node_id = test.node_id(n.name) order by n.name;

select pg_temp.tell(jsonb_build_array(
  jsonb_build_object('node', 'a', 'outcome', 'confirmed', 'signature', repeat('1', 64)), jsonb_build_object('node', 'b', 'outcome', 'failed', 'signature', null)
));
select results_eq(
  'select * from told', $$ values ('a', 'confirmed', '11'), ('b', 'failed', null), ('c', null, null) $$, 'each transaction has its own outcome'
);
select pg_temp.tell(jsonb_build_array(
  jsonb_build_object('node', 'a', 'outcome', 'failed', 'signature', null), jsonb_build_object('node', 'b', 'outcome', 'confirmed', 'signature', repeat('1', 64))
));
select results_eq(
  'select * from told', $$ values ('a', 'confirmed', '11'), ('b', 'failed', null), ('c', null, null) $$, 'a later report does not change a stored outcome'
);
select private.finish_flow_run(test.kept('run')::uuid, 1, 'failed', null, '{x}', '{}', test.progress(
  test.kept('run')::uuid, transactions => jsonb_build_array(jsonb_build_object('node_id', test.node_id('c'), 'times', 0, 'outcome', 'failed'))
));
select results_eq('select outcome from told where name = ''c''', $$ values ('failed') $$, 'the report that ends the run may contain an outcome, too');
select is(
  (select jsonb_agg(t -> 'outcome') from jsonb_array_elements(private.flow_run_history(test.kept('run')::uuid)::jsonb -> 'transactions') as t),
  '["confirmed", "failed", "failed"]', 'the history has the outcomes'
);

select * from finish();
