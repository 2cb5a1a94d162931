select plan(6);

select test.create_user('owner');
select test.keep('called', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('x', 'x'), test.node('y', 'y'))));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('a', 'a'), test.node('note', 'a', type => 'mock'),
  test.node('caller', 'interflow', form_data => jsonb_build_object('id', test.kept('called')::integer))
))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{stopped,succeeded,other}'::text[]) as name;
select test.sign_out();
select public.claim_flow_runs(10, 60);
-- Each root run has called two runs: `ended`, and `open`, which still runs and has called `deep`.
select test.keep(root || '_' || name, gen_random_uuid())
from unnest('{stopped,succeeded,other}'::text[]) as root cross join unnest('{ended,open,deep}'::text[]) as name;
select public.checkpoint_flow_run(test.kept(root)::uuid, 1, 60, test.progress(
  test.kept(root)::uuid,
  jsonb_build_array(test.node_run('caller', is_ended => false), test.node_run('x') || jsonb_build_object('flow_run_id', test.kept(root || '_open'))),
  children => jsonb_build_array(
    test.child(test.kept(root || '_ended')::uuid, test.kept(root)::uuid, test.kept('called')::integer, 'succeeded', 'b'),
    test.child(test.kept(root || '_open')::uuid, test.kept(root)::uuid, test.kept('called')::integer),
    test.child(test.kept(root || '_deep')::uuid, test.kept(root || '_open')::uuid, test.kept('called')::integer)
  )
))
from unnest('{stopped,succeeded,other}'::text[]) as root;
select test.keep('before', jsonb_agg(to_jsonb(r) order by r.id)) from public.flow_run as r where status = 'succeeded';

select public.finish_flow_run(test.kept('stopped')::uuid, 1, 'stopped', null, '{canceled}', null, test.progress(test.kept('stopped')::uuid));
select public.finish_flow_run(
  test.kept('succeeded')::uuid, 1, 'succeeded', '{"M": {"o": {"N": 0}}}', null, '{}', test.progress(test.kept('succeeded')::uuid)
);
create temporary view ended as
  select r.status, r.output, r.errors, r.not_run, r.end_time is not null as is_ended, r.id from public.flow_run as r;

select results_eq(
  $$ select status, output, errors, not_run from ended where id = test.kept('stopped')::uuid $$,
  $$ values ('stopped', jsonb '{"M": {}}', '{canceled}'::text[], array[test.node_id('a')]) $$,
  'the nodes that never began are listed, without notes'
);
select results_eq(
  $$ select status, output, errors, not_run from ended where id in (test.kept('stopped_open')::uuid, test.kept('stopped_deep')::uuid)
    order by id = test.kept('stopped_deep')::uuid $$,
  $$ values ('stopped', jsonb '{"M": {}}', null::text[], array[test.node_id('y')]), ('stopped', '{"M": {}}', null, array[test.node_id('x'), test.node_id('y')]) $$,
  'called runs that have not ended are stopped with their root, at every depth, and list their own nodes as not run'
);
select results_eq(
  $$ select status, errors from ended where id in (test.kept('succeeded_open')::uuid, test.kept('succeeded_deep')::uuid) $$,
  $$ select 'failed', array['the run that called this flow has ended'] from generate_series(1, 2) $$, 'with any other end they fail'
);
select is(jsonb_agg(to_jsonb(r) order by r.id), test.kept('before')::jsonb, 'called runs that have ended do not change')
from public.flow_run as r where id in (test.kept('stopped_ended')::uuid, test.kept('succeeded_ended')::uuid, test.kept('other_ended')::uuid);
select results_eq(
  $$ select count(*) from ended where not is_ended $$, 'values (3::bigint)', 'another tree has not ended'
);

select test.keep('ended', jsonb_agg(to_jsonb(r) order by r.id)) from public.flow_run as r where r.end_time is not null;
select private.end_flow_run(test.kept(root)::uuid, 'failed', null, '{again}', null) from unnest('{stopped,succeeded}'::text[]) as root;
select is(jsonb_agg(to_jsonb(r) order by r.id), test.kept('ended')::jsonb, 'nothing ends twice') from public.flow_run as r where r.end_time is not null;

select * from finish();
