select plan(1);

select test.create_user('owner');
select test.keep('called', test.create_flow(test.user_id('owner')));
select test.keep(name, test.claimed_run(test.user_id('owner'))) from unnest('{coded,plain,succeeded}'::text[]) as name;
select public.checkpoint_flow_run(test.kept('coded')::uuid, 1, 60, test.progress(
  test.kept('coded')::uuid, jsonb_build_array(test.node_run('x', is_ended => false)),
  children => jsonb_build_array(
    test.child(gen_random_uuid(), test.kept('coded')::uuid, test.kept('called')::integer, 'failed') || '{"errors": ["output_too_large: 9 MiB"]}'
  )
));
select public.finish_flow_run(test.kept('coded')::uuid, 1, 'failed', null, '{"worker_lost: 5 workers","run_time_limit: x"}', '{}', test.progress(test.kept('coded')::uuid));
select public.finish_flow_run(test.kept('plain')::uuid, 1, 'failed', null, '{Some text}', '{}', test.progress(test.kept('plain')::uuid));
select public.finish_flow_run(test.kept('succeeded')::uuid, 1, 'succeeded', null, null, '{}', test.progress(test.kept('succeeded')::uuid));
select results_eq(
  $$ select r.errors[1], r.error_code from public.flow_run as r order by r.errors[1] collate "C" nulls last $$,
  $$ values ('Some text', null), ('output_too_large: 9 MiB', 'output_too_large'), ('worker_lost: 5 workers', 'worker_lost'), (null, null) $$,
  'the code of the first error is stored for runs and for called runs'
);

select * from finish();
