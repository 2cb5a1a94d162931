select plan(10);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'), '["first"]'));
create function pg_temp.save(nodes text) returns void language sql as $$
  update public.flows set nodes = save.nodes::jsonb where id = test.kept('flow')::integer;
$$;
create function pg_temp.pass(passed interval) returns void language sql security definer as $$
  update public.flow_versions set created_at = created_at - passed where true;
$$;
create function pg_temp.kept() returns text[] language sql as $$
  select coalesce(array_agg(v.nodes ->> 0 order by v.id), '{}') from public.flow_versions as v where v.flow_id = test.kept('flow')::integer;
$$;
-- The trigger that protects versions would refuse to change their time.
alter table public.flow_versions disable trigger _100_refuse_read_only;

grant execute on function pg_temp.save(text), pg_temp.pass(interval), pg_temp.kept() to public;
select test.sign_in(test.user_id('owner'));
select pg_temp.save('["first"]');
select is(pg_temp.kept(), '{}', 'a save without a change keeps nothing');
update public.flows set name = 'renamed', is_public = true where id = test.kept('flow')::integer;
select is(pg_temp.kept(), '{}', 'a new name of the flow keeps no version');
select pg_temp.save('["second"]');
select is(pg_temp.kept(), '{first}', 'the first change keeps the former contents');
select pg_temp.save('["third"]');
select pg_temp.pass('9 minutes');
select pg_temp.save('["fourth"]');
select is(pg_temp.kept(), '{first}', 'changes within ten minutes keep nothing more');
select pg_temp.pass('1 minute');
select pg_temp.save('["fifth"]');
select is(pg_temp.kept(), '{first,fourth}', 'after ten minutes, the next change keeps the contents before it');
select pg_temp.pass('10 minutes');
update public.flows set environment = '{"A": "1"}' where id = test.kept('flow')::integer;
select is(pg_temp.kept(), '{first,fourth,fifth}', 'a changed environment keeps the former contents, too');
select pg_temp.pass('10 minutes');
select pg_temp.save('["first"]');
select pg_temp.pass('10 minutes');
update public.flows set environment = '{}' where id = test.kept('flow')::integer;
select pg_temp.pass('10 minutes');
select pg_temp.save('["sixth"]');
select is(pg_temp.kept(), '{first,fourth,fifth,fifth,first}', 'equal contents are one version, so the first contents are not kept again');
select is(
  (select count(distinct (v.hash, v.environment)) from public.flow_versions as v), 5::bigint, 'contents that differ only in the environment are two versions'
);
select is(
  (select v.saved_at from public.flow_versions as v where v.nodes = '["first"]' and v.environment = '{}'), now(), 'saved_at is the time of the save'
);
select is((select f.nodes from public.flows as f), '["sixth"]', 'the flow has what was saved last');

select * from finish();
