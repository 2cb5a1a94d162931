select plan(5);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));
create function pg_temp.tell(is_ended boolean, output jsonb) returns void language sql as $$
  select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(
    test.kept('run')::uuid, jsonb_build_array(test.node_run('a', is_ended => is_ended) || jsonb_build_object('output', output))
  ));
$$;
create temporary view told as select end_time is not null as is_ended, output from public.node_run;

select pg_temp.tell(false, null);
select results_eq('select * from told', $$ values (false, null::jsonb) $$, 'a node begins');
select pg_temp.tell(false, '{"M": {"x": {"U": "1"}}}');
select results_eq('select * from told', $$ values (false, jsonb '{"M": {"x": {"U": "1"}}}') $$, 'the output of a node that has not ended is stored');
select pg_temp.tell(false, null);
select results_eq('select * from told', $$ values (false, jsonb '{"M": {"x": {"U": "1"}}}') $$, 'a late report that the node begins does not remove the output');
select pg_temp.tell(true, '{"M": {"x": {"U": "1"}, "signature": {"S": "5"}}}');
select results_eq('select * from told', $$ values (true, jsonb '{"M": {"x": {"U": "1"}, "signature": {"S": "5"}}}') $$, 'the end of the node is stored with its output');
select pg_temp.tell(false, '{"M": {"x": {"U": "1"}}}');
select results_eq('select * from told', $$ values (true, jsonb '{"M": {"x": {"U": "1"}, "signature": {"S": "5"}}}') $$, 'a late report does not undo the end');

select * from finish();
