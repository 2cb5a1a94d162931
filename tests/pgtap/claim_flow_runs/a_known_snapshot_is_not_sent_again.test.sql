select plan(6);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('a', 'x'))));
select test.sign_in(test.user_id('owner'));
select test.keep('first', test.deploy(test.kept('flow')::integer));
update public.flows set environment = '{"a": "1"}' where true;
select test.keep('second', test.deploy(test.kept('flow')::integer));
select test.keep('run_1', public.start_deployment(id => test.kept('first')::uuid) ->> 'flow_run_id');
select test.keep('run_2', public.start_deployment(id => test.kept('second')::uuid) ->> 'flow_run_id');
select test.keep('hash_1', encode(snapshot_hash, 'hex')) from public.flow_deployments where id = test.kept('first')::uuid;
select test.keep('hash_2', encode(snapshot_hash, 'hex')) from public.flow_deployments where id = test.kept('second')::uuid;

create function pg_temp.claimed(known text[]) returns table (run text, hash text, has_snapshot boolean) language sql volatile as $$
  select test.release_all();
  select flow_run_id, snapshot_hash, snapshot is not null from public.claim_flow_runs(10, 60, known) order by flow_run_id;
$$;
grant execute on function pg_temp.claimed(text[]) to public;
select test.sign_in_as_role('service_role');

select results_eq(
  $$ select * from pg_temp.claimed('{}') $$,
  $$ values (test.kept('run_1'), test.kept('hash_1'), true), (test.kept('run_2'), test.kept('hash_2'), true) $$,
  'a runner that knows no snapshot gets the snapshot of each run'
);
select results_eq(
  $$ select hash, has_snapshot from pg_temp.claimed(array[test.kept('hash_1')]) $$,
  $$ values (test.kept('hash_1'), false), (test.kept('hash_2'), true) $$, 'a snapshot that the runner knows is left out'
);
select results_eq(
  $$ select hash, has_snapshot from pg_temp.claimed(array['00', test.kept('hash_2'), test.kept('hash_1')]) $$,
  $$ values (test.kept('hash_1'), false), (test.kept('hash_2'), false) $$, 'several known snapshots are left out'
);
select results_eq(
  $$ select hash, has_snapshot from pg_temp.claimed(array[upper(left(test.kept('hash_1'), 60)), '', null]) $$,
  $$ values (test.kept('hash_1'), true), (test.kept('hash_2'), true) $$, 'hashes of other snapshots change nothing'
);

select test.release_all();
create temporary table claimed as select * from public.claim_flow_runs(10, 60);
select test.sign_out();
select is_empty(
  $$ select from claimed as c where encode(sha256(convert_to(c.snapshot, 'UTF8')), 'hex') <> c.snapshot_hash $$,
  'the hash is the hash of the snapshot''s text, so that a runner can check it'
);
select results_eq(
  'select snapshot::jsonb from claimed order by flow_run_id',
  $$ select data from private.flow_snapshots order by encode(hash, 'hex') = test.kept('hash_2') $$, 'the text is that of the snapshot'
);

select * from finish();
