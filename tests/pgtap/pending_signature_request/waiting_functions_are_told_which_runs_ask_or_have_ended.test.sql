select plan(4);

select test.create_user('owner');
select test.keep(name, test.claimed_run(test.user_id('owner'))) from unnest('{quiet,asking,expired,answered,ended,caller}'::text[]) as name;
select test.keep('child', gen_random_uuid());
select private.checkpoint_flow_run(test.kept('caller')::uuid, 1, 60, test.progress(
  test.kept('caller')::uuid, children => jsonb_build_array(test.child(test.kept('child')::uuid, test.kept('caller')::uuid, 7))
));
select test.ask(test.kept(name)::uuid, test.request(timeout_ms => case name when 'expired' then -1 else 180000 end))
from unnest('{asking,expired,answered}'::text[]) as name;
select private.answer_signature_request(s.id, repeat('1', 64), null) from public.signature_requests as s where s.flow_run_id = test.kept('answered')::uuid;
select test.end_run(test.kept('ended')::uuid);

create function pg_temp.found() returns text[] language sql as $$
  select coalesce(array_agg(name order by name), '{}')
  from unnest('{quiet,asking,expired,answered,ended,caller,child}'::text[]) as name
  where test.kept(name)::uuid in (select public.asking_flow_runs((
    select array_agg(test.kept(n)::uuid) from unnest('{quiet,asking,expired,answered,ended,caller,child}'::text[]) as n
  )));
$$;
grant execute on function pg_temp.found() to public;

select test.sign_in_as_role('service_role');
select is(pg_temp.found(), '{asking,ended}', 'runs that ask for a signature now and runs that have ended are returned');
select test.sign_out();
select test.ask(test.kept('caller')::uuid, test.request(), 'inner', test.kept('child')::uuid);
select is(pg_temp.found(), '{asking,caller,child,ended}', 'if a called run asks, all runs of its tree are returned');
select test.keep('gone', gen_random_uuid());
select set_eq('select public.asking_flow_runs(array[test.kept(''gone'')]::uuid[])', array[test.kept('gone')]::uuid[], 'a deleted run is returned, so that no caller waits for it');
select is_empty('select public.asking_flow_runs(''{}'')', 'an empty argument returns no runs');

select * from finish();
