select plan(2);

create function pg_temp.plan_of(query text) returns text language plpgsql volatile as $$
declare
  v_line text;
  v_plan text := '';
begin
  for v_line in execute 'explain ' || query loop
    v_plan := v_plan || v_line || E'\n';
  end loop;
  return v_plan;
end;
$$;

create temporary view limits as
  select p.proname as name, p.oid::regprocedure::text as call
  from pg_proc as p where p.pronamespace = 'private'::regnamespace and p.proname like 'limit\_%';
grant select on limits to public;
grant execute on function pg_temp.plan_of(text) to public;
select cmp_ok((select count(*) from limits), '>=', 40::bigint, 'the check finds limits');

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select is_empty(
  $$ select call from limits where pg_temp.plan_of(format('select from generate_series(1, 2) as n where n < %s', call)) ~ 'limit_' $$,
  'the plans of an API role call no limit function, either'
);

select * from finish();
