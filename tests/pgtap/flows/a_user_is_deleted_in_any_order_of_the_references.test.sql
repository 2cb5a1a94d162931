-- Foreign keys act in the order in which they were created. Dumps and migrations may create them in another order.
select plan(6);

create function pg_temp.remake(variadic names text[]) returns void language plpgsql as $$
declare
  v_constraint record;
begin
  -- A table can't be altered while deferred triggers of the table are pending, so the next statement runs these
  -- triggers.
  set constraints all immediate;
  set constraints all deferred;
  for v_constraint in
    select c.conrelid::regclass as relation, c.conname, pg_get_constraintdef(c.oid) as definition
    from unnest(names) with ordinality as n (name, position) join pg_constraint as c on c.conname = n.name
    where c.connamespace = 'public'::regnamespace order by n.position
  loop
    execute format('alter table public.%s drop constraint %I', v_constraint.relation, v_constraint.conname);
    execute format('alter table public.%s add constraint %I %s', v_constraint.relation, v_constraint.conname, v_constraint.definition);
  end loop;
end;
$$;
create function pg_temp.delete_user(name text) returns jsonb language plpgsql as $$
declare
  v_flow_id integer;
begin
  perform test.create_user(name);
  v_flow_id := test.create_flow(test.user_id(name));
  perform test.sign_in(test.user_id(name));
  perform public.start_deployment(id => test.deploy(v_flow_id));
  perform test.deploy(v_flow_id);
  perform test.sign_out();
  return test.error(format('delete from auth.users where id = %L', test.user_id(name)));
end;
$$;
select test.create_user('bystander');

select pg_temp.remake('flows_user_id_fkey', 'flow_deployments_user_id_fkey', 'flow_run_user_id_fkey');
select is(pg_temp.delete_user('a'), null, 'a user is deleted in the order flows, deployments, runs');
select pg_temp.remake('flow_run_user_id_fkey', 'flow_deployments_user_id_fkey', 'flows_user_id_fkey');
select is(pg_temp.delete_user('b'), null, 'a user is deleted in the order runs, deployments, flows');
select pg_temp.remake('flow_deployments_user_id_fkey', 'flow_run_user_id_fkey', 'flows_user_id_fkey');
select is(pg_temp.delete_user('c'), null, 'a user is deleted in the order deployments, runs, flows');
select pg_temp.remake('flow_deployments_entrypoint_fkey', 'flow_deployments_tags_entrypoint_fkey');
select is(pg_temp.delete_user('d'), null, 'a user is deleted if the deployments of a flow go before its tags');
select pg_temp.remake('flow_deployments_tags_entrypoint_fkey', 'flow_deployments_entrypoint_fkey');
select is(pg_temp.delete_user('e'), null, 'a user is deleted if the tags of a flow go before its deployments');

select is_empty(
  $$ select 'flow' from public.flows union all select 'deployment' from public.flow_deployments
    union all select 'tag' from public.flow_deployments_tags union all select 'run' from public.flow_run
    union all select 'job' from private.flow_run_jobs $$,
  'after each deletion nothing is left'
);

select * from finish();
