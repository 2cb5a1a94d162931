select plan(5);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();
select public.claim_flow_runs(1, 60);
select test.keep('child', gen_random_uuid());
create function pg_temp.report(status text, changes jsonb default '{}') returns void language sql as $$
  select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, children => jsonb_build_array(
    test.child(test.kept('child')::uuid, test.kept('run')::uuid, 1, status) || changes
  )));
$$;
create temporary view stored as select status, output, errors, not_run, end_time from public.flow_run where id = test.kept('child')::uuid;

select pg_temp.report('running');
select results_eq(
  'select * from stored', $$ values ('running', null::jsonb, null::text[], null::uuid[], null::timestamptz) $$, 'a child has begun'
);
select pg_temp.report('failed', jsonb_build_object('not_run', jsonb_build_array(test.node_id('x')), 'inputs', '{"M": {}}'::jsonb, 'flow_id', 99));
select results_eq(
  'select * from stored',
  $$ values ('failed', jsonb '{"M": {"o": {"U": "2"}}}', '{a failed}'::text[], array[test.node_id('x')], timestamptz '2026-01-01T00:00:02Z') $$,
  'the end of the called run is stored'
);
select results_eq(
  $$ select flow_id, inputs from public.flow_run where id = test.kept('child')::uuid $$, $$ values (1, jsonb '{"M": {"i": {"U": "1"}}}') $$,
  'a later report does not change the start of a called run'
);
select test.keep('ended', to_jsonb(r)) from public.flow_run as r where id = test.kept('child')::uuid;
select pg_temp.report('running'), pg_temp.report('succeeded');
select is(to_jsonb(r), test.kept('ended')::jsonb, 'what arrives late takes nothing back') from public.flow_run as r where id = test.kept('child')::uuid;

select test.keep('child', gen_random_uuid());
select pg_temp.report('succeeded');
select results_eq('select status, errors from stored', $$ values ('succeeded', null::text[]) $$, 'a called run that was quick is reported only once');

select * from finish();
